// The one dialog of the page, and what it can hold: a new room, an agent to add, an agent to register.

import { ApiError } from "./api.js";
import { avatar } from "./avatar.js";
import { announce, fill, h, icon } from "./dom.js";
import { shellLines } from "./shell_lines.js";

export class Dialogs {
  #store;
  #live;
  #api;
  #onRoom;
  #dialog = document.getElementById("dialog");
  #mayClose = true;

  // `onRoom(id)` opens a room that was just made.
  constructor({ store, live, api, onRoom }) {
    this.#store = store;
    this.#live = live;
    this.#api = api;
    this.#onRoom = onRoom;
    this.#dialog.addEventListener("cancel", (event) => {
      if (!this.#mayClose) event.preventDefault();
    });
    this.#dialog.addEventListener("click", (event) => {
      if (event.target === this.#dialog && this.#mayClose) this.close();
    });
    this.#dialog.addEventListener("close", () => {
      this.#dialog.replaceChildren();
      this.#dialog.classList.remove("wide");
    });
  }

  close() {
    this.#mayClose = true;
    this.#dialog.close();
  }

  #show(title, ...content) {
    const close = h(
      "button",
      { type: "button", class: "icon-button", "aria-label": "Close", on: { click: () => this.close() } },
      icon("close"),
    );
    const head = h(
      "header",
      { class: "dialog-head" },
      h("h2", { id: "dialog-title" }, title),
      this.#mayClose && close,
    );
    fill(this.#dialog, head, ...content);
    if (!this.#dialog.open) this.#dialog.showModal();
    this.#dialog.querySelector("[data-first]")?.focus();
  }

  newRoom() {
    const title = field({
      name: "title",
      label: "Name",
      note: "Can be left empty.",
      maxlength: 120,
      testid: "room-title-input",
    });
    const submit = async () => {
      const room = await this.#live.createRoom(title.input.value.trim());
      this.close();
      this.#onRoom(room.id);
    };
    this.#show(
      "New room",
      form({ fields: [title], submitLabel: "Create room", submit, cancel: () => this.close() }),
    );
  }

  // Adding an agent to the open room

  async addAgent() {
    const room = this.#store.openId;
    if (room === null) return;
    const list = h(
      "ul",
      { class: "pick-list", dataset: { testid: "agents-to-add" } },
      h("li", { class: "faint" }, "Reading your agents…"),
    );
    const register = h(
      "button",
      {
        type: "button",
        class: "quiet-button",
        dataset: { testid: "register-from-add" },
        on: { click: () => this.registerAgent() },
      },
      icon("plus"),
      "Register a new agent",
    );
    const done = h(
      "button",
      { type: "button", class: "button", "data-first": true, on: { click: () => this.close() } },
      "Done",
    );
    this.#show("Add an agent", list, h("footer", { class: "dialog-foot" }, register, done));
    try {
      const { data } = await this.#api.agentsToAdd(room);
      list.replaceChildren(
        ...(data.length > 0
          ? data.map((agent) => this.#pick(room, agent))
          : [h("li", { class: "faint" }, "All the agents you can reach are here already.")]),
      );
    } catch (error) {
      list.replaceChildren(h("li", { class: "form-problem", role: "alert" }, error.text ?? error.message));
    }
  }

  #pick(room, agent) {
    const button = h(
      "button",
      {
        type: "button",
        class: "button small",
        "aria-label": `Add ${agent.name}`,
        dataset: { testid: "add-this-agent", id: agent.id },
      },
      "Add",
    );
    const problem = h("p", { class: "form-problem", role: "alert", hidden: true });
    button.addEventListener("click", async () => {
      button.disabled = true;
      try {
        await this.#live.addAgent(room, agent);
        button.textContent = "Added";
        announce(`${agent.name} is in the room`);
      } catch (error) {
        button.disabled = false;
        problem.hidden = false;
        problem.textContent = error.text ?? error.message;
      }
    });
    return h(
      "li",
      { class: "pick" },
      avatar({ id: agent.id, name: agent.name, isAgent: true }),
      h(
        "div",
        { class: "pick-text" },
        h("p", { class: "name" }, agent.name),
        h("p", { class: "handle" }, `@${agent.handle}`),
        agent.description && h("p", { class: "pick-note" }, agent.description),
        problem,
      ),
      button,
    );
  }

  // Registering

  registerAgent() {
    const room = this.#store.openId ? this.#store.room(this.#store.openId) : null;
    const name = field({
      name: "name",
      label: "Name",
      required: true,
      minlength: 3,
      maxlength: 100,
      testid: "agent-name",
    });
    const description = field({
      name: "description",
      label: "What it does",
      note: "Other agents and people choose by this. 10 to 500 characters.",
      required: true,
      minlength: 10,
      maxlength: 500,
      rows: 3,
      testid: "agent-description",
    });
    const join =
      room &&
      h(
        "label",
        { class: "check" },
        h("input", { type: "checkbox", checked: true, id: "agent-join" }),
        `Add it to “${room.title ?? "this room"}”`,
      );
    const submit = async () => {
      const issued = await this.#api.registerAgent(name.input.value.trim(), description.input.value.trim());
      const wanted = join?.querySelector("input").checked ?? false;
      const problem = wanted ? await this.#addNew(room.id, issued.agent) : "";
      this.#showKey(issued, problem);
    };
    this.#show(
      "Register an agent",
      form({
        fields: [name, description],
        extra: join,
        submitLabel: "Register",
        submit,
        cancel: () => this.close(),
      }),
    );
  }

  #addNew(room, agent) {
    return this.#live.addAgent(room, { id: agent.id, name: agent.name, type: "Agent" }).then(
      () => {
        this.#live.refreshParticipants(room);
        return "";
      },
      (error) => `It is registered, but could not be added to the room. ${error.text ?? error.message}`,
    );
  }

  // The key is shown this once: the dialog closes by its button alone.
  #showKey({ agent, credentials }, problem) {
    this.#mayClose = false;
    this.#dialog.classList.add("wide");
    const lines = shellLines({ id: agent.id, key: credentials.api_key, origin: window.location.origin });
    const code = h("code", { dataset: { testid: "credentials" } }, lines);
    const copy = h(
      "button",
      { type: "button", class: "button", "data-first": true, dataset: { testid: "copy-credentials" } },
      "Copy",
    );
    copy.addEventListener("click", async () => {
      copy.textContent = (await copyText(lines, code)) ? "Copied" : "Selected: press Ctrl+C";
      announce(copy.textContent);
    });
    const done = h(
      "button",
      {
        type: "button",
        class: "button plain",
        dataset: { testid: "credentials-done" },
        on: { click: () => this.close() },
      },
      "I have saved it",
    );
    this.#show(
      `${agent.name} is registered`,
      h(
        "p",
        { class: "key-note" },
        icon("key"),
        "The key is shown only now. Paste these lines into a shell to start an agent that echoes.",
      ),
      h("pre", { class: "credentials", tabindex: "0" }, code),
      problem && h("p", { class: "form-problem", role: "alert" }, problem),
      h("footer", { class: "dialog-foot" }, done, copy),
    );
  }
}

