//! Who may talk to the server: pages that it served itself, and beyond loopback only those that know its token.

use std::net::IpAddr;

use axum::http::header::{HOST, ORIGIN};
use axum::http::{HeaderMap, Uri};

use crate::token::Token;

/// Lets requests in, or says why not.
#[derive(Clone, Debug)]
pub(crate) struct Guard {
    host: IpAddr,
    /// None on loopback, where whoever could read it could read the page as well.
    token: Option<Token>,
}

impl Guard {
    /// For a server that listens on this address.
    pub(crate) fn new(host: IpAddr) -> std::io::Result<Self> {
        let token = if host.is_loopback() { None } else { Some(Token::new()?) };
        Ok(Self { host, token })
    }

    pub(crate) fn token(&self) -> Option<&Token> {
        self.token.as_ref()
    }

    /// Whether a request was sent to this server by a name of it. A page of somebody else can have its own name lead here, and would then be of
    /// the same origin: so names do not count, but for those of loopback. An address that is spelled out leads nowhere else.
    pub(crate) fn knows_host(&self, headers: &HeaderMap) -> Result<(), &'static str> {
        let host = text(headers, HOST).unwrap_or_default();
        let name = without_port(host);
        let literal = name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>().ok();
        let known = match literal {
            Some(address) => !self.host.is_loopback() || address.is_loopback(),
            None => name.eq_ignore_ascii_case("localhost"),
        };
        if known { Ok(()) } else { Err("this server is known by its address only, not by this name") }
    }

    /// Whether a request for what moves comes from a page of this server, or from no page at all, and knows the token.
    pub(crate) fn lets_in(&self, headers: &HeaderMap, uri: &Uri) -> Result<(), &'static str> {
        self.knows_host(headers)?;
        let host = text(headers, HOST).unwrap_or_default();
        let own =
            |origin: &str| origin.split_once("://").is_some_and(|(_, of)| of.eq_ignore_ascii_case(host));
        if !text(headers, ORIGIN).is_none_or(own) {
            return Err("this server talks to its own page only");
        }
        let words =
            || uri.query().unwrap_or_default().split('&').filter_map(|pair| pair.strip_prefix("token="));
        if self.token.as_ref().is_some_and(|token| !words().any(|word| token.is(word))) {
            return Err("this server wants its token: open the whole address that `supple view` printed");
        }
        Ok(())
    }
}

fn text(headers: &HeaderMap, name: axum::http::HeaderName) -> Option<&str> {
    headers.get(name).map(|value| value.to_str().unwrap_or("?"))
}

/// A host without its port.
fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        // an address of IPv6 has colons of its own, within brackets
        Some((name, port)) if !port.contains(']') && port.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => host,
    }
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

    fn guard(host: &str) -> Guard {
        let host = host.parse().unwrap_or_else(|_| panic!("{host}"));
        Guard::new(host).unwrap_or_else(|e| panic!("{e}"))
    }

    #[test]
    fn only_its_own_page() {
        let own = |host, origin| {
            guard("127.0.0.1").lets_in(&headers(host, origin), &Uri::from_static("/ws")).is_ok()
        };
        assert!(own("127.0.0.1:7878", None));
        assert!(own("127.0.0.1:7878", Some("http://127.0.0.1:7878")));
        assert!(own("localhost:7878", Some("http://localhost:7878")));
        assert!(own("[::1]:7878", Some("http://[::1]:7878")));
        assert!(own("[::1]", Some("http://[::1]")));
        assert!(!own("127.0.0.1:7878", Some("http://127.0.0.1:80")));
        assert!(!own("127.0.0.1:7878", Some("https://example.org")));
        assert!(!own("127.0.0.1:7878", Some("null")));
        // another name for this machine, and another machine
        assert!(!own("evil.example:7878", Some("http://evil.example:7878")));
        assert!(!own("192.168.1.5:7878", Some("http://192.168.1.5:7878")));
        assert!(!own("", None) && !own("127.0.0.1.evil.example", None));
    }

    /// A page of somebody else, whose name leads to this machine, used to be let in.
    #[test]
    fn beyond_loopback_names_do_not_count_and_the_token_does() {
        for host in ["0.0.0.0", "::", "192.168.1.5"] {
            let guard = guard(host);
            let token = guard.token().map(|token| token.text().to_owned()).unwrap_or_default();
            let own = |host: &str, query: &str| {
                let uri: Uri = format!("/ws{query}").parse().unwrap_or_else(|_| panic!("{query}"));
                guard.lets_in(&headers(host, Some(&format!("http://{host}"))), &uri).is_ok()
            };
            let right = format!("?token={token}");
            assert!(own("192.168.1.5:7878", &right) && own("[fe80::1]:7878", &right));
            assert!(own("localhost:7878", &format!("?quality=low&token={token}")));
            for wrong in ["", "?token=", "?token", "?token=00000000000000000000000000000000", "?other=1"] {
                assert!(!own("192.168.1.5:7878", wrong), "{wrong}");
            }
            assert!(!own("evil.example:7878", &right) && !own("box.local:7878", &right));
        }
    }
}
