// The open room's messages: stays at the newest one while it is in sight, reads older ones on the way up.

import { h, icon, reconcile } from "./dom.js";
import { fold } from "./fold.js";
import { makeRow, updateRow } from "./rows.js";

const NEAR_BOTTOM_PX = 80;
const NEAR_TOP_PX = 400;
// Messages kept while the newest one is in sight, once there are more than twice as many.
const KEPT = 200;

export class Timeline {
  #store;
  #live;
  #actions;
  #scroll = document.getElementById("timeline-scroll");
  #entries = document.getElementById("timeline");
  #state = document.getElementById("timeline-state");
  #jump = document.getElementById("jump-to-newest");
  #shownRoom = null;
  #newest = null;
  #atBottom = true;

  // `actions`: `newRoom()`, `addAgent()`.
  constructor({ store, live, actions }) {
    this.#store = store;
    this.#live = live;
    this.#actions = actions;
    this.#jump.append(icon("down"), h("span", {}, "New messages"));
    this.#jump.addEventListener("click", () => this.toNewest());
    this.#scroll.addEventListener("scroll", () => this.#scrolled(), { passive: true });
    new ResizeObserver(() => this.#hold()).observe(this.#scroll);
    store.on(["timeline", "selection", "participants", "rooms"], () => this.#render());
  }

  toNewest() {
    this.#scroll.scrollTop = this.#scroll.scrollHeight;
    this.#atBottom = true;
    this.#jump.hidden = true;
  }

  #render() {
    const { openId } = this.#store;
    const view = this.#store.view();
    const switched = openId !== this.#shownRoom;
    if (switched) this.#entries.replaceChildren();
    const { scrollHeight, scrollTop } = this.#scroll;
    const oldest = this.#entries.querySelector(".row")?.dataset.key;
    const context = {
      meId: this.#store.session.me?.id,
      people: view.participants,
      nameOf: (id) => this.#store.nameOf(openId, id),
    };
    const entries = view.status === "gone" ? [] : fold(view.messages);
    reconcile(
      this.#entries,
      entries,
      (entry) => entry.key,
      makeRow,
      (row, entry) => updateRow(row, entry, context),
    );
    this.#drawState(view);
    this.#place({
      switched,
      view,
      scrollHeight,
      scrollTop,
      grewUp: oldest !== this.#entries.querySelector(".row")?.dataset.key,
    });
    this.#shownRoom = openId;
    if (this.#atBottom && view.messages.length > KEPT * 2) this.#store.trim(openId, KEPT);
    else this.#reachUp();
  }

  // Keeps in sight what was in sight.
  #place({ switched, view, scrollHeight, scrollTop, grewUp }) {
    const newest = view.messages.at(-1)?.id ?? null;
    const arrived = newest !== this.#newest;
    this.#newest = newest;
    if (switched || this.#atBottom) return this.toNewest();
    if (grewUp) this.#scroll.scrollTop = scrollTop + this.#scroll.scrollHeight - scrollHeight;
    if (arrived && view.messages.at(-1)?.sender_id === this.#store.session.me?.id) this.toNewest();
    else if (arrived) this.#jump.hidden = false;
  }

  #hold() {
    if (this.#atBottom) this.#scroll.scrollTop = this.#scroll.scrollHeight;
  }

  #scrolled() {
    const { scrollTop, scrollHeight, clientHeight } = this.#scroll;
    this.#atBottom = scrollHeight - scrollTop - clientHeight < NEAR_BOTTOM_PX;
    if (this.#atBottom) this.#jump.hidden = true;
    this.#reachUp();
  }

  // Near the top, which is also where everything is while the messages do not fill the screen.
  #reachUp() {
    const { status, older, hasOlder } = this.#store.view();
    if (status === "ready" && older === "idle" && hasOlder && this.#scroll.scrollTop < NEAR_TOP_PX) {
      this.#live.loadOlder();
    }
  }

  #drawState(view) {
    const key = [
      this.#store.openId,
      view.status,
      view.older,
      view.hasOlder,
      view.messages.length === 0,
      this.#store.rooms.status,
      this.#store.rooms.list.length === 0,
      this.#others(view).map((who) => who.name),
    ].join();
    if (this.#state.dataset.key === key) return;
    this.#state.dataset.key = key;
    this.#state.replaceChildren(...this.#stateOf(view));
  }

  #others(view) {
    return view.participants.filter((who) => who.id !== this.#store.session.me?.id);
  }

  #stateOf(view) {
    const { openId, rooms } = this.#store;
    if (openId === null && rooms.status === "loading") return [];
    if (openId === null) {
      return empty(
        rooms.list.length === 0 ? "A quiet place" : "No room is open",
        "Rooms are where you and your agents talk.",
        action("Create a room", this.#actions.newRoom),
      );
    }
    if (view.status === "gone")
      return empty(
        "This room is not here",
        "It was removed, or you are no longer in it.",
        action("Create a room", this.#actions.newRoom),
      );
    if (view.status === "failed")
      return empty(
        "The messages could not be read",
        view.error?.text ?? "",
        action("Try again", () => this.#live.retryTimeline()),
      );
    if (view.messages.length > 0) return olderState(view, () => this.#live.loadOlder());
    if (view.status !== "ready")
      return [h("p", { class: "faint", "data-testid": "timeline-loading" }, "Reading messages…")];
    if (this.#others(view).length === 0)
      return empty(
        "Nobody here but you",
        "Add an agent, then mention it to give it something to do.",
        action("Add an agent", this.#actions.addAgent),
      );
    const [only, ...more] = this.#others(view);
    if (more.length === 0)
      return empty(
        `Say something to ${only.name}`,
        "What you write goes to it; its answer appears here.",
        null,
      );
    return empty("Say something", "Type @ to mention who it is for.", null);
  }
}

const action = (text, act) => h("button", { type: "button", class: "button", on: { click: act } }, text);

function empty(title, text, button) {
  return [
    h("div", { class: "empty", dataset: { testid: "empty" } }, h("h2", {}, title), h("p", {}, text), button),
  ];
}

function olderState(view, retry) {
  if (view.older === "failed") {
    return [
      h(
        "p",
        { class: "faint" },
        "Older messages could not be read. ",
        h("button", { type: "button", class: "link-button", on: { click: retry } }, "Try again"),
      ),
    ];
  }
  if (view.hasOlder)
    return [h("p", { class: "faint" }, view.older === "loading" ? "Reading older messages…" : "\u00a0")];
  return [h("p", { class: "faint", dataset: { testid: "timeline-start" } }, "The beginning of this room")];
}
