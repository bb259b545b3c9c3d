import assert from "node:assert/strict";
import { test } from "node:test";
import { deliveries } from "../delivery.js";
import { fold } from "../fold.js";
import { readStep, summarise } from "../steps.js";

let next = 0;
const item = (sender, type, minute, fields = {}) => ({
  id: `m${(next += 1)}`,
  sender_id: sender,
  message_type: type,
  inserted_at: new Date(2026, 6, 1, 10, minute).toISOString(),
  content: "",
  ...fields,
});
const shape = (messages) =>
  fold(messages).map((entry) =>
    entry.kind === "work"
      ? `work:${entry.events.length}`
      : entry.kind === "message"
        ? entry.continued
          ? "more"
          : "message"
        : "day",
  );

test("consecutive events of one agent are one entry", () => {
  const run = [
    item("u", "text", 0),
    item("a", "tool_call", 1),
    item("a", "tool_result", 1),
    item("a", "thought", 1),
    item("a", "text", 2),
  ];
  assert.deepEqual(shape(run), ["day", "message", "work:3", "message"]);
});

test("another agent, or a message, begins a new entry", () => {
  const run = [
    item("a", "tool_call", 0),
    item("b", "tool_call", 0),
    item("a", "task", 1),
    item("u", "text", 1),
    item("a", "error", 1),
  ];
  assert.deepEqual(shape(run), ["day", "work:1", "work:1", "work:1", "message", "work:1"]);
});

test("errors of a folded run stay in sight", () => {
  const [, work] = fold([item("a", "tool_call", 0), item("a", "error", 0, { content: "boom" })]);
  assert.deepEqual(
    work.spoken.map(({ content }) => content),
    ["boom"],
  );
});

test("an author is named again after five minutes, another author, or midnight", () => {
  assert.deepEqual(shape([item("u", "text", 0), item("u", "text", 4), item("u", "text", 9)]), [
    "day",
    "message",
    "more",
    "message",
  ]);
  assert.deepEqual(shape([item("u", "text", 0), item("a", "text", 0), item("u", "text", 1)]), [
    "day",
    "message",
    "message",
    "message",
  ]);
  const late = item("u", "text", 0, { inserted_at: new Date(2026, 6, 1, 23, 59).toISOString() });
  const early = item("u", "text", 0, { inserted_at: new Date(2026, 6, 2, 0, 1).toISOString() });
  assert.deepEqual(shape([late, early]), ["day", "message", "day", "message"]);
});

test("a run keeps its key while it grows", () => {
  const first = item("a", "tool_call", 0);
  const key = (messages) => fold(messages).find(({ kind }) => kind === "work").key;
  assert.equal(key([first]), key([first, item("a", "tool_result", 0)]));
});

test("attention is no folded event", () => {
  assert.deepEqual(shape([item("a", "thought", 0), item("a", "attention", 0)]), ["day", "work:1", "message"]);
});

test("steps are read from the shapes that SDKs write", () => {
  const call = (fields) => readStep(item("a", "tool_call", 0, fields));
  assert.deepEqual(call({ content: '{"name":"search","args":{"q":1},"tool_call_id":"c"}' }), {
    kind: "tool_call",
    title: "search",
    text: '{\n  "q": 1\n}',
  });
  assert.deepEqual(call({ content: "Looks", metadata: { function: { name: "look", arguments: "{}" } } }), {
    kind: "tool_call",
    title: "look",
    text: "{}",
  });
  assert.deepEqual(call({ content: "just text" }), { kind: "tool_call", title: "", text: "just text" });
  assert.deepEqual(call({ content: "[1]" }), { kind: "tool_call", title: "", text: "[1]" });
  const result = readStep(item("a", "tool_result", 0, { content: '{"name":"search","output":"three"}' }));
  assert.deepEqual(result, { kind: "tool_result", title: "search", text: "three" });
});

test("a run is summed up in one line", () => {
  const call = (name) => item("a", "tool_call", 0, { content: JSON.stringify({ name, args: {} }) });
  assert.equal(
    summarise([call("search"), call("fetch"), call("search"), item("a", "thought", 0)]),
    "Used search ×2, fetch · 1 thought",
  );
  assert.equal(summarise([item("a", "error", 0), item("a", "error", 0)]), "2 errors");
  assert.equal(summarise([item("a", "tool_result", 0)]), "1 step");
});

test("deliveries name each mentioned agent and where it stands", () => {
  const mentions = [
    { id: "a", name: "Echo", type: "agent" },
    { id: "b", name: "Weather", type: "agent" },
    { id: "c", name: "Ref", type: "agent", kind: "reference" },
    { id: "u", name: "Ann", type: "user" },
  ];
  const failed = {
    status: "failed",
    attempts: [
      { attempt_number: 1, error: "x" },
      { attempt_number: 2, error: "boom" },
    ],
  };
  const states = deliveries({ metadata: { mentions, delivery_status: { b: failed } } });
  assert.deepEqual(states, [
    { id: "a", name: "Echo", state: "sent", label: "Sent", error: "" },
    { id: "b", name: "Weather", state: "failed", label: "Failed, attempt 2", error: "boom" },
  ]);
  assert.deepEqual(deliveries({}), []);
});
