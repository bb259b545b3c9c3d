// What an agent did on the way to its answer, read from its events. Each SDK writes these a little
// differently; what can't be read is shown as it came.

const asObject = (value) =>
  value !== null && typeof value === "object" && !Array.isArray(value) ? value : null;

function parsed(text) {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return null;
  }
}

const pretty = (value) => (typeof value === "string" ? value : JSON.stringify(value, null, 2));

// `{kind, title, text}`: the title is the tool's name where there is one, the text its arguments or result.
export function readStep(event) {
  const kind = event.message_type;
  const content = event.content ?? "";
  if (kind !== "tool_call" && kind !== "tool_result") return { kind, title: "", text: content };
  const body = parsed(content);
  const call = asObject(event.metadata?.function) ?? asObject(body?.function);
  const title = toolName(event, body, call);
  const value =
    kind === "tool_call"
      ? (call?.arguments ?? body?.args ?? body?.arguments ?? body?.input)
      : (body?.output ?? body?.result);
  return { kind, title, text: value === undefined ? content : pretty(value) };
}

function toolName(event, body, call) {
  const candidates = [call?.name, body?.name, body?.tool, event.metadata?.tool_name, event.metadata?.name];
  return candidates.find((name) => typeof name === "string" && name !== "") ?? "";
}

// One line over a folded run of events: "Used search, fetch ×2 · 1 thought".
export function summarise(events) {
  const tools = new Map();
  const others = { thought: 0, task: 0, attention: 0, error: 0 };
  for (const event of events) {
    if (event.message_type === "tool_call") {
      const name = readStep(event).title || "a tool";
      tools.set(name, (tools.get(name) ?? 0) + 1);
    } else if (event.message_type in others) others[event.message_type] += 1;
  }
  const parts = [];
  if (tools.size > 0)
    parts.push(
      `Used ${[...tools].map(([name, count]) => (count > 1 ? `${name} ×${count}` : name)).join(", ")}`,
    );
  if (others.thought > 0) parts.push(counted(others.thought, "thought"));
  if (others.task > 0) parts.push(counted(others.task, "progress note"));
  if (others.attention > 0) parts.push(counted(others.attention, "question"));
  if (others.error > 0) parts.push(counted(others.error, "error"));
  return parts.length > 0 ? parts.join(" · ") : counted(events.length, "step");
}

const counted = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;
