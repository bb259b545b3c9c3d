// The list of rooms: a drawer on narrow screens, a column on wide ones.

import { h, icon, reconcile } from "./dom.js";
import { roomHash } from "./hash.js";
import { plainText } from "./prose.js";
import { shortWhen } from "./stamps.js";

export const titleOf = (room) => room?.title || "Untitled room";

export class RoomList {
  #store;
  #live;
  #list = document.getElementById("room-list");
  #state = document.getElementById("room-list-state");

  constructor({ store, live }) {
    this.#store = store;
    this.#live = live;
    store.on(["rooms", "selection"], () => this.#render());
  }

  #render() {
    const { rooms } = this.#store;
    reconcile(
      this.#list,
      rooms.list,
      (room) => room.id,
      makeRow,
      (row, room) => this.#update(row, room),
    );
    this.#state.replaceChildren(...this.#stateOf(rooms));
    const unread = this.#store.totalUnread();
    const room = this.#store.openId ? this.#store.room(this.#store.openId) : null;
    document.title = `${unread > 0 ? `(${unread}) ` : ""}${room ? `${titleOf(room)} · ` : ""}Band`;
  }

  #update(row, room) {
    const link = row.firstElementChild;
    const current = room.id === this.#store.openId;
    if (current) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
    const unread = this.#store.unread(room.id);
    link.classList.toggle("unread", unread > 0);
    const [title, when, preview, badge] = link.children;
    title.textContent = titleOf(room);
    when.textContent = shortWhen(room.last_message_at ?? room.inserted_at);
    preview.textContent = this.#preview(room);
    badge.textContent = unread > 0 ? String(Math.min(unread, 99)) : "";
    badge.hidden = unread === 0;
    if (unread > 0) badge.setAttribute("aria-label", `${unread} new`);
  }

  #preview(room) {
    const message = room.last_message;
    if (!message) return "No messages yet";
    const mine = message.sender_id === this.#store.session.me?.id;
    const author = mine ? "You" : message.sender_name || "Someone";
    const names = new Map(
      (message.metadata?.mentions ?? []).map((mention) => [mention.id, mention.name || mention.handle]),
    );
    return `${author}: ${plainText(message.content, (id) => names.get(id) || this.#store.nameOf(room.id, id))}`;
  }

  #stateOf({ status, list, cursor, error }) {
    if (status === "failed") {
      const retry = h(
        "button",
        { type: "button", class: "link-button", on: { click: () => this.#live.loadRooms() } },
        "Try again",
      );
      return [h("p", { class: "side-note" }, `The rooms could not be read. ${error.text} `, retry)];
    }
    if (status === "loading" && list.length === 0)
      return [h("p", { class: "side-note" }, "Reading your rooms…")];
    if (list.length === 0)
      return [h("p", { class: "side-note" }, "No rooms yet. Create one with the plus above.")];
    if (!cursor) return [];
    const more = h(
      "button",
      { type: "button", class: "link-button side-more", on: { click: () => this.#live.loadMoreRooms() } },
      "Show older rooms",
    );
    return [more];
  }
}

function makeRow(room) {
  const link = h(
    "a",
    { href: roomHash(room.id), class: "room-link", dataset: { testid: "room-link", room: room.id } },
    h("span", { class: "room-link-title" }),
    h("time", { class: "room-link-when" }),
    h("span", { class: "room-link-preview" }),
    h("span", { class: "room-link-badge", role: "img", hidden: true }),
  );
  return h("li", {}, link);
}

// The icons of the list's fixed buttons, put in once.
export function dressRooms() {
  document.getElementById("new-room").append(icon("plus"));
  document.getElementById("sign-out").append(icon("leave"));
  document.getElementById("open-rooms").append(icon("menu"));
}
