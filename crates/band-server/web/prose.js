// Message text as blocks and spans, to be shown as text nodes. It knows `@[[uuid]]` tokens, fenced code,
// inline code, strong, and plain web addresses; everything else is text as it was written.

const FENCE = /^```([^\n`]*)\n([\s\S]*?)(?:\n)?^```[ \t]*$/m;
const SPAN = new RegExp(
  [
    "@\\[\\[(?<mention>[0-9a-fA-F-]{36})\\]\\]",
    "`(?<code>[^`\\n]+)`",
    "\\*\\*(?<strong>[^*\\s](?:[^*\\n]*[^*\\s])?)\\*\\*",
    "(?<link>https?:\\/\\/[^\\s<>\"'`\\]]+)",
  ].join("|"),
  "g",
);
const TRAILING = /[.,;:!?)]+$/;

export function blocks(content) {
  const found = [];
  let rest = String(content ?? "");
  for (let fence = FENCE.exec(rest); fence; fence = FENCE.exec(rest)) {
    pushText(found, rest.slice(0, fence.index));
    found.push({ type: "code", language: fence[1].trim(), text: fence[2] });
    rest = rest.slice(fence.index + fence[0].length);
  }
  pushText(found, rest);
  return found;
}

function pushText(found, text) {
  for (const paragraph of text.split(/\n[ \t]*(?:\n[ \t]*)+/)) {
    const trimmed = paragraph.replace(/^\n+|\n+$/g, "");
    if (trimmed.trim() !== "") found.push({ type: "text", spans: spans(trimmed) });
  }
}

export function spans(text) {
  const found = [];
  let from = 0;
  const plain = (until) => {
    if (until > from) found.push({ type: "text", text: text.slice(from, until) });
  };
  for (const match of text.matchAll(SPAN)) {
    const { span, length } = spanOf(match);
    plain(match.index);
    found.push(span);
    from = match.index + length;
  }
  plain(text.length);
  return found;
}

function spanOf(match) {
  const { mention, code, strong, link } = match.groups;
  const length = match[0].length;
  if (mention) return { span: { type: "mention", id: mention.toLowerCase() }, length };
  if (code) return { span: { type: "code", text: code }, length };
  if (strong) return { span: { type: "strong", text: strong }, length };
  const address = trimAddress(link);
  return { span: { type: "link", text: address }, length: address.length };
}

// What closes a sentence is not part of the address, but a bracket that the address itself opens is.
function trimAddress(link) {
  let address = link;
  for (let tail = TRAILING.exec(address); tail; tail = TRAILING.exec(address)) {
    const last = address.at(-1);
    if (last === ")" && address.includes("(")) break;
    address = address.slice(0, -1);
  }
  return address;
}

// One line for lists and announcements: tokens become names, code fences and markers go.
export function plainText(content, nameOf) {
  return blocks(content)
    .map((block) =>
      block.type === "code" ? block.text : block.spans.map((span) => spanText(span, nameOf)).join(""),
    )
    .join(" ")
    .replace(/\s+/g, " ")
    .trim();
}

const spanText = (span, nameOf) => (span.type === "mention" ? `@${nameOf(span.id)}` : span.text);
