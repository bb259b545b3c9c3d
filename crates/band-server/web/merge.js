// One timeline out of pages and pushes: in order, each message once, the newest state of each.

import { compareStamps, later } from "./stamps.js";

export function compareMessages(a, b) {
  const byTime = compareStamps(a.inserted_at, b.inserted_at);
  if (byTime !== 0) return byTime;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

// The last point in time that a message tells of: its update, or a step of its delivery. A page read before
// a push but answered after it must not set the message back.
export function freshness(message) {
  let newest = message.updated_at ?? message.inserted_at ?? "";
  for (const record of Object.values(message.metadata?.delivery_status ?? {})) {
    newest = later(newest, record?.delivered_at);
    newest = later(newest, record?.processed_at);
    for (const attempt of record?.attempts ?? []) {
      newest = later(newest, attempt?.started_at);
      newest = later(newest, attempt?.completed_at);
    }
  }
  return newest;
}

// Puts one message into the list and gives a list back: the same one when nothing changed.
export function upsert(list, message) {
  const at = list.findIndex((known) => known.id === message.id);
  if (at >= 0) {
    if (compareStamps(freshness(list[at]), freshness(message)) > 0) return list;
    const copy = list.slice();
    copy[at] = message;
    return copy;
  }
  let place = list.length;
  while (place > 0 && compareMessages(list[place - 1], message) > 0) place -= 1;
  return [...list.slice(0, place), message, ...list.slice(place)];
}

export function merge(list, messages) {
  return messages.reduce(upsert, list);
}

export function remove(list, id) {
  return list.some((message) => message.id === id) ? list.filter((message) => message.id !== id) : list;
}
