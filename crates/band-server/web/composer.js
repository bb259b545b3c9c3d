// The message box: completes mentions, says who a message goes to, sends.

import { avatar } from "./avatar.js";
import { h, icon } from "./dom.js";
import { complete, labelOf, queryAt, resolve, suggest } from "./mentions.js";

const SUGGESTIONS_MOST = 8;
const IDLE_HINT = "Enter sends, Shift+Enter makes a new line, @ mentions";
const LIST_HINT = "Up and down choose, Enter completes, Escape closes";

export class Composer {
  #store;
  #live;
  #form = document.getElementById("composer");
  #input = document.getElementById("composer-input");
  #mirror = document.getElementById("composer-mirror");
  #list = document.getElementById("suggestions");
  #hint = document.getElementById("composer-hint");
  #button = document.getElementById("composer-send");
  #drafts = new Map();
  #room = null;
  #suggested = [];
  #active = 0;
  #query = null;
  #dismissed = -1;
  #busy = false;
  #problem = "";

  constructor({ store, live }) {
    this.#store = store;
    this.#live = live;
    this.#button.append(icon("send"));
    this.#input.addEventListener("input", () => this.#edited());
    this.#input.addEventListener("keydown", (event) => this.#key(event));
    this.#input.addEventListener("keyup", (event) => MOVES.has(event.key) && this.#suggest());
    this.#input.addEventListener("click", () => this.#suggest());
    this.#input.addEventListener("blur", () => this.#closeList());
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#send();
    });
    store.on(["selection", "timeline", "participants"], () => this.#render());
  }

  // After what is due to be drawn. Not where it would bring up a keyboard over half of the screen.
  focus() {
    if (window.matchMedia("(pointer: fine)").matches) setTimeout(() => this.#input.focus());
  }

  #render() {
    const { openId } = this.#store;
    const usable = openId !== null && !["gone", "failed"].includes(this.#store.view().status);
    this.#form.parentElement.parentElement.hidden = !usable;
    if (openId !== this.#room) this.#switchRoom(openId);
    const target = usable ? (this.#others().length === 1 ? labelOf(this.#others()[0]) : "the room") : "";
    this.#input.placeholder = target ? `Message ${target}` : "";
    this.#drawHint();
  }

  #switchRoom(id) {
    if (this.#room !== null) this.#drafts.set(this.#room, this.#input.value);
    this.#room = id;
    this.#problem = "";
    this.#setText(this.#drafts.get(id) ?? "");
  }

  #setText(text, caret = text.length) {
    this.#input.value = text;
    this.#input.setSelectionRange(caret, caret);
    this.#dismissed = -1;
    this.#closeList();
    this.#grow();
    this.#drawHint();
  }

  // The box is as high as its text: the mirror behind it holds the same lines.
  #grow() {
    this.#mirror.textContent = `${this.#input.value}\n`;
  }

  #others() {
    return this.#store.view().participants.filter((who) => who.id !== this.#store.session.me?.id);
  }

  // Who the text would go to. In a room with one other participant nobody needs to be named.
  #addressed() {
    const others = this.#others();
    const { content, mentioned } = resolve(this.#input.value, others);
    const recipients = mentioned.length === 0 && others.length === 1 ? others : mentioned;
    return { content: content.trim(), recipients };
  }

  #drawHint() {
    const { recipients } = this.#addressed();
    const blank = this.#input.value.trim() === "";
    const text = this.#problem || (this.#list.hidden ? hintOf(blank, recipients) : LIST_HINT);
    this.#button.disabled = this.#busy || blank;
    this.#hint.classList.toggle("problem", this.#problem !== "");
    if (this.#hint.textContent !== text) this.#hint.textContent = text;
  }

  #edited() {
    this.#problem = "";
    this.#grow();
    this.#drawHint();
    this.#suggest();
  }

  async #send() {
    const room = this.#store.openId;
    const { content, recipients } = this.#addressed();
    if (this.#busy || room === null || content === "") return;
    if (recipients.length === 0) {
      this.#problem =
        this.#others().length === 0
          ? "Nobody else is in this room. Add an agent first."
          : "Mention someone with @ so that it reaches them.";
      this.#drawHint();
      return;
    }
    this.#setBusy(true);
    try {
      await this.#live.send(room, content, recipients);
      this.#drafts.delete(room);
      if (this.#room === room) this.#setText("");
    } catch (error) {
      this.#problem = `Not sent. ${error.text ?? error.message}`;
    } finally {
      this.#setBusy(false);
    }
  }

  #setBusy(busy) {
    this.#busy = busy;
    this.#input.readOnly = busy;
    this.#form.classList.toggle("busy", busy);
    this.#drawHint();
  }

  #key(event) {
    if (event.isComposing) return;
    if (!this.#list.hidden && this.#listKey(event)) {
      event.preventDefault();
      event.stopPropagation();
      return;
    }
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      this.#send();
    }
  }

  // Whether the open list has taken the key.
  #listKey({ key, shiftKey }) {
    const count = this.#suggested.length;
    if (key === "ArrowDown") this.#activate((this.#active + 1) % count);
    else if (key === "ArrowUp") this.#activate((this.#active + count - 1) % count);
    else if (key === "Tab" && !shiftKey) this.#choose(this.#active);
    else if (key === "Enter" && !shiftKey) this.#choose(this.#active);
    else if (key === "Escape") {
      this.#dismissed = this.#query?.start ?? -1;
      this.#closeList();
    } else return false;
    return true;
  }

  // Mentions

  #suggest() {
    const { selectionStart, selectionEnd, value } = this.#input;
    const query = selectionStart === selectionEnd ? queryAt(value, selectionStart) : null;
    if (!query || query.start !== this.#dismissed) this.#dismissed = -1;
    const found =
      query && this.#dismissed < 0 ? suggest(this.#others(), query.query).slice(0, SUGGESTIONS_MOST) : [];
    if (found.length === 0 || isComplete(found, query)) return this.#closeList();
    this.#query = query;
    this.#suggested = found;
    this.#list.replaceChildren(...found.map((who, index) => this.#option(who, index)));
    this.#list.hidden = false;
    this.#drawHint();
    this.#activate(0);
  }

  #option(who, index) {
    const on = {
      pointerdown: (event) => event.preventDefault(),
      click: () => this.#choose(index),
      pointermove: () => this.#active !== index && this.#activate(index),
    };
    return h(
      "div",
      {
        class: "suggestion",
        role: "option",
        id: `suggestion-${index}`,
        "aria-selected": "false",
        dataset: { testid: "suggestion", id: who.id },
        on,
      },
      avatar({ id: who.id, name: who.name, isAgent: who.type === "Agent", small: true }),
      h("span", { class: "suggestion-name" }, labelOf(who)),
      h("span", { class: "suggestion-handle" }, who.handle ? `@${who.handle}` : ""),
    );
  }

  #activate(index) {
    this.#active = index;
    [...this.#list.children].forEach((option, at) =>
      option.setAttribute("aria-selected", String(at === index)),
    );
    const option = this.#list.children[index];
    option?.scrollIntoView({ block: "nearest" });
    this.#input.setAttribute("aria-activedescendant", option?.id ?? "");
  }

  #choose(index) {
    const who = this.#suggested[index];
    if (!who) return;
    const { text, caret } = complete(
      this.#input.value,
      this.#input.selectionStart,
      this.#query,
      who,
      this.#others(),
    );
    this.#setText(text, caret);
    this.#input.focus();
  }

  #closeList() {
    const wasOpen = !this.#list.hidden;
    this.#list.hidden = true;
    if (wasOpen) this.#drawHint();
    this.#suggested = [];
    this.#input.removeAttribute("aria-activedescendant");
  }
}

const MOVES = new Set(["ArrowLeft", "ArrowRight", "Home", "End"]);

// Nothing is left to complete: Enter then sends.
function isComplete(found, { query }) {
  return (
    found.length === 1 &&
    query !== "" &&
    [found[0].handle, found[0].handle?.split("/").pop()].includes(query.toLowerCase())
  );
}

function hintOf(blank, recipients) {
  if (blank) return IDLE_HINT;
  return recipients.length > 0
    ? `To ${joined(recipients.map(labelOf))}`
    : "Mention someone with @ so that it reaches them";
}

function joined(names) {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
