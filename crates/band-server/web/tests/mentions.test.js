import assert from "node:assert/strict";
import { test } from "node:test";
import { aliases, complete, find, queryAt, resolve, suggest } from "../mentions.js";

const echo = { id: "e", name: "Echo", handle: "you/echo", type: "Agent" };
const weather = { id: "w", name: "Weather Bot", handle: "you/weather-bot", type: "Agent" };
const ann = { id: "a", name: "Ann", handle: "ann", type: "User" };
const room = [echo, weather, ann];

const resolved = (text, participants = room) => {
  const { content, mentioned } = resolve(text, participants);
  return [content, mentioned.map(({ id }) => id).join()];
};

test("short forms, full handles and names become full handles", () => {
  const cases = [
    ["@echo hello", "@you/echo hello", "e"],
    ["@you/echo hello", "@you/echo hello", "e"],
    ["@ECHO hello", "@you/echo hello", "e"],
    ["hello @Echo, you", "hello @you/echo, you", "e"],
    ["@Weather Bot rain?", "@you/weather-bot rain?", "w"],
    ["@weather-bot rain?", "@you/weather-bot rain?", "w"],
    ["ask @echo. Then @ann!", "ask @you/echo. Then @ann!", "e,a"],
    ["@echo @echo twice", "@you/echo @you/echo twice", "e"],
    ["line\n@ann", "line\n@ann", "a"],
    ["(@echo)", "(@you/echo)", "e"],
  ];
  for (const [text, content, ids] of cases) assert.deepEqual(resolved(text), [content, ids], text);
});

test("what only looks like a mention is left alone", () => {
  for (const text of [
    "mail me@echo.org",
    "@echoes",
    "@echo-2",
    "@echo/x",
    "@nobody",
    "@",
    "a @ b",
    "@echo.rs",
  ]) {
    assert.deepEqual(resolved(text), [text, ""], text);
  }
});

test("a longer name wins over the shorter one that it begins with", () => {
  const short = { id: "s", name: "Bot", handle: "you/bot" };
  const long = { id: "l", name: "Bot Two", handle: "you/bot-two" };
  assert.deepEqual(resolved("@Bot Two hi", [short, long]), ["@you/bot-two hi", "l"]);
  assert.deepEqual(resolved("@bot-two hi", [short, long]), ["@you/bot-two hi", "l"]);
  assert.deepEqual(resolved("@bot hi", [short, long]), ["@you/bot hi", "s"]);
});

test("a text that fits two participants names neither", () => {
  const mine = { id: "1", name: "Echo", handle: "you/echo" };
  const other = { id: "2", name: "Echo", handle: "ann/echo" };
  assert.deepEqual(resolved("@echo hi", [mine, other]), ["@echo hi", ""]);
  assert.deepEqual(resolved("@ann/echo hi", [mine, other]), ["@ann/echo hi", "2"]);
});

test("a full handle beats another's short form", () => {
  const person = { id: "p", name: "Someone", handle: "echo" };
  assert.deepEqual(resolved("@echo hi", [echo, person]), ["@echo hi", "p"]);
});

test("without a handle the name stays in the text", () => {
  assert.deepEqual(resolved("@Ghost hi", [{ id: "g", name: "Ghost", handle: null }]), ["@Ghost hi", "g"]);
});

test("places stay right after letters whose lower case is longer", () => {
  assert.deepEqual(
    find("\u0130\u0130 @echo", room).map(({ start, end }) => [start, end]),
    [[3, 8]],
  );
});

test("a query is what stands between the sign and the caret", () => {
  assert.deepEqual(queryAt("hi @ec", 6), { start: 3, query: "ec" });
  assert.deepEqual(queryAt("@", 1), { start: 0, query: "" });
  assert.deepEqual(queryAt("@you/ec ho", 7), { start: 0, query: "you/ec" });
  assert.equal(queryAt("@echo hi", 8), null);
  assert.equal(queryAt("me@ec", 5), null);
  assert.equal(queryAt("hi", 2), null);
});

test("suggestions begin with the query before they contain it", () => {
  const names = (query) =>
    suggest(room, query)
      .map(({ id }) => id)
      .join();
  assert.equal(names(""), "a,e,w");
  assert.equal(names("ec"), "e");
  assert.equal(names("b"), "w");
  assert.equal(names("e"), "e,w");
  assert.equal(names("zzz"), "");
});

test("completing puts the shortest unmistakable form and a space", () => {
  const done = complete("hi @ec there", 6, { start: 3, query: "ec" }, echo, room);
  assert.deepEqual(done, { text: "hi @echo there", caret: 9 });
  assert.deepEqual(complete("@e", 2, { start: 0, query: "e" }, echo, room), { text: "@echo ", caret: 6 });
  const other = { id: "2", name: "Other", handle: "ann/echo" };
  assert.equal(complete("@e", 2, { start: 0, query: "e" }, echo, [...room, other]).text, "@you/echo ");
});

test("every completion resolves to whom it was made for", () => {
  for (const who of room) {
    const { text } = complete("@", 1, { start: 0, query: "" }, who, room);
    assert.deepEqual(resolve(`${text}hi`, room).mentioned, [who]);
  }
});

test("aliases come longest first", () => {
  const lengths = aliases(room).map(({ text }) => text.length);
  assert.deepEqual(
    lengths,
    [...lengths].sort((a, b) => b - a),
  );
});
