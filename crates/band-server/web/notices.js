// Short messages over the page, and the line that says that the connection is gone.

import { h, icon } from "./dom.js";

export function notice(text) {
  const close = h("button", { type: "button", class: "icon-button", "aria-label": "Dismiss" }, icon("close"));
  const element = h(
    "div",
    { class: "notice", dataset: { testid: "notice" } },
    icon("alert"),
    h("p", {}, text),
    close,
  );
  close.addEventListener("click", () => element.remove());
  document.getElementById("notices").append(element);
}

// A drop that heals at once is no news: the line comes with the second attempt.
export function connectionBanner({ phase, attempt }) {
  const banner = document.getElementById("connection-banner");
  const lost = phase !== "open" && phase !== "closed" && attempt > 1;
  banner.classList.toggle("shown", lost);
  const text = lost
    ? "The connection is lost. Trying again; what you miss is read as soon as it is back."
    : "";
  if (banner.textContent !== text) banner.textContent = text;
}
