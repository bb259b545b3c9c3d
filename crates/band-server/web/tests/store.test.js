import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError, Api } from "../api.js";
import { roomOfHash } from "../hash.js";
import { Live } from "../live.js";
import { signIn, takeToken } from "../session.js";
import { shellLines } from "../shell_lines.js";
import { Store } from "../store.js";

const message = (id, second, fields = {}) => ({
  id,
  inserted_at: `2026-07-01T10:00:0${second}Z`,
  message_type: "text",
  sender_id: "u",
  content: id,
  ...fields,
});

function withRoom() {
  const store = new Store();
  store.setRooms({
    status: "ready",
    list: [
      { id: "r", inserted_at: "2026-07-01T09:00:00Z", last_message_at: null },
      { id: "s", inserted_at: "2026-07-01T09:30:00Z", last_message_at: null },
    ],
  });
  return store;
}

test("a message moves its room to the top and becomes its preview", () => {
  const store = withRoom();
  assert.deepEqual(
    store.rooms.list.map(({ id }) => id),
    ["s", "r"],
  );
  store.receive("r", [message("m", 1), message("e", 2, { message_type: "thought" })]);
  assert.deepEqual(
    store.rooms.list.map(({ id }) => id),
    ["r", "s"],
  );
  assert.equal(store.room("r").last_message.id, "m");
  assert.equal(store.room("r").last_message_at, "2026-07-01T10:00:02Z");
});

test("listeners hear of the changes of one task once", async () => {
  const store = withRoom();
  let calls = 0;
  store.on(["rooms", "timeline"], () => (calls += 1));
  store.select("r");
  store.receive("r", [message("m", 1)]);
  store.receive("r", [message("n", 2)]);
  await Promise.resolve();
  assert.equal(calls, 1);
});

test("opening a room clears its unread mark", () => {
  const store = withRoom();
  store.markUnread("r");
  store.markUnread("r");
  assert.equal(store.totalUnread(), 2);
  store.select("r");
  assert.equal(store.totalUnread(), 0);
});

test("a long timeline lets its oldest messages go and knows that they are there", () => {
  const store = withRoom();
  store.select("r");
  store.view("r");
  store.receive("r", [message("a", 1), message("b", 2), message("c", 3)]);
  store.trim("r", 2);
  assert.deepEqual(
    store.view("r").messages.map(({ id }) => id),
    ["b", "c"],
  );
  assert.equal(store.view("r").hasOlder, true);
  store.trim("r", 2);
  assert.equal(store.view("r").messages.length, 2);
});

test("who leaves does not stay at work", () => {
  const store = withRoom();
  store.setParticipants("r", [{ id: "a", type: "Agent", name: "A" }]);
  store.setWorking("r", "a", true);
  store.dropParticipant("r", "a");
  assert.equal(store.view("r").working.size, 0);
});

test("a token leaves the address at once", () => {
  const replaced = [];
  const history = { replaceState: (...args) => replaced.push(args[2]) };
  assert.equal(takeToken({ hash: "#token=a%2Bb", pathname: "/", search: "" }, history), "a+b");
  assert.deepEqual(replaced, ["/"]);
  assert.equal(takeToken({ hash: "#/rooms/1", pathname: "/", search: "" }, history), null);
  assert.equal(replaced.length, 1);
});

test("signing in says what went wrong", async () => {
  const refused = (status) => () => Promise.reject(new ApiError(status, null));
  const me = { id: "u" };
  const cases = [
    ["good", { signIn: async () => null, profile: async () => me }, "ready", ""],
    ["used", { signIn: refused(401), profile: refused(401) }, "signed-out", "link"],
    ["used", { signIn: refused(401), profile: async () => me }, "ready", ""],
    [null, { signIn: refused(500), profile: refused(401) }, "signed-out", ""],
    [null, { signIn: refused(500), profile: async () => me }, "ready", ""],
    ["good", { signIn: refused(0), profile: refused(0) }, "signed-out", "offline"],
    ["good", { signIn: refused(403), profile: refused(401) }, "signed-out", "refused"],
  ];
  for (const [token, api, phase, problem] of cases) {
    const store = new Store();
    await signIn({ api, store, token });
    assert.deepEqual(
      [store.session.phase, store.session.problem],
      [phase, problem],
      `${token} ${phase} ${problem}`,
    );
  }
});

