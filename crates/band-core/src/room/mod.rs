//! One room: queue, claim, backlog, acknowledgement, retry, resync.
