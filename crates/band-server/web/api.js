// The Human API, over the session cookie. Nothing here is private to this page.

const BASE = "/api/v1";

// An answer that is no success, or none at all (`status` 0).
export class ApiError extends Error {
  constructor(status, body) {
    const error = body?.error ?? {};
    super(
      error.message || (status === 0 ? "The platform can't be reached." : `The platform answered ${status}.`),
    );
    this.name = "ApiError";
    this.status = status;
    this.code = error.code ?? "";
    this.requestId = error.request_id ?? "";
    this.details = error.details ?? {};
  }

  // For people: what was refused, field by field where the platform says so.
  get text() {
    const fields = Object.entries(this.details).map(
      ([path, texts]) => `${fieldName(path)} ${[].concat(texts).join(", ")}`,
    );
    return fields.length > 0 ? `${fields.join("; ")}.` : sentence(this.message);
  }
}

const fieldName = (path) => path.split("/").filter(Boolean).pop()?.replaceAll("_", " ") ?? "The request";
const sentence = (text) => (/[.!?]$/.test(text) ? text : `${text}.`);

const query = (params) => {
  const pairs = Object.entries(params).filter(([, value]) => value !== undefined && value !== null);
  return pairs.length > 0 ? `?${new URLSearchParams(pairs)}` : "";
};

export class Api {
  #fetch;
  #onSignedOut;

  // `onSignedOut` hears of every 401 outside the sign-in itself.
  constructor({ fetch = globalThis.fetch.bind(globalThis), onSignedOut = () => {} } = {}) {
    this.#fetch = fetch;
    this.#onSignedOut = onSignedOut;
  }

  signIn(token) {
    return this.#call("POST", "/auth/sign-in", { token }, { quiet: true });
  }

  signOut() {
    return this.#call("POST", "/auth/sign-out", undefined, { quiet: true });
  }

  // `quiet`: a 401 is an answer here, not news.
  profile(quiet = false) {
    return this.#call("GET", "/me/profile", undefined, { quiet }).then((body) => body.data);
  }

  rooms(cursor) {
    return this.#call("GET", `/me/chats${query({ limit: 100, include: "last_message", cursor })}`);
  }

  room(id) {
    return this.#call("GET", `/me/chats/${id}`).then((body) => body.data);
  }

  createRoom(title) {
    const chat = title ? { title } : {};
    return this.#call("POST", "/me/chats", { chat }).then((body) => body.data);
  }

  // `where`: `after` (oldest first) or `before` (newest first) a message, or neither: the newest ones.
  messages(room, where = {}) {
    return this.#call("GET", `/me/chats/${room}/messages${query({ limit: 50, ...where })}`);
  }

  send(room, content, mentioned) {
    const mentions = mentioned.map(({ id }) => ({ id }));
    return this.#call("POST", `/me/chats/${room}/messages`, { message: { content, mentions } }).then(
      (body) => body.data,
    );
  }

  participants(room) {
    return this.#call("GET", `/me/chats/${room}/participants${query({ limit: 100 })}`).then(
      (body) => body.data,
    );
  }

  addParticipant(room, id) {
    const body = { participant: { participant_id: id } };
    return this.#call("POST", `/me/chats/${room}/participants`, body).then((answer) => answer.data);
  }

  agentsToAdd(room, page = 1) {
    return this.#call("GET", `/me/peers${query({ not_in_chat: room, type: "Agent", page, page_size: 100 })}`);
  }

  registerAgent(name, description) {
    return this.#call("POST", "/me/agents/register", { agent: { name, description } }).then(
      (body) => body.data,
    );
  }

  async #call(method, path, body, { quiet = false } = {}) {
    const init = { method, credentials: "same-origin", headers: { accept: "application/json" } };
    if (body !== undefined) {
      init.headers["content-type"] = "application/json";
      init.body = JSON.stringify(body);
    }
    const response = await this.#fetch(BASE + path, init).catch(() => null);
    if (!response) throw new ApiError(0, null);
    const answer = response.status === 204 ? null : await response.json().catch(() => null);
    if (response.ok) return answer;
    if (response.status === 401 && !quiet) this.#onSignedOut();
    throw new ApiError(response.status, answer);
  }
}
