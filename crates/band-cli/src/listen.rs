//! Ports: the one that was asked for, or the next free one.

use std::net::{Ipv4Addr, SocketAddr};

/// How many ports are tried, the first included.
pub(crate) const PORTS_TRIED: u16 = 100;

/// Loopback addresses from a port on. Port 0 lets the system choose, so there is nothing to search.
pub(crate) fn candidates(first: u16) -> impl Iterator<Item = SocketAddr> {
    let last = if first == 0 { 0 } else { first.saturating_add(PORTS_TRIED - 1) };
    (first..=last).map(|port| SocketAddr::from((Ipv4Addr::LOCALHOST, port)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ports(first: u16) -> Vec<u16> {
        candidates(first).map(|address| address.port()).collect()
    }

    #[test]
    fn the_search_goes_up_and_ends() {
        let tried = ports(4000);
        assert_eq!((tried.first(), tried.last(), tried.len()), (Some(&4000), Some(&4099), 100));
        assert_eq!(ports(65_530), [65_530, 65_531, 65_532, 65_533, 65_534, 65_535]);
        assert_eq!(ports(0), [0]);
    }

    #[test]
    fn nothing_but_loopback_is_tried() {
        assert!(candidates(4000).all(|address| address.ip().is_loopback()));
    }
}
