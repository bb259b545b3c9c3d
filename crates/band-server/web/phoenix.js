// A client of Phoenix Channels, serializer 2.0.0: a frame is `[join_ref, ref, topic, event, payload]`.
//
// The socket keeps itself open: the first retry comes at once, the next ones wait longer with jitter. Every
// channel is joined again after a reconnect and tells its owner, who then reads what was missed over HTTP:
// there is no replay on the socket.

const HEARTBEAT_MS = 30_000;
const REPLY_MS = 10_000;
const BACKOFF_FIRST_MS = 400;
const BACKOFF_MOST_MS = 5_000;
const OPEN = 1;

// The five elements of a frame, or null for anything else.
export function readFrame(data) {
  if (typeof data !== "string") return null;
  let frame;
  try {
    frame = JSON.parse(data);
  } catch {
    return null;
  }
  if (!Array.isArray(frame) || frame.length !== 5) return null;
  const [joinRef, ref, topic, event, payload] = frame;
  if (typeof topic !== "string" || topic === "" || typeof event !== "string" || event === "") return null;
  const body = payload !== null && typeof payload === "object" && !Array.isArray(payload) ? payload : {};
  return { joinRef: refText(joinRef), ref: refText(ref), topic, event, payload: body };
}

const refText = (ref) => (ref === null || ref === undefined ? null : String(ref));

// Full jitter: anything up to a ceiling that doubles. The first retry does not wait.
export function backoff(attempt, random = Math.random) {
  if (attempt === 0) return 0;
  const ceiling = Math.min(BACKOFF_MOST_MS, BACKOFF_FIRST_MS * 2 ** (attempt - 1));
  return Math.round(ceiling / 4 + (random() * ceiling * 3) / 4);
}

export class PhoenixSocket {
  #url;
  #onState;
  #makeSocket;
  #random;
  #socket = null;
  #refs = 0;
  #channels = new Map();
  #attempt = 0;
  #retryTimer = null;
  #heartbeatTimer = null;
  #heartbeatRef = null;
  #wanted = false;

  // `onState({phase, attempt, retryInMs})`: phase is "connecting", "open", "waiting" or "closed".
  constructor(
    url,
    { onState = () => {}, makeSocket = (address) => new WebSocket(address), random = Math.random } = {},
  ) {
    this.#url = url;
    this.#onState = onState;
    this.#makeSocket = makeSocket;
    this.#random = random;
  }

