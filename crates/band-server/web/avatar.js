// A participant's mark: round for people, square for agents, one of eight quiet tones.

import { h } from "./dom.js";

const TONES = 8;

export function toneOf(id) {
  let hash = 0x811c9dc5;
  for (const char of String(id ?? "")) hash = Math.imul(hash ^ char.codePointAt(0), 0x01000193);
  return ((hash ^ (hash >>> 15)) >>> 0) % TONES;
}

export function initials(name) {
  const words = String(name ?? "")
    .trim()
    .split(/\s+/)
    .filter(Boolean);
  const letters = words.length > 1 ? [words[0], words.at(-1)] : words;
  return (
    letters
      .map((word) => [...word][0])
      .join("")
      .toLocaleUpperCase() || "?"
  );
}

export function avatar({ id, name, isAgent, small = false }) {
  const classes = ["avatar", isAgent ? "agent" : "person", `tone-${toneOf(id)}`, small ? "small" : ""];
  return h("span", { class: classes.filter(Boolean).join(" "), "aria-hidden": "true" }, initials(name));
}
