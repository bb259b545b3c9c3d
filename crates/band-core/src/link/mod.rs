//! The Phoenix client: connect, heartbeat, joins, reconnect and session policy.
