// Who is in the open room, and who of them is at work right now.

import { avatar } from "./avatar.js";
import { fill, h, icon, reconcile } from "./dom.js";

export class People {
  #store;
  #list = document.getElementById("participant-list");
  #button = document.getElementById("open-people");
  #working = document.getElementById("working");
  #count = h("span", {});

  constructor({ store }) {
    this.#store = store;
    this.#button.append(icon("people"), this.#count);
    document.getElementById("close-people").append(icon("close"));
    document.getElementById("add-agent").prepend(icon("plus"));
    store.on(["participants", "working", "selection"], () => this.#render());
  }

  #render() {
    const view = this.#store.view();
    const inRoom = this.#store.openId !== null && view.status !== "gone";
    this.#button.hidden = !inRoom;
    document.getElementById("people-panel").classList.toggle("unavailable", !inRoom);
    this.#count.textContent = String(view.participants.length || "");
    this.#button.setAttribute("aria-label", `In this room: ${view.participants.length}`);
    reconcile(
      this.#list,
      view.participants,
      (who) => who.id,
      makePerson,
      (row, who) => this.#update(row, who, view),
    );
    this.#drawWorking(view);
  }

  #update(row, who, view) {
    const working = view.working.has(who.id);
    const isAgent = who.type === "Agent";
    const me = who.id === this.#store.session.me?.id;
    const state = working
      ? "working"
      : isAgent && who.online === true
        ? "online"
        : isAgent && who.online === false
          ? "offline"
          : "";
    const drawn = [who.name, who.handle, state, me].join("\n");
    if (row.dataset.drawn === drawn) return;
    row.dataset.drawn = drawn;
    row.dataset.state = state;
    const handle = who.handle ? `@${who.handle}` : "";
    fill(
      row,
      avatar({ id: who.id, name: who.name, isAgent }),
      state && h("span", { class: `presence ${state}`, title: PRESENCE[state] }),
      h("span", { class: "name" }, me && who.name !== "You" ? `${who.name} (you)` : (who.name ?? "Unknown")),
      h(
        "span",
        { class: "handle" },
        working ? "Working" : handle,
        state && !working && h("span", { class: "visually-hidden" }, `, ${PRESENCE[state].toLowerCase()}`),
      ),
    );
  }

  // The line has its height whether anyone works or not: nothing jumps.
  #drawWorking(view) {
    const names = [...view.working].map((id) => this.#store.nameOf(this.#store.openId, id)).sort();
    const text = sentence(names);
    if (this.#working.dataset.text === text) return;
    this.#working.dataset.text = text;
    const dots = h("span", { class: "dots", "aria-hidden": "true" }, h("i"), h("i"), h("i"));
    this.#working.replaceChildren(...(text ? [dots, h("span", {}, text)] : []));
  }
}

const PRESENCE = { working: "Working", online: "Online", offline: "Offline" };

const makePerson = (who) => h("li", { class: "member", dataset: { testid: "participant", id: who.id } });

function sentence(names) {
  if (names.length === 0) return "";
  if (names.length === 1) return `${names[0]} is working`;
  if (names.length === 2) return `${names[0]} and ${names[1]} are working`;
  return `${names[0]}, ${names[1]} and ${names.length - 2} more are working`;
}
