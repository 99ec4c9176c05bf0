//! Where an address leads: read by the parser that the HTTP client itself uses (<https://url.spec.whatwg.org>), for two
//! readings of one address would let a plan name one server and ask another.

use url::{Host, Url};

/// True if requests to it stay on this machine.
pub fn is_loopback(address: &str) -> bool {
    let Some(url) = parsed(address) else { return false };
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// Host and port of an address, as far as it says one; the address itself where it cannot be read.
pub fn host_of(address: &str) -> String {
    let read = || {
        let url = parsed(address)?;
        let host = url.host_str()?;
        Some(url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}")))
    };
    read().unwrap_or_else(|| address.to_owned())
}

/// The port that is asked, said or not.
pub fn port_of(address: &str) -> Option<u16> {
    parsed(address)?.port_or_known_default()
}

/// An address that the client would ask.
fn parsed(address: &str) -> Option<Url> {
    Url::parse(address).ok().filter(|url| matches!(url.scheme(), "http" | "https"))
}

#[cfg(test)]
mod tests {
    use super::{host_of, is_loopback};

    #[test]
    fn only_addresses_of_this_machine_need_no_consent() {
        for here in ["http://127.0.0.1:1", "http://[::1]:1/x", "http://localhost", "http://LOCALHOST:8080"] {
            assert!(is_loopback(here), "{here}");
        }
        for beyond in [
            "http://localhost.example",
            "http://127.0.0.1.example",
            "http://127.0.0.1@example.com",
            r"http://example.com\@127.0.0.1",
            r"http://example.com\@localhost:1/x",
            "http://example.com\t\\@127.0.0.1",
            "http:\\\\example.com/@127.0.0.1",
            "http://example.com?@127.0.0.1",
            "http://example.com#@127.0.0.1",
            "ftp://localhost",
            "localhost:8080",
            "http://0.0.0.0:1",
            "http://",
            "https://huggingface.co",
        ] {
            assert!(!is_loopback(beyond), "{beyond}");
        }
    }

    #[test]
    fn the_host_that_is_told_is_the_one_that_is_asked() {
        for (address, host) in [
            ("http://127.0.0.1:81/x", "127.0.0.1:81"),
            ("https://huggingface.co", "huggingface.co"),
            (r"http://example.com\@127.0.0.1", "example.com"),
            ("nothing", "nothing"),
        ] {
            assert_eq!(host_of(address), host);
        }
    }
}
