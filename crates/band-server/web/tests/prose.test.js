import assert from "node:assert/strict";
import { test } from "node:test";
import { blocks, plainText, spans } from "../prose.js";

const ID = "0190a8d4-5f3e-7c2a-9b1d-2f3e4a5b6c7d";
const flat = (text) => spans(text).map(({ type, text: shown, id }) => `${type}:${shown ?? id}`);

test("tokens, code, strong and addresses are spans", () => {
  assert.deepEqual(flat(`@[[${ID}]] run \`ls\` **now**`), [
    `mention:${ID}`,
    "text: run ",
    "code:ls",
    "text: ",
    "strong:now",
  ]);
  assert.deepEqual(flat("see https://example.org/a(b)."), [
    "text:see ",
    "link:https://example.org/a(b)",
    "text:.",
  ]);
  assert.deepEqual(flat("(https://example.org)"), ["text:(", "link:https://example.org", "text:)"]);
});

test("only web addresses become links, and nothing becomes markup", () => {
  for (const text of [
    "javascript:alert(1)",
    "<img src=x onerror=alert(1)>",
    "data:text/html,x",
    "@[[nonsense]]",
    "** a **",
    "`",
  ]) {
    assert.deepEqual(flat(text), [`text:${text}`]);
  }
});

test("no text is lost", () => {
  const text = `a **b** c \`d\` @[[${ID}]] https://e.f/g, h`;
  const whole = spans(text)
    .map((span) => ({ mention: `@[[${ID}]]`, code: "`d`", strong: "**b**" })[span.type] ?? span.text)
    .join("");
  assert.equal(whole, text);
});

test("fences are blocks, and blank lines part paragraphs", () => {
  const found = blocks("one\n\ntwo\n```sh\nls **x**\n\n-l\n```\nthree");
  assert.deepEqual(
    found.map(({ type, text, spans: inside }) => `${type}:${text ?? inside[0].text}`),
    ["text:one", "text:two", "code:ls **x**\n\n-l", "text:three"],
  );
  assert.equal(found[2].language, "sh");
  assert.deepEqual(
    blocks("```\nopen").map(({ type }) => type),
    ["text"],
  );
  assert.deepEqual(blocks(""), []);
  assert.deepEqual(blocks(undefined), []);
});

test("one line for lists", () => {
  assert.equal(
    plainText(`@[[${ID}]] a **b**\n\n\`c\`\n\`\`\`\nd\n\`\`\``, () => "Echo"),
    "@Echo a b c d",
  );
});

test("long hostile texts are read in no time", () => {
  for (const text of [
    "*".repeat(50_000),
    "`".repeat(50_000),
    "@[[".repeat(20_000),
    "```\n".repeat(10_000),
    "https://".repeat(10_000),
    "\n \n".repeat(20_000),
  ]) {
    const parsed = blocks(text);
    assert.ok(Array.isArray(parsed));
  }
});
