-- An agent that is stopped in a room, why and since when.
ALTER TABLE executions ADD COLUMN stopped_at INTEGER;
ALTER TABLE executions ADD COLUMN stop_reason TEXT;

-- Who asked whom to be a contact, and what became of it.
CREATE TABLE contact_requests (
    id BLOB PRIMARY KEY,
    requester_id BLOB NOT NULL,
    requester_kind TEXT NOT NULL,
    recipient_id BLOB NOT NULL,
    recipient_kind TEXT NOT NULL,
    message TEXT,
    status TEXT NOT NULL,
    inserted_at INTEGER NOT NULL,
    responded_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX contact_requests_open ON contact_requests (requester_id, recipient_id)
    WHERE status = 'pending';
CREATE INDEX contact_requests_sent ON contact_requests (requester_id, inserted_at, id);
CREATE INDEX contact_requests_received ON contact_requests (recipient_id, inserted_at, id)
    WHERE status = 'pending';

-- One row for each side of a contact.
CREATE TABLE contacts (
    id BLOB PRIMARY KEY,
    owner_id BLOB NOT NULL,
    owner_kind TEXT NOT NULL,
    contact_id BLOB NOT NULL,
    contact_kind TEXT NOT NULL,
    inserted_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX contacts_by_sides ON contacts (owner_id, contact_id);
CREATE INDEX contacts_by_age ON contacts (owner_id, inserted_at, id);

-- What has ended is found without a walk.
CREATE INDEX sign_in_links_by_end ON sign_in_links (expires_at);
CREATE INDEX sessions_by_end ON sessions (expires_at);
