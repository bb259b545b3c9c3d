-- People, agents, their keys and sessions.
CREATE TABLE users (
    id BLOB PRIMARY KEY,
    handle TEXT NOT NULL UNIQUE,
    email TEXT NOT NULL,
    first_name TEXT,
    last_name TEXT,
    is_admin INTEGER NOT NULL,
    inserted_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE agents (
    id BLOB PRIMARY KEY,
    owner_id BLOB NOT NULL REFERENCES users (id),
    slug TEXT NOT NULL,
    name TEXT NOT NULL,
    description TEXT,
    shared_with_organization INTEGER NOT NULL,
    listed_in_directory INTEGER NOT NULL,
    tags TEXT NOT NULL,
    inserted_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    deleted_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX agents_by_slug ON agents (owner_id, slug) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX agents_by_name ON agents (owner_id, name) WHERE deleted_at IS NULL;
CREATE INDEX agents_shared ON agents (id) WHERE shared_with_organization = 1 AND deleted_at IS NULL;

-- A key is kept as a keyed hash. Exactly one of user_id and agent_id is set.
CREATE TABLE api_keys (
    hash BLOB PRIMARY KEY,
    prefix TEXT NOT NULL,
    user_id BLOB REFERENCES users (id),
    agent_id BLOB REFERENCES agents (id),
    inserted_at INTEGER NOT NULL,
    last_used_at INTEGER,
    revoked_at INTEGER,
    CHECK ((user_id IS NULL) <> (agent_id IS NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX api_keys_by_user ON api_keys (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX api_keys_by_agent ON api_keys (agent_id) WHERE agent_id IS NOT NULL;

CREATE TABLE sign_in_links (
    hash BLOB PRIMARY KEY,
    user_id BLOB NOT NULL REFERENCES users (id),
    inserted_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE sessions (
    hash BLOB PRIMARY KEY,
    user_id BLOB NOT NULL REFERENCES users (id),
    inserted_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Rooms and who is in them.
CREATE TABLE chats (
    id BLOB PRIMARY KEY,
    title TEXT NOT NULL,
    title_state TEXT NOT NULL,
    kind TEXT NOT NULL,
    status TEXT NOT NULL,
    task_id TEXT,
    last_message_at INTEGER,
    inserted_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    deleted_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE participants (
    chat_id BLOB NOT NULL REFERENCES chats (id),
    participant_id BLOB NOT NULL,
    kind TEXT NOT NULL,
    role TEXT NOT NULL,
    status TEXT NOT NULL,
    inserted_at INTEGER NOT NULL,
    PRIMARY KEY (chat_id, participant_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX participants_by_participant ON participants (participant_id, chat_id);

CREATE TABLE executions (
    agent_id BLOB NOT NULL REFERENCES agents (id),
    chat_id BLOB NOT NULL REFERENCES chats (id),
    id BLOB NOT NULL UNIQUE,
    inserted_at INTEGER NOT NULL,
    PRIMARY KEY (agent_id, chat_id)
) STRICT, WITHOUT ROWID;

-- Messages and events. seq is given out by the one writer, so its order is the order of commits.
CREATE TABLE messages (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id BLOB NOT NULL UNIQUE,
    chat_id BLOB NOT NULL REFERENCES chats (id),
    sender_id BLOB NOT NULL,
    sender_kind TEXT NOT NULL,
    sender_name TEXT NOT NULL,
    message_type TEXT NOT NULL,
    content TEXT NOT NULL,
    metadata TEXT NOT NULL,
    inserted_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX messages_by_chat ON messages (chat_id, seq);
CREATE INDEX messages_by_sender ON messages (chat_id, sender_id, seq);

-- Where a message stands for an agent. A mention makes the row; so does a mark on another message, which is
-- then never served. The status 'none' means stored and not acknowledged.
CREATE TABLE deliveries (
    agent_id BLOB NOT NULL,
    chat_id BLOB NOT NULL,
    seq INTEGER NOT NULL REFERENCES messages (seq),
    is_mention INTEGER NOT NULL,
    status TEXT NOT NULL,
    delivered_at INTEGER,
    processed_at INTEGER,
    current_attempt INTEGER,
    PRIMARY KEY (agent_id, chat_id, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX deliveries_by_message ON deliveries (seq);
CREATE INDEX deliveries_open ON deliveries (agent_id, chat_id, seq)
    WHERE is_mention = 1 AND status <> 'processed';

CREATE TABLE attempts (
    seq INTEGER NOT NULL REFERENCES messages (seq),
    agent_id BLOB NOT NULL,
    number INTEGER NOT NULL,
    status TEXT NOT NULL,
    started_at INTEGER,
    completed_at INTEGER,
    error TEXT,
    PRIMARY KEY (seq, agent_id, number)
) STRICT, WITHOUT ROWID;

-- Answers to creating requests, for callers who repeat them.
CREATE TABLE idempotency_keys (
    caller_id BLOB NOT NULL,
    route TEXT NOT NULL,
    key TEXT NOT NULL,
    request_hash BLOB NOT NULL,
    resource_id BLOB NOT NULL,
    answer TEXT NOT NULL,
    inserted_at INTEGER NOT NULL,
    PRIMARY KEY (caller_id, route, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (inserted_at);

CREATE TABLE settings (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
