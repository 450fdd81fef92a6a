//! Under which addresses others find this machine.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, UdpSocket};

/// Addresses that nobody has (RFC 5737, RFC 3849): a way there is a way out.
const FAR_4: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));
const FAR_6: IpAddr = IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1));
/// "Discard": nothing is sent anyway.
const PORT: u16 = 9;

/// The addresses that a server which listens on `host` is reached by, those of loopback last. Of a machine in several networks only that of the
/// way out is found.
pub(crate) fn addresses(host: IpAddr) -> Vec<IpAddr> {
    match host {
        IpAddr::V4(all) if all.is_unspecified() => {
            way_out(FAR_4).into_iter().chain([Ipv4Addr::LOCALHOST.into()]).collect()
        }
        // it hears both kinds
        IpAddr::V6(all) if all.is_unspecified() => {
            let outer = [FAR_4, FAR_6].into_iter().filter_map(way_out);
            outer.chain([Ipv6Addr::LOCALHOST.into()]).collect()
        }
        one => vec![one],
    }
}

/// The address that this machine has where it would send something far away. Nothing is sent.
fn way_out(far: IpAddr) -> Option<IpAddr> {
    let any: IpAddr = if far.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
    let socket = UdpSocket::bind((any, 0)).ok()?;
    socket.connect((far, PORT)).ok()?;
    let own = socket.local_addr().ok()?.ip();
    (!own.is_unspecified() && !own.is_loopback()).then_some(own)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_means_all_is_not_one_to_open() {
        let given = |text: &str| addresses(text.parse().unwrap_or_else(|_| panic!("{text}")));
        for all in ["0.0.0.0", "::"] {
            let found = given(all);
            assert!(found.iter().all(|address| !address.is_unspecified()), "{found:?}");
            assert!(found.last().is_some_and(IpAddr::is_loopback), "{found:?}");
        }
        assert_eq!(given("127.0.0.1"), [Ipv4Addr::LOCALHOST]);
        assert_eq!(given("192.168.1.5"), [Ipv4Addr::new(192, 168, 1, 5)]);
    }
}
