// The timeline as it is read: days, messages, and runs of events of one agent folded into one entry.

import { dayKey, compareStamps } from "./stamps.js";

export const FOLDED = new Set(["tool_call", "tool_result", "thought", "error", "task"]);
// Events that stay in sight when their run is folded.
export const SPOKEN = new Set(["error"]);
const TOGETHER_MS = 5 * 60_000;

// Entries: `{kind: "day", key, stamp}`, `{kind: "message", key, message, continued}`,
// `{kind: "work", key, events, sender, spoken}`.
export function fold(messages) {
  const entries = [];
  let day = null;
  let last = null;
  for (const message of messages) {
    const thisDay = dayKey(message.inserted_at);
    if (thisDay !== day) {
      entries.push({ kind: "day", key: `day-${thisDay}`, stamp: message.inserted_at });
      day = thisDay;
      last = null;
    }
    last = FOLDED.has(message.message_type)
      ? addWork(entries, last, message)
      : addMessage(entries, last, message);
  }
  return entries;
}

function addWork(entries, last, event) {
  if (last?.kind === "work" && last.sender === event.sender_id) {
    last.events.push(event);
    if (SPOKEN.has(event.message_type)) last.spoken.push(event);
    return last;
  }
  const spoken = SPOKEN.has(event.message_type) ? [event] : [];
  const entry = { kind: "work", key: `work-${event.id}`, sender: event.sender_id, events: [event], spoken };
  entries.push(entry);
  return entry;
}

function addMessage(entries, last, message) {
  const continued = follows(last, message);
  const entry = { kind: "message", key: message.id, message, continued };
  entries.push(entry);
  return entry;
}

// Whether a message stands under its predecessor without naming its author again.
function follows(last, message) {
  if (last?.kind !== "message" || last.message.sender_id !== message.sender_id) return false;
  const gap = Date.parse(message.inserted_at) - Date.parse(last.message.inserted_at);
  return compareStamps(last.message.inserted_at, message.inserted_at) <= 0 && gap < TOGETHER_MS;
}
