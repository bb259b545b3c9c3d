// Points in time as the wire writes them: ISO-8601, UTC, up to six digits of a second.

const SHAPE = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?Z$/;

// A text whose order is the order of time. Texts that are no stamps sort first.
export function sortable(stamp) {
  const match = typeof stamp === "string" ? SHAPE.exec(stamp) : null;
  return match ? `${match[1]}.${(match[2] ?? "").padEnd(9, "0")}` : "";
}

export function compareStamps(a, b) {
  const left = sortable(a);
  const right = sortable(b);
  return left < right ? -1 : left > right ? 1 : 0;
}

// The later of two stamps; either may be missing.
export function later(a, b) {
  return compareStamps(a, b) < 0 ? b : a;
}

const dayStart = (date) => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
const DAY_MS = 86_400_000;

// "Today", "Yesterday", "Monday, 3 March", with the year when it is another one.
export function dayLabel(stamp, now = new Date(), locale = undefined) {
  const date = new Date(stamp);
  if (Number.isNaN(date.getTime())) return "";
  const days = Math.round((dayStart(now) - dayStart(date)) / DAY_MS);
  if (days === 0) return "Today";
  if (days === 1) return "Yesterday";
  const year = date.getFullYear() === now.getFullYear() ? {} : { year: "numeric" };
  return date.toLocaleDateString(locale, { weekday: "long", day: "numeric", month: "long", ...year });
}

// A key that two stamps of one local day share.
export function dayKey(stamp) {
  const date = new Date(stamp);
  return Number.isNaN(date.getTime()) ? "" : String(dayStart(date));
}

export function clock(stamp, locale = undefined) {
  const date = new Date(stamp);
  if (Number.isNaN(date.getTime())) return "";
  return date.toLocaleTimeString(locale, { hour: "numeric", minute: "2-digit" });
}

// For the list of rooms: the time of today's, the short date of older ones.
export function shortWhen(stamp, now = new Date(), locale = undefined) {
  const date = new Date(stamp);
  if (Number.isNaN(date.getTime())) return "";
  if (dayStart(now) === dayStart(date)) return clock(stamp, locale);
  return date.toLocaleDateString(locale, { day: "numeric", month: "short" });
}