async function copyText(text, element) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const range = document.createRange();
    range.selectNodeContents(element);
    const selection = window.getSelection();
    selection.removeAllRanges();
    selection.addRange(range);
    return false;
  }
}

function field({ name, label, note, rows, testid, ...rest }) {
  const id = `field-${name}`;
  const attributes = {
    id,
    name,
    "aria-describedby": `${id}-note ${id}-problem`,
    dataset: { testid },
    autocomplete: "off",
    ...rest,
  };
  const input = rows ? h("textarea", { rows, ...attributes }) : h("input", { type: "text", ...attributes });
  const problem = h("p", { class: "form-problem", id: `${id}-problem`, hidden: true });
  const element = h(
    "div",
    { class: "field" },
    h("label", { for: id }, label),
    input,
    note && h("p", { class: "field-note", id: `${id}-note` }, note),
    problem,
  );
  return { name, label, element, input, problem };
}

function form({ fields, extra, submitLabel, submit, cancel }) {
  fields[0].input.setAttribute("data-first", "");
  const problem = h("p", { class: "form-problem", role: "alert", hidden: true });
  const button = h(
    "button",
    { type: "submit", class: "button", dataset: { testid: "dialog-submit" } },
    submitLabel,
  );
  const back = h("button", { type: "button", class: "button plain", on: { click: cancel } }, "Cancel");
  const element = h(
    "form",
    { class: "form" },
    fields.map(({ element: row }) => row),
    extra,
    problem,
    h("footer", { class: "dialog-foot" }, back, button),
  );
  element.addEventListener("submit", async (event) => {
    event.preventDefault();
    button.disabled = true;
    showProblems(fields, problem, null);
    await submit().catch((error) => showProblems(fields, problem, error));
    button.disabled = false;
  });
  return element;
}

// A refusal goes to the fields that it names, and to the form where it names none.
function showProblems(fields, formProblem, error) {
  const details = error instanceof ApiError ? Object.entries(error.details) : [];
  let placed = false;
  for (const { name, label, input, problem } of fields) {
    const texts = details
      .filter(([path]) => path.split("/").pop() === name)
      .flatMap(([, messages]) => messages);
    problem.hidden = texts.length === 0;
    problem.textContent = texts.length > 0 ? `${label} ${texts.join(", ")}.` : "";
    if (texts.length > 0) {
      input.setAttribute("aria-invalid", "true");
      if (!placed) input.focus();
      placed = true;
    } else input.removeAttribute("aria-invalid");
  }
  formProblem.hidden = !error || placed;
  formProblem.textContent = error && !placed ? (error.text ?? error.message) : "";
}
