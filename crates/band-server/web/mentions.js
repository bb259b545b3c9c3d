// Mentions as people type them: `@you/echo`, `@echo`, `@Echo`. What is typed is resolved against the room's
// participants; the platform routes by the resolved ids, never by the text.

const WORD = /[\p{L}\p{N}_]/u;
const HANDLE_CHAR = /[\p{L}\p{N}_./-]/u;

// Lower case that keeps every index: a letter whose lower case is longer stays as it is.
const fold = (text) =>
  text.replace(/./gsu, (char) => (char.toLowerCase().length === char.length ? char.toLowerCase() : char));

// The last part of a handle: `echo` of `you/echo`.
export const slugOf = (handle) => (handle ?? "").split("/").pop() ?? "";

// Every text that names exactly one participant, longest first. A full handle beats a slug, a slug beats a name.
export function aliases(participants) {
  const tiers = [(who) => who.handle, (who) => slugOf(who.handle), (who) => who.name];
  const book = new Map();
  for (const textOf of tiers) {
    const tier = new Map();
    for (const who of participants) {
      const text = textOf(who);
      if (!text) continue;
      const key = fold(text);
      tier.set(key, tier.has(key) && tier.get(key) !== who ? null : who);
    }
    for (const [key, who] of tier) if (!book.has(key)) book.set(key, who);
  }
  return [...book]
    .filter(([, who]) => who !== null)
    .map(([text, who]) => ({ text, who }))
    .sort((a, b) => b.text.length - a.text.length || (a.text < b.text ? -1 : 1));
}

const startsWord = (text, at) => at === 0 || !WORD.test(text[at - 1]);

// Whether a name may end before `at`: nothing that would continue it follows. A dot ends a sentence, unless
// more of a word comes after it.
function endsName(text, at) {
  const next = text[at];
  if (next === undefined || !HANDLE_CHAR.test(next)) return true;
  return next === "." && !(text[at + 1] !== undefined && WORD.test(text[at + 1]));
}

// The places of a text that name a participant: `{start, end, who}`, in order.
export function find(text, participants) {
  const book = aliases(participants);
  const lower = fold(text);
  const found = [];
  for (let at = text.indexOf("@"); at >= 0; at = text.indexOf("@", at + 1)) {
    if (!startsWord(text, at)) continue;
    const hit = book.find(
      (entry) => lower.startsWith(entry.text, at + 1) && endsName(text, at + 1 + entry.text.length),
    );
    if (!hit) continue;
    found.push({ start: at, end: at + 1 + hit.text.length, who: hit.who });
  }
  return found;
}

// A text ready to send: short forms become full handles, and whom it names, each once, in order.
export function resolve(text, participants) {
  const mentioned = new Map();
  let content = "";
  let from = 0;
  for (const { start, end, who } of find(text, participants)) {
    mentioned.set(who.id, who);
    content += text.slice(from, start) + (who.handle ? `@${who.handle}` : text.slice(start, end));
    from = end;
  }
  return { content: content + text.slice(from), mentioned: [...mentioned.values()] };
}

// The mention that is being typed at the caret: `{start, query}`, or null.
export function queryAt(text, caret) {
  const before = text.slice(0, caret);
  const start = before.lastIndexOf("@");
  if (start < 0 || !startsWord(text, start)) return null;
  const query = before.slice(start + 1);
  for (const char of query) if (!HANDLE_CHAR.test(char)) return null;
  return { start, query };
}

// Participants that fit what has been typed: those that begin with it before those that contain it.
export function suggest(participants, query) {
  const wanted = fold(query);
  const rank = (who) => {
    const texts = [slugOf(who.handle), who.handle ?? "", who.name ?? ""].map(fold);
    if (texts.some((text) => text.startsWith(wanted))) return 0;
    return texts.some((text) => text.includes(wanted)) ? 1 : 2;
  };
  return participants
    .map((who) => ({ who, rank: rank(who) }))
    .filter((entry) => entry.rank < 2)
    .sort((a, b) => a.rank - b.rank || labelOf(a.who).localeCompare(labelOf(b.who)))
    .map((entry) => entry.who);
}

// The text with the typed query replaced by the participant's shortest unmistakable form, and the caret after it.
export function complete(text, caret, query, who, participants) {
  const slug = slugOf(who.handle);
  const short = aliases(participants).some((entry) => entry.who === who && entry.text === fold(slug));
  const name = short && slug ? slug : (who.handle ?? who.name ?? "");
  const rest = text.slice(caret);
  const gap = rest.startsWith(" ") ? "" : " ";
  const head = `${text.slice(0, query.start)}@${name}${gap}`;
  return { text: head + rest, caret: head.length + (gap ? 0 : 1) };
}

export const labelOf = (who) => who?.name || who?.handle || "Someone";
