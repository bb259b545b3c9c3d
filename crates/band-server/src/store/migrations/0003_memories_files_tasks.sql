-- What agents keep. scope is who may read it. The subject is a user or an agent.
CREATE TABLE memories (
    id BLOB PRIMARY KEY,
    content TEXT NOT NULL,
    system TEXT NOT NULL,
    kind TEXT NOT NULL,
    segment TEXT NOT NULL,
    scope TEXT NOT NULL,
    status TEXT NOT NULL,
    thought TEXT NOT NULL,
    subject_id BLOB,
    agent_id BLOB,
    chat_id BLOB,
    metadata TEXT,
    inserted_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX memories_by_agent ON memories (agent_id, inserted_at, id);
CREATE INDEX memories_by_subject ON memories (subject_id, inserted_at, id) WHERE subject_id IS NOT NULL;
CREATE INDEX memories_shared ON memories (scope, inserted_at, id) WHERE scope = 'organization';

-- The one organization of the site.
INSERT INTO settings (name, value) VALUES ('organization', lower(hex(randomblob(16))));

-- Files of rooms. What they hold lies beside the database, under the file's id.
CREATE TABLE files (
    id BLOB PRIMARY KEY,
    chat_id BLOB NOT NULL REFERENCES chats (id),
    name TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    content_type TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    uploader_id BLOB NOT NULL,
    inserted_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX files_by_content ON files (chat_id, sha256);
CREATE INDEX files_by_age ON files (chat_id, inserted_at, id);

CREATE TABLE message_files (
    seq INTEGER NOT NULL REFERENCES messages (seq),
    place INTEGER NOT NULL,
    file_id BLOB NOT NULL,
    PRIMARY KEY (seq, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX message_files_by_file ON message_files (file_id, seq);

-- Files whose row is gone, and whose content is to follow.
CREATE TABLE lost_files (id BLOB PRIMARY KEY) STRICT, WITHOUT ROWID;

-- The task board. Actors are kept as they were called at the time, as JSON.
CREATE TABLE tasks (
    id BLOB PRIMARY KEY,
    chat_id BLOB NOT NULL REFERENCES chats (id),
    number INTEGER NOT NULL,
    subject TEXT NOT NULL,
    detail TEXT NOT NULL,
    state TEXT NOT NULL,
    overall_status TEXT NOT NULL,
    created_by TEXT NOT NULL,
    superseded_by_id BLOB,
    inserted_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    started_at INTEGER,
    completed_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX tasks_by_number ON tasks (chat_id, number);
CREATE INDEX tasks_by_state ON tasks (chat_id, state, number);

CREATE TABLE task_assignments (
    task_id BLOB NOT NULL REFERENCES tasks (id),
    assignee_id BLOB NOT NULL,
    place INTEGER NOT NULL,
    assignee TEXT NOT NULL,
    status TEXT NOT NULL,
    active_form TEXT NOT NULL,
    linked_native_id TEXT NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (task_id, assignee_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE task_events (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    task_id BLOB NOT NULL REFERENCES tasks (id),
    event TEXT NOT NULL,
    actor TEXT NOT NULL,
    at INTEGER NOT NULL,
    payload TEXT NOT NULL
) STRICT;
CREATE INDEX task_events_by_task ON task_events (task_id, seq);

CREATE TABLE boards (
    chat_id BLOB PRIMARY KEY REFERENCES chats (id),
    goal_title TEXT,
    goal_summary TEXT,
    created_by TEXT NOT NULL,
    updated_by TEXT NOT NULL,
    inserted_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE board_events (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    chat_id BLOB NOT NULL REFERENCES chats (id),
    event TEXT NOT NULL,
    actor TEXT NOT NULL,
    at INTEGER NOT NULL,
    payload TEXT NOT NULL
) STRICT;
CREATE INDEX board_events_by_chat ON board_events (chat_id, seq);

-- Bulk deletions and what became of their items, as JSON.
CREATE TABLE deletions (
    id BLOB PRIMARY KEY,
    user_id BLOB NOT NULL REFERENCES users (id),
    resource TEXT NOT NULL,
    force INTEGER NOT NULL,
    results TEXT NOT NULL,
    inserted_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX deletions_by_age ON deletions (inserted_at);
