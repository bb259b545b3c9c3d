// Rooms have addresses in the fragment, so that back, forward and reload work.

export const roomHash = (id) => `#/rooms/${id}`;

// The room that a fragment names, or null.
export function roomOfHash(hash) {
  return /^#\/rooms\/([0-9a-f-]{36})$/i.exec(hash)?.[1]?.toLowerCase() ?? null;
}
