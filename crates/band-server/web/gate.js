// What is shown to someone who is not signed in: what is going on, and how to get in.

import { h } from "./dom.js";

export class Gate {
  #store;
  #retry;
  #gate = document.getElementById("gate");
  #app = document.getElementById("app");
  #text = document.getElementById("gate-text");

  constructor({ store, retry }) {
    this.#store = store;
    this.#retry = retry;
    store.on(["session"], () => this.#render());
  }

  #render() {
    const { session } = this.#store;
    const inside = session.phase === "ready";
    this.#gate.hidden = inside;
    this.#app.hidden = !inside;
    if (inside) return;
    this.#gate.dataset.state = session.phase === "signed-out" ? session.problem || "no-link" : "signing-in";
    this.#text.replaceChildren(...this.#content(session));
  }

  #content({ phase, problem, detail }) {
    if (phase !== "signed-out") return [h("p", {}, "Signing in…")];
    const again = h("button", { type: "button", class: "button", on: { click: this.#retry } }, "Try again");
    switch (problem) {
      case "link":
        return [
          h("p", {}, "This sign-in link was used before, or is too old."),
          ...howTo("Print a new one in the terminal:"),
        ];
      case "offline":
        return [h("p", {}, "The platform can't be reached. Is it still running?"), again];
      case "refused":
        return [
          h("p", {}, "The platform refused to sign you in."),
          h("p", { class: "faint" }, detail),
          again,
        ];
      case "ended":
        return [
          h("p", {}, "You are signed out."),
          ...howTo("To come back, print a sign-in link in the terminal:"),
        ];
      default:
        return [
          h("p", {}, "Open the link that the terminal printed when Band started."),
          ...howTo("No link at hand? Print a new one:"),
        ];
    }
  }
}

function howTo(lead) {
  return [
    h("p", {}, lead),
    h("pre", {}, h("code", {}, "band user link")),
    h(
      "p",
      { class: "faint" },
      "Or stop ",
      h("code", {}, "band up"),
      " and start it again: it prints one each time.",
    ),
  ];
}