  open() {
    if (this.#wanted) return;
    this.#wanted = true;
    this.#connect();
  }

  close() {
    this.#wanted = false;
    this.#clearTimers();
    const socket = this.#drop();
    this.#channels.clear();
    socket?.close(1000);
    this.#onState({ phase: "closed", attempt: 0, retryInMs: 0 });
  }

  // Ends a wait between two attempts: the network is back, or the page is looked at again.
  retryNow() {
    if (!this.#wanted || this.#socket) return;
    this.#clearTimers();
    this.#connect();
  }

  // Joins a topic now or as soon as the socket is open, and again after each reconnect. `handlers`:
  // `joined(response)`, `refused(reason)`, `event(name, payload)`, all optional.
  join(topic, handlers = {}) {
    const known = this.#channels.get(topic);
    if (known) return known;
    const wire = {
      nextRef: () => String((this.#refs += 1)),
      send: (frame) => this.#send(frame),
      isOpen: () => this.#isOpen(),
      forget: () => this.#channels.delete(topic),
      random: this.#random,
    };
    const channel = new Channel(topic, handlers, wire);
    this.#channels.set(topic, channel);
    channel.start();
    return channel;
  }

  leave(topic) {
    this.#channels.get(topic)?.leave();
  }

  topics() {
    return [...this.#channels.keys()];
  }

  #isOpen() {
    return this.#socket?.readyState === OPEN;
  }

  #connect() {
    this.#onState({ phase: "connecting", attempt: this.#attempt, retryInMs: 0 });
    const socket = this.#makeSocket(this.#url);
    this.#socket = socket;
    const mine = (act) => (event) => {
      if (this.#socket === socket) act(event);
    };
    socket.onopen = mine(() => this.#opened());
    socket.onmessage = mine((event) => this.#received(event.data));
    socket.onclose = mine(() => this.#lost());
    socket.onerror = () => {};
  }

  #opened() {
    this.#attempt = 0;
    this.#heartbeatRef = null;
    this.#scheduleHeartbeat();
    this.#onState({ phase: "open", attempt: 0, retryInMs: 0 });
    for (const channel of this.#channels.values()) channel.start();
  }

  #lost() {
    this.#drop();
    this.#clearTimers();
    if (!this.#wanted) return;
    const retryInMs = backoff(this.#attempt, this.#random);
    this.#attempt += 1;
    this.#onState({ phase: "waiting", attempt: this.#attempt, retryInMs });
    this.#retryTimer = setTimeout(() => this.#connect(), retryInMs);
  }

  #drop() {
    const socket = this.#socket;
    this.#socket = null;
    for (const channel of this.#channels.values()) channel.suspend();
    return socket;
  }

  #clearTimers() {
    clearTimeout(this.#retryTimer);
    clearTimeout(this.#heartbeatTimer);
  }

  #send(frame) {
    if (this.#isOpen()) this.#socket.send(JSON.stringify(frame));
  }

  #scheduleHeartbeat() {
    this.#heartbeatTimer = setTimeout(() => this.#beat(), HEARTBEAT_MS);
  }

  // An unanswered heartbeat means that the other end is gone, whatever the socket believes.
  #beat() {
    if (this.#heartbeatRef !== null) {
      this.#socket?.close(4000);
      this.#lost();
      return;
    }
    this.#heartbeatRef = String((this.#refs += 1));
    this.#send([null, this.#heartbeatRef, "phoenix", "heartbeat", {}]);
    this.#scheduleHeartbeat();
  }

  #received(data) {
    const frame = readFrame(data);
    if (!frame) return;
    if (frame.topic === "phoenix") {
      if (frame.event === "phx_reply" && frame.ref === this.#heartbeatRef) this.#heartbeatRef = null;
      return;
    }
    this.#channels.get(frame.topic)?.receive(frame);
  }
}

class Channel {
  #topic;
  #handlers;
  #wire;
  #joinRef = null;
  #state = "idle";
  #attempt = 0;
  #timer = null;

  constructor(topic, handlers, wire) {
    this.#topic = topic;
    this.#handlers = handlers;
    this.#wire = wire;
  }

  start() {
    clearTimeout(this.#timer);
    if (this.#state === "left" || !this.#wire.isOpen()) return;
    this.#joinRef = this.#wire.nextRef();
    this.#state = "joining";
    this.#timer = setTimeout(() => this.#again(), REPLY_MS);
    this.#wire.send([this.#joinRef, this.#joinRef, this.#topic, "phx_join", {}]);
  }

  suspend() {
    clearTimeout(this.#timer);
    this.#joinRef = null;
    if (this.#state !== "left") this.#state = "idle";
  }

  leave() {
    if (this.#state === "left") return;
    clearTimeout(this.#timer);
    if (this.#joinRef !== null)
      this.#wire.send([this.#joinRef, this.#wire.nextRef(), this.#topic, "phx_leave", {}]);
    this.#state = "left";
    this.#wire.forget();
  }

  receive({ joinRef, ref, event, payload }) {
    if (this.#state === "left" || (joinRef !== null && joinRef !== this.#joinRef)) return;
    if (event === "phx_reply") this.#replied(ref, payload);
    else if (event === "phx_error" || event === "phx_close") this.#again();
    else this.#handlers.event?.(event, payload);
  }

  #replied(ref, payload) {
    if (this.#state !== "joining" || ref !== this.#joinRef) return;
    clearTimeout(this.#timer);
    if (payload.status === "ok") {
      this.#state = "joined";
      this.#attempt = 0;
      this.#handlers.joined?.(payload.response ?? {});
      return;
    }
    // Asked again only after a reconnect: the platform has said no.
    this.#state = "refused";
    this.#joinRef = null;
    this.#handlers.refused?.(payload.response?.reason ?? "refused");
  }

  // The platform dropped this channel, or never answered its join: ask again on the same socket.
  #again() {
    this.suspend();
    this.#attempt += 1;
    this.#timer = setTimeout(() => this.start(), backoff(this.#attempt, this.#wire.random));
  }
}
