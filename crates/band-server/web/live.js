// Keeps the store true: topics of the socket for what happens, the Human API for what was.
//
// A room's topic is joined first and its messages are read afterwards, so that nothing falls between; what
// comes both ways is put together by id.

import { ApiError } from "./api.js";

const ROOM_TOPICS_MOST = 200;
const CATCH_UP_PAGES = 20;
const TIMELINE_PAGE = 50;

export class Live {
  #api;
  #store;
  #socket;
  #onMessage;

  // `onMessage(roomId, message)` hears of every new message that arrives by push.
  constructor({ api, store, socket, onMessage = () => {} }) {
    this.#api = api;
    this.#store = store;
    this.#socket = socket;
    this.#onMessage = onMessage;
  }

  start(userId) {
    this.#socket.join(`user_rooms:${userId}`, {
      joined: () => this.loadRooms(),
      event: (name, payload) => this.#roomsChanged(name, payload),
    });
    this.#socket.open();
  }

  // Rooms

  async loadRooms() {
    const { status } = this.#store.rooms;
    if (status !== "ready") this.#store.setRooms({ status: "loading", error: null });
    try {
      const page = await this.#api.rooms();
      this.#store.setRooms({
        status: "ready",
        list: page.data,
        cursor: page.metadata?.next_cursor ?? null,
        error: null,
      });
      this.#watchRooms();
    } catch (error) {
      if (status !== "ready") this.#store.setRooms({ status: "failed", error });
    }
  }

  async loadMoreRooms() {
    const { cursor, list } = this.#store.rooms;
    if (!cursor) return;
    const page = await this.#api.rooms(cursor);
    const known = new Set(page.data.map((room) => room.id));
    const rest = list.filter((room) => !known.has(room.id));
    this.#store.setRooms({ list: [...rest, ...page.data], cursor: page.metadata?.next_cursor ?? null });
    this.#watchRooms();
  }

  async createRoom(title) {
    const room = await this.#api.createRoom(title);
    this.#store.putRoom(room);
    this.#watchRooms();
    return room;
  }

  #watchRooms() {
    for (const room of this.#store.rooms.list.slice(0, ROOM_TOPICS_MOST)) this.#watch(room.id);
  }

  #watch(id) {
    this.#socket.join(`chat_room:${id}`, {
      joined: () => {
        if (id === this.#store.openId) this.#readTimeline(id);
        else if (this.#store.isCached(id)) this.#store.patchView(id, { status: "stale" });
      },
      refused: () => this.#refused(id),
      event: (name, payload) => this.#timelineChanged(id, name, payload),
    });
  }

  async #roomsChanged(name, payload) {
    if (name === "room_removed") return this.#gone(payload.id);
    if (name !== "room_added" && name !== "room_updated") return;
    const room = await this.#api.room(payload.id).catch(() => null);
    if (!room) return;
    this.#store.putRoom(room);
    this.#watchRooms();
  }

  #gone(id) {
    for (const topic of [`chat_room:${id}`, `room_participants:${id}`, `room_activity:${id}`])
      this.#socket.leave(topic);
    this.#store.dropRoom(id);
  }

  #refused(id) {
    if (id === this.#store.openId) this.#store.patchView(id, { status: "gone" });
  }

  // The open room

  open(id) {
    const before = this.#store.openId;
    if (before !== null && before !== id) {
      this.#socket.leave(`room_participants:${before}`);
      this.#socket.leave(`room_activity:${before}`);
    }
    this.#store.select(id);
    if (id === null) return;
    this.#watch(id);
    this.#socket.join(`room_participants:${id}`, {
      joined: () => this.refreshParticipants(id),
      event: (name, payload) => this.#participantsChanged(id, name, payload),
    });
    this.#socket.join(`room_activity:${id}`, {
      joined: (response) => this.#store.setAllWorking(id, workingAgents(response)),
      event: (_, payload) => this.#activityChanged(id, payload),
    });
    const { status } = this.#store.view(id);
    if (before !== id && status !== "ready") this.#readTimeline(id);
  }

  // Brings the timeline up to date: from the newest message known, or from scratch. The newest page is read
  // again even then, since deliveries may have moved on while nobody listened.
  async #readTimeline(id) {
    const view = this.#store.view(id);
    if (view.messages.length === 0) this.#store.patchView(id, { status: "loading", error: null });
    try {
      const newest = view.messages.at(-1);
      const joinsUp = newest ? await this.#catchUp(id, newest.id) : false;
      const page = await this.#api.messages(id, { limit: TIMELINE_PAGE });
      const fields = joinsUp ? {} : { messages: [], hasOlder: Boolean(page.metadata?.has_more) };
      this.#store.patchView(id, { status: "ready", error: null, ...fields });
      this.#store.receive(id, page.data);
    } catch (error) {
      this.#timelineFailed(id, error);
    }
  }

  // Whether the end was reached; after a very long absence the timeline begins anew.
  async #catchUp(id, from) {
    let after = from;
    for (let page = 0; page < CATCH_UP_PAGES; page += 1) {
      const { data, metadata } = await this.#api.messages(id, { after, limit: 100 });
      this.#store.receive(id, data);
      if (!metadata?.has_more || data.length === 0) return true;
      after = data.at(-1).id;
    }
    return false;
  }

  #timelineFailed(id, error) {
    if (error instanceof ApiError && error.status === 404) this.#store.patchView(id, { status: "gone" });
    else if (this.#store.view(id).messages.length === 0)
      this.#store.patchView(id, { status: "failed", error });
    else this.#store.patchView(id, { status: "stale" });
  }

  retryTimeline() {
    const { openId } = this.#store;
    return openId === null ? Promise.resolve() : this.#readTimeline(openId);
  }

  async loadOlder() {
    const id = this.#store.openId;
    const view = this.#store.view(id);
    const oldest = view.messages[0];
    if (id === null || !oldest || !view.hasOlder || view.older === "loading") return;
    this.#store.patchView(id, { older: "loading" });
    try {
      const page = await this.#api.messages(id, { before: oldest.id, limit: TIMELINE_PAGE });
      this.#store.receive(id, page.data);
      this.#store.patchView(id, { older: "idle", hasOlder: Boolean(page.metadata?.has_more) });
    } catch {
      this.#store.patchView(id, { older: "failed" });
    }
  }

  // The answer carries no message: the push does. Without a socket it is read.
  async send(id, content, mentioned) {
    await this.#api.send(id, content, mentioned);
    if (this.#store.connection.phase !== "open") await this.#readTimeline(id);
  }

  async refreshParticipants(id = this.#store.openId) {
    if (id === null) return;
    const participants = await this.#api.participants(id).catch(() => null);
    if (participants) this.#store.setParticipants(id, participants);
  }

  async addAgent(room, agent) {
    const added = await this.#api.addParticipant(room, agent.id);
    this.#store.putParticipant(room, { ...agent, ...added });
  }

  #timelineChanged(id, name, payload) {
    if (name === "message_deleted") return this.#store.forget(id, payload.id);
    if (!["message_created", "message_updated", "event_created"].includes(name) || !payload.id) return;
    const isNews = !this.#store.knows(id, payload.id);
    this.#store.receive(id, [payload]);
    if (isNews && name === "message_created") this.#onMessage(id, payload);
  }

  #participantsChanged(id, name, payload) {
    if (name === "participant_added") this.#store.putParticipant(id, payload);
    else if (name === "participant_removed") this.#store.dropParticipant(id, payload.id);
    else if (name === "agent_connected") this.#store.putParticipant(id, { id: payload.id, online: true });
    else if (name === "agent_disconnected") this.#store.putParticipant(id, { id: payload.id, online: false });
    else if (name === "room_deleted") this.#gone(id);
  }

  #activityChanged(id, payload) {
    if (!payload.agent_id) return;
    this.#store.setWorking(id, payload.agent_id, payload.working === true);
  }
}

function workingAgents(response) {
  const entries = Array.isArray(response.working_agents) ? response.working_agents : [];
  return entries
    .filter((entry) => entry?.working !== false && entry?.agent_id)
    .map((entry) => entry.agent_id);
}
