// What the page knows. Changes go through these methods; whoever shows a part of it listens to that part.

import { merge, remove, upsert } from "./merge.js";
import { compareStamps, later } from "./stamps.js";

export const PARTS = ["session", "connection", "rooms", "selection", "timeline", "participants", "working"];

const emptyView = () => ({
  messages: [],
  status: "new",
  error: null,
  hasOlder: false,
  older: "idle",
  participants: [],
  working: new Set(),
});

export class Store {
  session = { phase: "starting", me: null, problem: "" };
  connection = { phase: "connecting", attempt: 0 };
  rooms = { status: "loading", list: [], cursor: null, error: null };
  openId = null;
  #views = new Map();
  #unread = new Map();
  #listeners = new Map(PARTS.map((part) => [part, new Set()]));
  #changed = new Set();

  // Calls `listener` after changes of any of the parts, once for all changes of one task.
  on(parts, listener) {
    for (const part of parts) this.#listeners.get(part).add(listener);
  }

  #touch(part) {
    if (this.#changed.size === 0) queueMicrotask(() => this.#notify());
    this.#changed.add(part);
  }

  #notify() {
    const due = new Set();
    for (const part of this.#changed) for (const listener of this.#listeners.get(part)) due.add(listener);
    this.#changed.clear();
    for (const listener of due) listener(this);
  }

  setSession(phase, fields = {}) {
    this.session = { ...this.session, problem: "", ...fields, phase };
    this.#touch("session");
  }

  setConnection(phase, attempt) {
    this.connection = { phase, attempt };
    this.#touch("connection");
  }

  // Rooms

  setRooms(fields) {
    this.rooms = { ...this.rooms, ...fields, list: byActivity(fields.list ?? this.rooms.list) };
    this.#touch("rooms");
  }

  room(id) {
    return this.rooms.list.find((room) => room.id === id) ?? null;
  }

  putRoom(room) {
    const known = this.room(room.id);
    const list = this.rooms.list.filter((other) => other.id !== room.id);
    this.setRooms({ list: [...list, { ...known, ...room }] });
  }

  dropRoom(id) {
    this.#unread.delete(id);
    this.setRooms({ list: this.rooms.list.filter((room) => room.id !== id) });
    if (this.#views.has(id)) this.patchView(id, { status: "gone" });
  }

  select(id) {
    this.openId = id;
    if (id !== null) this.#unread.delete(id);
    for (const part of ["selection", "rooms", "timeline", "participants", "working"]) this.#touch(part);
  }

  // Messages since the room was last open.
  unread(id) {
    return this.#unread.get(id) ?? 0;
  }

  markSeen(id) {
    if (this.#unread.delete(id)) this.#touch("rooms");
  }

  markUnread(id) {
    this.#unread.set(id, this.unread(id) + 1);
    this.#touch("rooms");
  }

  totalUnread() {
    return this.rooms.list.reduce((sum, room) => sum + this.unread(room.id), 0);
  }

  // The room that is open, and its content

  view(id = this.openId) {
    if (id === null) return emptyView();
    if (!this.#views.has(id)) this.#views.set(id, emptyView());
    return this.#views.get(id);
  }

  isCached(id) {
    return this.#views.has(id);
  }

  patchView(id, fields) {
    this.#views.set(id, { ...this.view(id), ...fields });
    if (id === this.openId) this.#touch("timeline");
  }

  // Messages of a page or a push. Also moves the room up in the list.
  receive(id, messages) {
    if (this.#views.has(id)) this.patchView(id, { messages: merge(this.view(id).messages, messages) });
    const room = this.room(id);
    if (room) this.#noteActivity(room, messages);
  }

  #noteActivity(room, messages) {
    const newest = messages.reduce((at, message) => later(at, message.inserted_at), room.last_message_at);
    const texts = messages.filter((message) => message.message_type === "text");
    const known = room.last_message ? [room.last_message] : [];
    const last = texts.reduce(upsert, known).at(-1) ?? null;
    if (newest === room.last_message_at && last === room.last_message) return;
    this.putRoom({ ...room, last_message_at: newest, last_message: last });
  }

  // Lets the oldest messages go; they are read again on the way up.
  trim(id, keep) {
    const view = this.view(id);
    if (view.messages.length > keep)
      this.patchView(id, { messages: view.messages.slice(-keep), hasOlder: true });
  }

  knows(id, message) {
    const known = this.#views.get(id)?.messages ?? [];
    return this.room(id)?.last_message?.id === message || known.some((other) => other.id === message);
  }

  forget(id, message) {
    if (this.#views.has(id)) this.patchView(id, { messages: remove(this.view(id).messages, message) });
  }

  setParticipants(id, participants) {
    this.#patchPeople(id, { participants: [...participants].sort(byRank) });
  }

  putParticipant(id, participant) {
    const known = this.view(id).participants;
    const before = known.find((other) => other.id === participant.id);
    this.setParticipants(id, [
      ...known.filter((other) => other.id !== participant.id),
      { ...before, ...participant },
    ]);
  }

  dropParticipant(id, who) {
    const view = this.view(id);
    this.setParticipants(
      id,
      view.participants.filter((participant) => participant.id !== who),
    );
    this.setWorking(id, who, false);
  }

  setWorking(id, agent, working) {
    const next = new Set(this.view(id).working);
    if (working) next.add(agent);
    else next.delete(agent);
    this.setAllWorking(id, next);
  }

  setAllWorking(id, agents) {
    this.#views.set(id, { ...this.view(id), working: new Set(agents) });
    if (id === this.openId) this.#touch("working");
  }

  #patchPeople(id, fields) {
    this.#views.set(id, { ...this.view(id), ...fields });
    if (id === this.openId) this.#touch("participants");
  }

  // Everything that belongs to one person goes when they sign out.
  clear() {
    this.rooms = { status: "loading", list: [], cursor: null, error: null };
    this.#views.clear();
    this.#unread.clear();
    this.select(null);
  }

  // The name of a participant of a room, from whoever knows it.
  nameOf(roomId, id) {
    if (id === this.session.me?.id) return fullName(this.session.me);
    const view = this.view(roomId);
    const participant = view.participants.find((who) => who.id === id);
    if (participant?.name) return participant.name;
    for (let at = view.messages.length - 1; at >= 0; at -= 1) {
      const message = view.messages[at];
      if (message.sender_id === id && message.sender_name) return message.sender_name;
      const mention = message.metadata?.mentions?.find?.((entry) => entry.id === id);
      if (mention?.name) return mention.name;
    }
    return "someone";
  }
}

export function fullName(user) {
  const name = [user?.first_name, user?.last_name].filter(Boolean).join(" ");
  return name || user?.handle || "You";
}

function byActivity(rooms) {
  const at = (room) => later(room.last_message_at ?? "", room.inserted_at);
  return [...rooms].sort((a, b) => compareStamps(at(b), at(a)) || (a.id < b.id ? -1 : 1));
}

// People before agents, then by name.
function byRank(a, b) {
  if (a.type !== b.type) return a.type === "User" ? -1 : 1;
  return (a.name ?? "").localeCompare(b.name ?? "") || (a.id < b.id ? -1 : 1);
}
