// The official Phoenix client joins the topics it is told and prints what it receives, one JSON a line.
"use strict";

const { Socket } = require("phoenix");

const print = (value) => process.stdout.write(JSON.stringify(value) + "\n");

const socket = new Socket(process.env.PEER_SOCKET, {
  transport: WebSocket,
  params: { api_key: process.env.PEER_KEY },
});
socket.onOpen(() => print({ state: "open" }));
socket.onClose((event) => print({ state: "closed", code: event.code }));
socket.onError(() => print({ state: "error" }));
socket.connect();

const channels = new Map();

for (const topic of process.env.PEER_TOPICS.split(" ")) {
  const channel = socket.channel(topic, {});
  channels.set(topic, channel);
  channel.onMessage = (event, payload) => {
    if (!event.startsWith("phx_") && !event.startsWith("chan_reply_")) print({ topic, event, payload });
    return payload;
  };
  channel.onClose(() => print({ left: topic }));
  channel
    .join()
    .receive("ok", (response) => print({ joined: topic, response }))
    .receive("error", (response) => {
      print({ refused: topic, response });
      channel.leave();
    })
    .receive("timeout", () => print({ timeout: topic }));
}

// A signal makes it leave its first topic, and then end.
process.on("SIGUSR2", () => {
  const [[topic, channel]] = channels;
  channel.leave().receive("ok", () => print({ leave_confirmed: topic }));
});
process.on("SIGTERM", () => socket.disconnect(() => process.exit(0)));
