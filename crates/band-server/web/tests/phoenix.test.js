import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";
import { backoff, PhoenixSocket, readFrame } from "../phoenix.js";

class FakeSocket {
  readyState = 0;
  sent = [];
  closedWith = null;
  send(text) {
    this.sent.push(JSON.parse(text));
  }
  close(code) {
    this.closedWith = code;
    this.readyState = 3;
  }
  opens() {
    this.readyState = 1;
    this.onopen({});
  }
  receives(...frame) {
    this.onmessage({ data: JSON.stringify(frame) });
  }
  drops() {
    this.readyState = 3;
    this.onclose({});
  }
  joins() {
    return this.sent.filter(([, , , event]) => event === "phx_join");
  }
}

let sockets;
let states;

function client() {
  sockets = [];
  states = [];
  return new PhoenixSocket("ws://test/", {
    makeSocket: () => {
      sockets.push(new FakeSocket());
      return sockets.at(-1);
    },
    onState: ({ phase }) => states.push(phase),
    random: () => 0.5,
  });
}

function joined(topic = "room:1") {
  const socket = client();
  const heard = [];
  const handlers = {
    joined: (response) => heard.push(["joined", response]),
    refused: (reason) => heard.push(["refused", reason]),
    event: (name, payload) => heard.push([name, payload]),
  };
  socket.join(topic, handlers);
  socket.open();
  sockets[0].opens();
  return { socket, heard };
}

beforeEach(() => {
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout"] });
});

const ok = (wire, joinRef, topic = "room:1", response = {}) =>
  wire.receives(joinRef, joinRef, topic, "phx_reply", { status: "ok", response });

test("a topic asked for before the socket opens is joined when it does", () => {
  const { heard } = joined();
  const [[joinRef, ref, topic, event, payload]] = sockets[0].joins();
  assert.deepEqual([topic, event, payload, joinRef === ref], ["room:1", "phx_join", {}, true]);
  ok(sockets[0], joinRef, "room:1", { working_agents: [] });
  assert.deepEqual(heard, [["joined", { working_agents: [] }]]);
});

test("pushes with a null join_ref arrive, those of an older join do not", () => {
  const { heard } = joined();
  const [[joinRef]] = sockets[0].joins();
  ok(sockets[0], joinRef);
  sockets[0].receives(joinRef, null, "room:1", "message_created", { id: "1" });
  sockets[0].receives(null, null, "room:1", "message_created", { id: "2" });
  sockets[0].receives("999", null, "room:1", "message_created", { id: "3" });
  sockets[0].receives(joinRef, null, "room:2", "message_created", { id: "4" });
  assert.deepEqual(
    heard.slice(1).map(([, { id }]) => id),
    ["1", "2"],
  );
});

test("frames that are none are passed over", () => {
  const { heard } = joined();
  for (const data of [
    "",
    "{}",
    "[]",
    "[1,2,3,4]",
    '["1","1","",  "x",{}]',
    '["1","1","t",3,{}]',
    new ArrayBuffer(4),
  ])
    sockets[0].onmessage({ data });
  assert.deepEqual(heard, []);
  assert.deepEqual(readFrame('[1,2,"t","e",null]'), {
    joinRef: "1",
    ref: "2",
    topic: "t",
    event: "e",
    payload: {},
  });
});

test("a refused join is not asked again on the same socket", () => {
  const { heard } = joined();
  const [[joinRef]] = sockets[0].joins();
  sockets[0].receives(joinRef, joinRef, "room:1", "phx_reply", {
    status: "error",
    response: { reason: "unauthorized" },
  });
  mock.timers.tick(60_000);
  assert.deepEqual(heard, [["refused", "unauthorized"]]);
  assert.equal(sockets[0].joins().length, 1);
});

test("a join that is never answered, and a channel that fails, are joined again", () => {
  joined();
  mock.timers.tick(10_000);
  mock.timers.tick(5_000);
  assert.equal(sockets[0].joins().length, 2);
  const [, [joinRef]] = sockets[0].joins();
  ok(sockets[0], joinRef);
  sockets[0].receives(joinRef, joinRef, "room:1", "phx_error", {});
  mock.timers.tick(5_000);
  assert.equal(sockets[0].joins().length, 3);
});

test("the close of an older join leaves the newer one alone", () => {
  joined();
  const [[joinRef]] = sockets[0].joins();
  ok(sockets[0], joinRef);
  sockets[0].receives("999", "999", "room:1", "phx_close", {});
  mock.timers.tick(20_000);
  assert.equal(sockets[0].joins().length, 1);
});

test("a lost socket is opened again at once and every topic is joined anew", () => {
  const { heard } = joined();
  ok(sockets[0], sockets[0].joins()[0][0]);
  sockets[0].drops();
  mock.timers.tick(0);
  sockets[1].opens();
  const [[joinRef]] = sockets[1].joins();
  ok(sockets[1], joinRef);
  assert.equal(heard.filter(([name]) => name === "joined").length, 2);
  assert.deepEqual(states, ["connecting", "open", "waiting", "connecting", "open"]);
});

test("retries wait longer and longer, up to a limit", () => {
  assert.equal(
    backoff(0, () => 1),
    0,
  );
  const waits = [1, 2, 3, 4, 5, 20].map((attempt) => backoff(attempt, () => 1));
  assert.deepEqual(waits, [400, 800, 1600, 3200, 5000, 5000]);
  assert.ok(backoff(20, () => 0) >= 1000);
});

test("a wait can be cut short", () => {
  const { socket } = joined();
  for (let round = 0; round < 5; round += 1) {
    sockets.at(-1).drops();
    mock.timers.tick(5_000);
  }
  sockets.at(-1).drops();
  const before = sockets.length;
  socket.retryNow();
  assert.equal(sockets.length, before + 1);
  socket.retryNow();
  assert.equal(sockets.length, before + 1);
});

test("an unanswered heartbeat ends the socket, an answered one does not", () => {
  joined();
  mock.timers.tick(30_000);
  const [, ref] = sockets[0].sent.find(([, , topic]) => topic === "phoenix");
  sockets[0].receives(null, ref, "phoenix", "phx_reply", { status: "ok", response: {} });
  mock.timers.tick(30_000);
  assert.equal(sockets[0].closedWith, null);
  mock.timers.tick(30_000);
  assert.equal(sockets[0].closedWith, 4000);
  mock.timers.tick(0);
  assert.equal(sockets.length, 2);
});

test("leaving says so, and what comes afterwards is not heard", () => {
  const { socket, heard } = joined();
  const [[joinRef]] = sockets[0].joins();
  ok(sockets[0], joinRef);
  socket.leave("room:1");
  assert.equal(sockets[0].sent.at(-1)[3], "phx_leave");
  sockets[0].receives(joinRef, null, "room:1", "message_created", { id: "1" });
  sockets[0].drops();
  mock.timers.tick(0);
  sockets[1].opens();
  assert.equal(sockets[1].joins().length, 0);
  assert.equal(heard.length, 1);
});

test("closing ends everything", () => {
  const { socket } = joined();
  socket.close();
  assert.equal(sockets[0].closedWith, 1000);
  sockets[0].onclose({});
  mock.timers.tick(60_000);
  assert.equal(sockets.length, 1);
  assert.equal(states.at(-1), "closed");
});
