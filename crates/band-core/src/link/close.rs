//! What the end of a socket, or the refusal of one, says about the next attempt.

use super::event::Disconnect;
use super::stop::{Refusal, StopReason};

/// What a refused upgrade ends the link with, once it ends it: 400, 401, 403 and 409 do, at the first connect
/// at once. Every other status is tried again.
pub(super) fn terminal(refusal: &Refusal) -> Option<StopReason> {
    let reason = match refusal.status {
        400 => StopReason::BadRequest,
        401 => StopReason::Unauthorized,
        403 => StopReason::Forbidden,
        409 => StopReason::Conflict,
        _ => return None,
    };
    Some(reason(refusal.clone()))
}

/// How a loss bears on the suspicion that another connection of the same agent evicts this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Eviction {
    /// The platform said so.
    Told,
    /// It may be one: that is how platforms end an evicted socket, among others.
    Maybe,
    /// It is none.
    No,
}

/// No close code ends the link: platforms and proxies use each of them for ends that must be mended.
pub(super) const fn eviction(reason: &Disconnect) -> Eviction {
    match reason {
        Disconnect::Superseded { .. } => Eviction::Told,
        Disconnect::Closed { code: Some(1000 | 1001), .. } => Eviction::Maybe,
        _ => Eviction::No,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_statuses_end_a_link_and_no_other_does() {
        for status in 0..1000_u16 {
            let refusal = Refusal::status(status);
            let expected = match status {
                400 => Some(StopReason::BadRequest(refusal.clone())),
                401 => Some(StopReason::Unauthorized(refusal.clone())),
                403 => Some(StopReason::Forbidden(refusal.clone())),
                409 => Some(StopReason::Conflict(refusal.clone())),
                _ => None,
            };
            assert_eq!(terminal(&refusal), expected);
        }
    }

    #[test]
    fn only_a_push_says_for_sure_that_a_peer_took_over() {
        let closed = |code| Disconnect::Closed { code, reason: String::new() };
        for (reason, expected) in [
            (Disconnect::Superseded { message: String::new(), retry_after: None }, Eviction::Told),
            (closed(Some(1000)), Eviction::Maybe),
            (closed(Some(1001)), Eviction::Maybe),
            (closed(None), Eviction::No),
            (closed(Some(1002)), Eviction::No),
            (closed(Some(1006)), Eviction::No),
            (closed(Some(1008)), Eviction::No),
            (closed(Some(1011)), Eviction::No),
            (closed(Some(1012)), Eviction::No),
            (closed(Some(1013)), Eviction::No),
            (closed(Some(4000)), Eviction::No),
            (Disconnect::Broken(String::new()), Eviction::No),
            (Disconnect::Dead, Eviction::No),
            (Disconnect::OpenTimedOut, Eviction::No),
            (Disconnect::Malformed, Eviction::No),
            (Disconnect::Refused(Refusal::status(503)), Eviction::No),
        ] {
            assert_eq!(eviction(&reason), expected, "{reason}");
        }
    }
}
