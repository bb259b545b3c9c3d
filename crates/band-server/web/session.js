// Signing in: a one-time token from the fragment of the printed link, or the session cookie that is there.

import { ApiError } from "./api.js";

// Takes the token out of the address at once, so that it stays neither in sight nor in the history.
export function takeToken(location = window.location, history = window.history) {
  const match = /^#token=([^&]+)/.exec(location.hash);
  if (!match) return null;
  history.replaceState(null, "", location.pathname + location.search);
  try {
    return decodeURIComponent(match[1]);
  } catch {
    return match[1];
  }
}

// Ends in phase "ready" with `me`, or in "signed-out" with a problem: "" (no link used), "link" (used or
// expired), "offline" or "refused".
export async function signIn({ api, store, token }) {
  store.setSession("signing-in");
  let refused = null;
  if (token)
    refused = await api.signIn(token).then(
      () => null,
      (error) => error,
    );
  try {
    const me = await api.profile(true);
    store.setSession("ready", { me });
    return true;
  } catch (error) {
    store.setSession("signed-out", { me: null, ...problemOf(refused, error) });
    return false;
  }
}

function problemOf(refused, error) {
  const first = refused ?? error;
  if (!(first instanceof ApiError) || first.status === 0) return { problem: "offline", detail: "" };
  if (refused?.status === 401) return { problem: "link", detail: "" };
  if (!refused && error.status === 401) return { problem: "", detail: "" };
  return { problem: "refused", detail: first.text };
}
