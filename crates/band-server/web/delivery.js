// Where a message stands with each agent it was written to.

const ORDER = ["sent", "delivered", "processing", "processed", "failed"];
const WORDS = {
  sent: "Sent",
  delivered: "Delivered",
  processing: "Working on it",
  processed: "Done",
  failed: "Failed",
};

// One entry for each mentioned agent: `{id, name, state, label, error}`.
export function deliveries(message) {
  const records = message.metadata?.delivery_status ?? {};
  const mentions = Array.isArray(message.metadata?.mentions) ? message.metadata.mentions : [];
  return mentions
    .filter((mention) => (mention.kind ?? "mention") === "mention" && isAgent(mention, records))
    .map((mention) => entry(mention, records[mention.id]));
}

const isAgent = (mention, records) => mention.type === "agent" || mention.id in records;

function entry(mention, record) {
  const state = ORDER.includes(record?.status) ? record.status : "sent";
  const attempts = Array.isArray(record?.attempts) ? record.attempts : [];
  const error = state === "failed" ? (attempts.at(-1)?.error ?? "") : "";
  return {
    id: mention.id,
    name: mention.name || mention.handle || "Agent",
    state,
    label: labelOf(state, attempts),
    error,
  };
}

function labelOf(state, attempts) {
  const number = attempts.at(-1)?.attempt_number ?? 0;
  if (state === "processing" && number > 1) return `Working on it, attempt ${number}`;
  if (state === "failed" && number > 1) return `Failed, attempt ${number}`;
  return WORDS[state];
}
