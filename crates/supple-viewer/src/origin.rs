//! Who may talk to the server: pages that it served itself.

use axum::http::HeaderMap;
use axum::http::header::{HOST, ORIGIN};

/// Why a request is refused.
pub(crate) const REFUSED: &str = "this server talks to its own page only";

/// Whether a request comes from a page of this server, or from no page at all. On loopback the host must be a name of loopback too:
/// another name that leads here is somebody's trick.
pub(crate) fn is_own(headers: &HeaderMap, loopback_only: bool) -> bool {
    let text = |name| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    let host = text(HOST).unwrap_or_default();
    if loopback_only && !is_loopback(host) {
        return false;
    }
    match text(ORIGIN) {
        None => true,
        Some(origin) => origin.split_once("://").is_some_and(|(_, of)| of.eq_ignore_ascii_case(host)),
    }
}

/// Whether a host with or without port is this machine.
fn is_loopback(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => host,
    };
    ["localhost", "127.0.0.1", "[::1]"].iter().any(|known| name.eq_ignore_ascii_case(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(host: &str, origin: Option<&str>) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(HOST, host.parse().unwrap_or_else(|_| panic!("{host}")));
        if let Some(origin) = origin {
            headers.insert(ORIGIN, origin.parse().unwrap_or_else(|_| panic!("{origin}")));
        }
        headers
    }

    #[test]
    fn only_its_own_page() {
        let own = |host, origin| is_own(&headers(host, origin), true);
        assert!(own("127.0.0.1:7878", None));
        assert!(own("127.0.0.1:7878", Some("http://127.0.0.1:7878")));
        assert!(own("localhost:7878", Some("http://localhost:7878")));
        assert!(own("[::1]:7878", Some("http://[::1]:7878")));
        assert!(!own("127.0.0.1:7878", Some("http://127.0.0.1:80")));
        assert!(!own("127.0.0.1:7878", Some("https://example.org")));
        assert!(!own("127.0.0.1:7878", Some("null")));
        // another name for this machine
        assert!(!own("evil.example:7878", Some("http://evil.example:7878")));
        assert!(is_own(&headers("box.local:7878", Some("http://box.local:7878")), false));
        assert!(!is_own(&headers("box.local:7878", Some("http://example.org")), false));
    }
}