test("an error says which field was refused, and why", () => {
  const body = {
    error: {
      code: "validation_error",
      message: "Request validation failed",
      request_id: "r",
      details: { "/agent/description": ["should be at least 10 character(s)"] },
    },
  };
  assert.equal(new ApiError(422, body).text, "description should be at least 10 character(s).");
  assert.equal(new ApiError(403, { error: { code: "forbidden", message: "not yours" } }).text, "not yours.");
  assert.equal(new ApiError(502, null).text, "The platform answered 502.");
});

test("a 401 outside the sign-in is news", async () => {
  let signedOut = 0;
  const fetch = async () => ({
    ok: false,
    status: 401,
    json: async () => ({ error: { code: "unauthorized", message: "no" } }),
  });
  const api = new Api({ fetch, onSignedOut: () => (signedOut += 1) });
  await assert.rejects(api.profile(true), ApiError);
  assert.equal(signedOut, 0);
  await assert.rejects(api.rooms(), ApiError);
  assert.equal(signedOut, 1);
});

test("after a reconnect the timeline is read from the newest message known", async () => {
  const { store, live, topics, calls } = openRoom([message("c", 3), message("b", 2), message("a", 1)]);
  await settled();
  assert.deepEqual(
    store.view("r").messages.map(({ id }) => id),
    ["a", "b", "c"],
  );
  calls.length = 0;
  topics.get("chat_room:r").joined({});
  await settled();
  assert.deepEqual(
    calls.map(({ after }) => after ?? null),
    ["c", null],
  );
  assert.deepEqual(
    store.view("r").messages.map(({ id }) => id),
    ["a", "b", "c"],
  );
  assert.equal(live !== null, true);
});

test("pushes become messages, updates and work", async () => {
  const { store, topics, heard } = openRoom([]);
  await settled();
  topics.get("chat_room:r").event("message_created", message("m", 1));
  topics.get("chat_room:r").event("message_created", message("m", 1));
  topics.get("chat_room:r").event("event_created", message("e", 2, { message_type: "thought" }));
  topics
    .get("chat_room:r")
    .event("message_updated", message("m", 1, { updated_at: "2026-07-01T10:00:09Z", content: "newer" }));
  topics.get("room_activity:r").joined({ working_agents: [{ agent_id: "a", working: true }] });
  topics.get("room_activity:r").event("agent_activity_started", { agent_id: "b", working: true });
  topics.get("room_activity:r").event("agent_activity_stopped", { agent_id: "a", working: false });
  assert.deepEqual(
    store.view("r").messages.map(({ content }) => content),
    ["newer", "e"],
  );
  assert.deepEqual([...store.view("r").working], ["b"]);
  assert.deepEqual(heard, ["m"]);
  topics.get("chat_room:r").event("message_deleted", { id: "m" });
  assert.deepEqual(
    store.view("r").messages.map(({ id }) => id),
    ["e"],
  );
});

test("a room that is gone is said to be gone", async () => {
  const { store, topics } = openRoom([]);
  await settled();
  topics.get("room_participants:r").event("room_deleted", { id: "r" });
  assert.equal(store.view("r").status, "gone");
  assert.equal(store.room("r"), null);
});

test("the lines for a shell are quoted where they need it", () => {
  const lines = shellLines({ id: "i", key: "it's", origin: "https://band.test:1" });
  assert.equal(
    lines,
    "export BAND_AGENT_ID=i\nexport BAND_API_KEY='it'\\''s'\nexport BAND_REST_URL=https://band.test:1\nexport BAND_WS_URL=wss://band.test:1/api/v1/socket/websocket\nband agent run --adapter echo",
  );
});

test("only a room's address names a room", () => {
  assert.equal(
    roomOfHash("#/rooms/0190A8D4-5f3e-7c2a-9b1d-2f3e4a5b6c7d"),
    "0190a8d4-5f3e-7c2a-9b1d-2f3e4a5b6c7d",
  );
  for (const hash of ["", "#", "#/rooms/", "#/rooms/x", "#token=1"]) assert.equal(roomOfHash(hash), null);
});

function openRoom(page) {
  const topics = new Map();
  const calls = [];
  const heard = [];
  const store = withRoom();
  const socket = {
    open() {},
    join: (topic, handlers) => topics.set(topic, handlers),
    leave: (topic) => topics.delete(topic),
  };
  const api = {
    messages: async (_, where) => {
      calls.push(where);
      return { data: where.after ? [] : page, metadata: { has_more: false } };
    },
    participants: async () => [],
  };
  const live = new Live({ api, store, socket, onMessage: (_, { id }) => heard.push(id) });
  live.open("r");
  return { store, live, topics, calls, heard };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));
