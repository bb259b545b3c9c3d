// The lines that start an agent from a shell.

export function socketUrl(origin) {
  return `${origin.replace(/^http/, "ws")}/api/v1/socket/websocket`;
}

export function shellLines({ id, key, origin }) {
  return [
    `export BAND_AGENT_ID=${quoted(id)}`,
    `export BAND_API_KEY=${quoted(key)}`,
    `export BAND_REST_URL=${quoted(origin)}`,
    `export BAND_WS_URL=${quoted(socketUrl(origin))}`,
    "band agent run --adapter echo",
  ].join("\n");
}

// Bare when a shell takes it as it is.
function quoted(text) {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
