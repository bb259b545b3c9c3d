//! What must hold: while a simulation runs, and when everything has come to rest.
//!
//! | checker | what it says |
//! | --- | --- |
//! | `two-at-once` | a room runs one handler at a time |
//! | `unclaimed` | no handler starts without a claim that was granted |
//! | `run-again` | a handler that has finished is not run again for the same message |
//! | `over-budget` | no more attempts than are allowed are made in one process |
//! | `while-stopped` | no handler starts in a room that a person has stopped, and whoever heard it claims nothing |
//! | `signal` | a handler that is asked to end has ended soon |
//! | `roster` | a handler is told who is in the room, if the platform has said so |
//! | `order` | messages of a room are taken up in the platform's order |
//! | `retry-after` | who is told to wait waits |
//! | `no-retry-of-409` | a conflict is an answer |
//! | `jitter` | waits between two dials differ |
//! | `storm` | no more dials than a backoff allows |
//! | `livelock` | no requests without end or wait, and an end of the whole |
//! | `hung-up` | an agent closes a sound socket before it leaves it |
//! | `journal` | what a process has written can be read by the next one |
//! | `handled` | every mention comes to its documented end |
//! | `one-reply` | each reply is visible once, and none is missing |
//! | `given-up` | no reply is given up that the platform would take when it is back |
//! | `ack` | what has finished is marked |
//! | `interrupt` | an interrupt consumes one message at most |
//! | `deaf` | every room answers when everything is quiet |
//! | `prompt` | with a sound network a push is answered at once |
//! | `left-over` | no claim, no indicator, no handler, no task is left |
//! | `contact` | who asks to be a contact is answered, and the callback is told once |
//! | `rival` | of two processes of one agent one gives way |
//! | `bounded` | no queue has grown beyond its bound |

pub(super) mod dialling;
pub(super) mod end;
pub(super) mod running;
pub(super) mod steering;
