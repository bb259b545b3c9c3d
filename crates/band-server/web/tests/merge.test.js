import assert from "node:assert/strict";
import { test } from "node:test";
import { freshness, merge, remove, upsert } from "../merge.js";
import { compareStamps, dayLabel, later } from "../stamps.js";

const at = (second, micros = "000000") => `2026-07-01T10:00:0${second}.${micros}Z`;
const message = (id, second, fields = {}) => ({
  id,
  inserted_at: at(second),
  updated_at: at(second),
  content: id,
  ...fields,
});
const ids = (list) => list.map(({ id }) => id).join("");

test("pages and pushes give one list in order, each message once", () => {
  const page = [message("c", 3), message("b", 2), message("a", 1)];
  const list = merge(merge([], page), [message("b", 2), message("d", 4), message("a", 1)]);
  assert.equal(ids(list), "abcd");
});

test("any order of arrival gives the same list", () => {
  const all = [message("a", 1), message("b", 2), message("c", 2), message("d", 3)];
  for (const order of permutations(all)) assert.equal(ids(merge([], order)), "abcd");
});

test("an older state does not replace a newer one", () => {
  const pushed = message("a", 1, { updated_at: at(5), content: "new" });
  const read = message("a", 1, { content: "old" });
  assert.equal(merge([pushed], [read])[0].content, "new");
  assert.equal(merge([read], [pushed])[0].content, "new");
});

test("a step of the delivery counts even where the message itself has not changed", () => {
  const attempt = { attempt_number: 1, status: "success", started_at: at(2), completed_at: at(4) };
  const done = message("a", 1, {
    metadata: { delivery_status: { x: { status: "processed", processed_at: at(4), attempts: [attempt] } } },
  });
  const begun = message("a", 1, {
    metadata: {
      delivery_status: { x: { status: "processing", attempts: [{ ...attempt, completed_at: null }] } },
    },
  });
  assert.equal(freshness(done), at(4));
  assert.equal(upsert([done], begun)[0], done);
  assert.equal(upsert([begun], done)[0], done);
});

test("what changes nothing gives the same list back", () => {
  const list = [message("a", 1, { updated_at: at(3) })];
  assert.equal(upsert(list, message("a", 1)), list);
  assert.equal(remove(list, "zzz"), list);
  assert.equal(ids(remove(list, "a")), "");
});

test("stamps compare whatever number of digits they have", () => {
  assert.ok(compareStamps("2026-07-01T10:00:00Z", "2026-07-01T10:00:00.000001Z") < 0);
  assert.ok(compareStamps("2026-07-01T10:00:00.5Z", "2026-07-01T10:00:00.49Z") > 0);
  assert.equal(compareStamps("2026-07-01T10:00:00Z", "2026-07-01T10:00:00.000Z"), 0);
  assert.equal(later(null, at(1)), at(1));
  assert.equal(later(at(2), undefined), at(2));
});

test("days have names", () => {
  const now = new Date(2026, 6, 2, 9);
  const stamp = (day, hour) => new Date(2026, 6, day, hour).toISOString();
  assert.equal(dayLabel(stamp(2, 1), now, "en-GB"), "Today");
  assert.equal(dayLabel(stamp(1, 23), now, "en-GB"), "Yesterday");
  assert.match(
    dayLabel(new Date(2025, 11, 24, 12).toISOString(), now, "en-GB"),
    /^Wednesday,? 24 December 2025$/,
  );
  assert.equal(dayLabel("nonsense", now), "");
});

function permutations(items) {
  if (items.length < 2) return [items];
  return items.flatMap((item, at) => permutations(items.toSpliced(at, 1)).map((rest) => [item, ...rest]));
}
