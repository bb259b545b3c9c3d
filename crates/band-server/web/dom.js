// Elements, made without ever parsing HTML: every text becomes a text node.

const SVG = "http://www.w3.org/2000/svg";

// `attributes`: `class`, `dataset`, `on` (listeners), properties as such (`value`, `hidden`, `disabled`,
// `textContent`), everything else as attributes. Null, undefined and false leave one out.
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) set(element, name, value);
  append(element, children);
  return element;
}

const PROPERTIES = new Set(["value", "hidden", "disabled", "checked", "readOnly", "textContent", "tabIndex"]);

function set(element, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (name === "dataset") Object.assign(element.dataset, value);
  else if (name === "on")
    for (const [event, act] of Object.entries(value)) element.addEventListener(event, act);
  else if (PROPERTIES.has(name)) element[name] = value;
  else element.setAttribute(name, value === true ? "" : value);
}

function append(element, children) {
  for (const child of children.flat())
    if (child !== null && child !== undefined && child !== false) element.append(child);
}

// Puts these children in place of whatever is there.
export function fill(element, ...children) {
  element.replaceChildren();
  append(element, children);
}

// An icon drawn as strokes in a box of 20 by 20. It says nothing to a screen reader.
export function icon(name, paths = ICONS[name]) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 20 20");
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("class", `icon icon-${name}`);
  for (const d of paths) {
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("d", d);
    svg.append(path);
  }
  return svg;
}

const ICONS = {
  plus: ["M10 4.5v11M4.5 10h11"],
  close: ["M5.5 5.5l9 9M14.5 5.5l-9 9"],
  menu: ["M3.5 6h13M3.5 10h13M3.5 14h13"],
  people: [
    "M7.5 9.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z",
    "M2.8 15.5c.5-2.4 2.4-3.8 4.7-3.8s4.2 1.4 4.7 3.8",
    "M13 9.6a2.2 2.2 0 1 0-.6-4.3M14.4 12c1.5.4 2.5 1.6 2.9 3.5",
  ],
  send: ["M10 15.5v-11M5.2 9.2L10 4.5l4.8 4.7"],
  down: ["M10 4.5v11M5.2 10.8L10 15.5l4.8-4.7"],
  chevron: ["M7.5 5l5 5-5 5"],
  alert: ["M10 6v5M10 13.8v.2", "M10 2.8l7.6 13.4H2.4z"],
  key: ["M12.8 10.2a3.6 3.6 0 1 0-3-3L3.5 13.5v3h3v-2h2v-2z"],
  tick: ["M4 10.5l3.5 3.5 8-8.5"],
  ticks: ["M2 10.7l3 3 6.4-7.2", "M8.6 13.2l.7.6L16.7 6"],
  ring: ["M10 4a6 6 0 1 1-6 6"],
  leave: [
    "M8.5 4H5.2A1.2 1.2 0 0 0 4 5.200v9.6A1.2 1.2 0 0 0 5.200 16h3.300",
    "M12.500 6.800L15.700 10l-3.200 3.200M15.500 10H8.500",
  ],
};

// Makes the children of `parent` those of `items`, in order, and keeps the elements of items that were there.
// `make(item)` gives an element, `update(element, item)` brings it up to date.
export function reconcile(parent, items, keyOf, make, update = () => {}) {
  const known = new Map();
  for (const child of [...parent.children])
    if (child.dataset.key !== undefined) known.set(child.dataset.key, child);
  let cursor = parent.firstElementChild;
  for (const item of items) {
    const key = keyOf(item);
    let element = known.get(key);
    if (element) known.delete(key);
    else {
      element = make(item);
      element.dataset.key = key;
    }
    update(element, item);
    if (element === cursor) cursor = cursor.nextElementSibling;
    else parent.insertBefore(element, cursor);
  }
  for (const leftover of known.values()) leftover.remove();
}

export function announce(text) {
  const region = document.getElementById("announcer");
  if (region) region.textContent = text;
}
