// The page: signs in, and puts the parts together.
//
// Stable hooks for tests (`data-testid`, most of them also ids):
//   gate                    the screen before signing in; its text says what is wrong and what to do
//   app                     everything after signing in; hidden before
//   account-name, sign-out
//   new-room, register-agent
//   room-list > room-link   data-room; aria-current="page" on the open one
//   room-title, connection-banner (text only while there is no connection)
//   open-rooms, open-people the drawers of narrow screens
//   timeline > message      data-id, data-sender, data-type; class own; holds mention (data-id) and
//                           delivery (data-state: sent delivered processing processed failed, data-agent)
//   timeline > work         a folded run of events: step (data-type, data-id), error-event (in sight)
//   timeline-loading, timeline-start, empty, jump-to-newest
//   working                 who is at work right now; empty when nobody is
//   composer, composer-input, composer-hint, composer-send
//   suggestions > suggestion data-id; aria-selected on the active one
//   participant-list > participant  data-id, data-state: working online offline or empty
//   add-agent, agents-to-add > add-this-agent data-id, register-from-add
//   dialog, room-title-input, agent-name, agent-description, dialog-submit
//   credentials (the lines to paste), copy-credentials, credentials-done
//   notices > notice, announcer

import { Api } from "./api.js";
import { avatar } from "./avatar.js";
import { Composer } from "./composer.js";
import { Dialogs } from "./dialogs.js";
import { announce } from "./dom.js";
import { Drawer } from "./drawers.js";
import { Gate } from "./gate.js";
import { roomHash, roomOfHash } from "./hash.js";
import { Live } from "./live.js";
import { People } from "./people.js";
import { PhoenixSocket } from "./phoenix.js";
import { plainText } from "./prose.js";
import { dressRooms, RoomList, titleOf } from "./rooms.js";
import { signIn, takeToken } from "./session.js";
import { socketUrl } from "./shell_lines.js";
import { fullName, Store } from "./store.js";
import { Timeline } from "./timeline.js";
import { connectionBanner, notice } from "./notices.js";

const token = takeToken();
const store = new Store();
const api = new Api({ onSignedOut: () => signedOut() });
const socket = new PhoenixSocket(`${socketUrl(window.location.origin)}?vsn=2.0.0`, {
  onState: connectionChanged,
});
const live = new Live({ api, store, socket, onMessage: messageArrived });
const dialogs = new Dialogs({ store, live, api, onRoom: (id) => goTo(id) });
const composer = new Composer({ store, live });
const roomsDrawer = new Drawer({ panel: "rooms-panel", button: "open-rooms", wide: "(min-width: 760px)" });
const peopleDrawer = new Drawer({
  panel: "people-panel",
  button: "open-people",
  wide: "(min-width: 1120px)",
});

new Gate({ store, retry: () => start(null) });
new RoomList({ store, live });
new Timeline({
  store,
  live,
  actions: { newRoom: () => dialogs.newRoom(), addAgent: () => dialogs.addAgent() },
});
new People({ store });
dressRooms();
wireButtons();
store.on(["rooms", "selection", "session"], () => drawHead());
store.on(["connection"], () => connectionBanner(store.connection));
store.on(["rooms"], () => openFirst());
window.addEventListener("hashchange", () => hashChanged());
window.addEventListener("online", () => socket.retryNow());
document.addEventListener("visibilitychange", () => lookedAt());
start(token);

async function start(oneTimeToken) {
  if (!(await signIn({ api, store, token: oneTimeToken }))) return;
  followHash();
  live.start(store.session.me.id);
}

function signedOut() {
  if (store.session.phase !== "ready") return;
  socket.close();
  store.clear();
  store.setSession("signed-out", { me: null, problem: "ended" });
}

// A refused upgrade looks like any lost connection from here: the Human API says whether the session ended.
function connectionChanged({ phase, attempt }) {
  store.setConnection(phase, attempt);
  if (phase === "waiting" && attempt > 1) api.profile().catch(() => {});
}

function messageArrived(roomId, message) {
  if (message.sender_id === store.session.me?.id) return;
  const seen = roomId === store.openId && document.visibilityState === "visible";
  if (!seen) store.markUnread(roomId);
  const text = plainText(message.content, (id) => store.nameOf(roomId, id));
  const where = roomId === store.openId ? "" : ` in ${titleOf(store.room(roomId))}`;
  announce(
    `${message.sender_name ?? store.nameOf(roomId, message.sender_id)}${where}: ${text.slice(0, 300)}`,
  );
}

function lookedAt() {
  if (document.visibilityState !== "visible") return;
  socket.retryNow();
  if (store.openId === null) return;
  store.markSeen(store.openId);
  live.refreshParticipants();
}

// Rooms have addresses, so that back, forward and reload work.

function goTo(id) {
  window.location.hash = roomHash(id);
}

// A sign-in link that is opened in a tab of this page changes nothing but the fragment.
function hashChanged() {
  const another = takeToken();
  if (another === null) followHash();
  else if (store.session.phase === "ready")
    api.signIn(another).then(() => window.location.reload(), linkRefused);
  else start(another);
}

function linkRefused() {
  notice("That sign-in link was used before, or is too old. You are still signed in.");
}

function followHash() {
  if (store.session.phase !== "ready") return;
  const id = roomOfHash(window.location.hash);
  live.open(id);
  if (id === null) return openFirst();
  roomsDrawer.close(false);
  composer.focus();
}

// Without an address the newest room is opened.
function openFirst() {
  if (store.openId !== null || store.rooms.status !== "ready" || store.rooms.list.length === 0) return;
  window.history.replaceState(null, "", roomHash(store.rooms.list[0].id));
  followHash();
}

function drawHead() {
  const { me } = store.session;
  const room = store.openId ? store.room(store.openId) : null;
  document.getElementById("room-title").textContent = room ? titleOf(room) : "";
  document.getElementById("account-name").textContent = me ? fullName(me) : "";
  document
    .getElementById("account-avatar")
    .replaceChildren(...(me ? [avatar({ id: me.id, name: fullName(me), isAgent: false, small: true })] : []));
}

function wireButtons() {
  const on = (id, act) => document.getElementById(id).addEventListener("click", act);
  on("new-room", () => dialogs.newRoom());
  on("register-agent", () => dialogs.registerAgent());
  on("add-agent", () => dialogs.addAgent());
  on("close-people", () => peopleDrawer.close());
  on("skip-link", (event) => {
    event.preventDefault();
    document.getElementById("composer-input").focus();
  });
  on("sign-out", () => {
    api.signOut().then(signedOut, (error) => notice(`Signing out failed. ${error.text}`));
  });
}
