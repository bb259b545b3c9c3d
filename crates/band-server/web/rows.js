// Rows of the timeline: a day, a message, a folded run of events.

import { avatar } from "./avatar.js";
import { deliveries } from "./delivery.js";
import { fill, h, icon } from "./dom.js";
import { blocks } from "./prose.js";
import { clock, dayLabel } from "./stamps.js";
import { readStep, summarise } from "./steps.js";

const STEP_WORDS = {
  tool_call: "Calls",
  tool_result: "Result",
  thought: "Thought",
  error: "Error",
  task: "Progress",
};
const DELIVERY_ICONS = {
  sent: "tick",
  delivered: "ticks",
  processing: "ring",
  processed: "ticks",
  failed: "alert",
};

export function makeRow(entry) {
  if (entry.kind === "day") return h("li", { class: "day" }, h("span", {}));
  return h("li", { class: `row ${entry.kind}` });
}

// What each row was last asked to show, so that the many rows that have not changed cost nothing.
const asked = new WeakMap();

function isSame(before, entry) {
  if (entry.kind === "message")
    return before.message === entry.message && before.continued === entry.continued;
  if (entry.kind === "work")
    return before.events.length === entry.events.length && before.events.at(-1) === entry.events.at(-1);
  return false;
}

// `context`: `{meId, people, nameOf(id)}`. A row is drawn again only when what it shows has changed.
export function updateRow(row, entry, context) {
  const last = asked.get(row);
  if (last && last.people === context.people && isSame(last.entry, entry)) return;
  asked.set(row, { entry, people: context.people });
  const drawn = fingerprint(entry, context);
  if (row.dataset.drawn === drawn) return;
  row.dataset.drawn = drawn;
  if (entry.kind === "day") row.firstElementChild.textContent = dayLabel(entry.stamp);
  else if (entry.kind === "message") drawMessage(row, entry, context);
  else drawWork(row, entry, context);
}

function fingerprint(entry, context) {
  if (entry.kind === "day") return dayLabel(entry.stamp);
  if (entry.kind === "work")
    return JSON.stringify([entry.events.map((event) => event.id), context.nameOf(entry.sender)]);
  const { message, continued } = entry;
  const names = blocks(message.content)
    .flatMap((block) => block.spans ?? [])
    .filter((span) => span.type === "mention");
  return JSON.stringify([
    continued,
    message.content,
    message.sender_name,
    names.map(({ id }) => context.nameOf(id)),
    deliveries(message),
  ]);
}

function drawMessage(row, { message, continued }, context) {
  const isAgent = message.sender_type === "Agent";
  const own = message.sender_id === context.meId;
  const name = own ? "You" : message.sender_name || context.nameOf(message.sender_id);
  row.classList.toggle("continued", continued);
  row.classList.toggle("own", own);
  Object.assign(row.dataset, {
    testid: "message",
    id: message.id,
    sender: message.sender_id,
    type: message.message_type,
  });
  const time = h(
    "time",
    { class: "when", datetime: message.inserted_at, title: new Date(message.inserted_at).toLocaleString() },
    clock(message.inserted_at),
  );
  const byline = h(
    "p",
    { class: continued ? "byline visually-hidden" : "byline" },
    h("span", { class: "author" }, name),
    isAgent && h("span", { class: "tag" }, "agent"),
    !continued && time,
  );
  const gutter = continued
    ? h("span", { class: "gutter" }, time)
    : avatar({ id: message.sender_id, name, isAgent });
  fill(
    row,
    gutter,
    h(
      "div",
      { class: "body" },
      byline,
      label(message),
      prose(message.content, context),
      own && deliveryLine(message),
    ),
  );
}

// Types that have no look of their own still say what they are.
function label(message) {
  if (message.message_type === "attention") return h("p", { class: "kind-label" }, "Asks for attention");
  return null;
}

export function prose(content, context) {
  const parts = blocks(content).map((block) =>
    block.type === "code"
      ? h("pre", { tabindex: "0" }, h("code", {}, block.text))
      : h(
          "p",
          {},
          block.spans.map((span) => drawSpan(span, context)),
        ),
  );
  return h("div", { class: "prose" }, parts);
}

function drawSpan(span, context) {
  switch (span.type) {
    case "mention":
      return h(
        "span",
        { class: span.id === context.meId ? "chip me" : "chip", dataset: { testid: "mention", id: span.id } },
        `@${context.nameOf(span.id)}`,
      );
    case "code":
      return h("code", {}, span.text);
    case "strong":
      return h("strong", {}, span.text);
    case "link":
      return h("a", { href: span.text, target: "_blank", rel: "noopener noreferrer" }, span.text);
    default:
      return span.text;
  }
}

function deliveryLine(message) {
  const states = deliveries(message);
  if (states.length === 0) return null;
  const several = states.length > 1;
  return h(
    "p",
    { class: "deliveries" },
    states.map(({ id, name, state, label: text, error }) =>
      h(
        "span",
        { class: `delivery ${state}`, dataset: { testid: "delivery", state, agent: id } },
        icon(DELIVERY_ICONS[state]),
        h("span", {}, `${several ? `${name}: ${text.toLowerCase()}` : text}${error ? `: ${error}` : ""}`),
      ),
    ),
  );
}

function drawWork(row, entry, context) {
  const name = entry.events[0].sender_name || context.nameOf(entry.sender);
  const wasOpen = row.querySelector("details")?.open ?? false;
  const hasMore = entry.events.length > entry.spoken.length;
  Object.assign(row.dataset, { testid: "work", sender: entry.sender });
  fill(
    row,
    avatar({ id: entry.sender, name, isAgent: true, small: true }),
    h(
      "div",
      { class: "body" },
      hasMore && workDetails(entry, name, wasOpen, context),
      entry.spoken.map((event) => trouble(event, name)),
    ),
  );
}

function workDetails(entry, name, open, context) {
  return h(
    "details",
    { open },
    h(
      "summary",
      {},
      icon("chevron"),
      h("span", { class: "work-name" }, name),
      h("span", { class: "work-line" }, summarise(entry.events)),
    ),
    h(
      "ol",
      { class: "steps" },
      entry.events.map((event) => step(event, context)),
    ),
  );
}

// An error stays in sight, whether its run is folded or not.
function trouble(event, name) {
  return h(
    "p",
    { class: "trouble", dataset: { testid: "error-event", id: event.id } },
    icon("alert"),
    h("span", {}, h("strong", {}, name), ` ${event.content}`),
  );
}

function step(event, context) {
  const { kind, title, text } = readStep(event);
  const isCode = kind === "tool_call" || kind === "tool_result";
  return h(
    "li",
    { class: `step ${kind}`, dataset: { testid: "step", type: kind, id: event.id } },
    h(
      "p",
      { class: "step-head" },
      h("span", { class: "step-kind" }, STEP_WORDS[kind] ?? kind),
      title && h("code", {}, title),
      h("time", { datetime: event.inserted_at }, clock(event.inserted_at)),
    ),
    isCode ? h("pre", { tabindex: "0" }, h("code", {}, text)) : prose(text, context),
  );
}
