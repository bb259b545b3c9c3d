// Side panels that lie over the room on narrower screens. Escape and the scrim close them, and the focus goes
// back to the button that opened them.

export class Drawer {
  #panel;
  #button;
  #scrim = document.getElementById("scrim");
  #wide;

  // `wide`: the media query under which the panel is simply part of the page.
  constructor({ panel, button, wide }) {
    this.#panel = document.getElementById(panel);
    this.#button = document.getElementById(button);
    this.#wide = window.matchMedia(wide);
    this.#button.addEventListener("click", () => (this.isOpen ? this.close() : this.open()));
    this.#scrim.addEventListener("click", () => this.isOpen && this.close());
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.isOpen) this.close();
    });
    this.#wide.addEventListener("change", () => this.#settle());
    this.#settle();
  }

  get isOpen() {
    return this.#panel.classList.contains("open");
  }

  open() {
    if (this.#wide.matches) return;
    this.#panel.classList.add("open");
    this.#panel.inert = false;
    this.#scrim.hidden = false;
    this.#button.setAttribute("aria-expanded", "true");
    this.#rest(true);
    this.#panel.querySelector("[aria-current], a, button")?.focus();
  }

  close(refocus = true) {
    if (!this.isOpen) return;
    this.#settle();
    if (refocus) this.#button.focus();
  }

  #settle() {
    this.#panel.classList.remove("open");
    this.#panel.inert = !this.#wide.matches;
    this.#scrim.hidden = true;
    this.#button.setAttribute("aria-expanded", "false");
    this.#rest(false);
  }

  #rest(inert) {
    document.getElementById("room").inert = inert;
  }
}
