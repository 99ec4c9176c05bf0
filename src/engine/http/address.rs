//! Where an address leads.

/// True if requests to it stay on this machine.
pub fn is_loopback(address: &str) -> bool {
    let host = host_of(address);
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    name == "localhost" || name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Host and port of an address.
pub fn host_of(address: &str) -> &str {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    authority.rsplit('@').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::is_loopback;

    #[test]
    fn only_addresses_of_this_machine_need_no_consent() {
        for here in ["http://127.0.0.1:1", "http://[::1]:1/x", "http://localhost", "http://localhost:8080"] {
            assert!(is_loopback(here), "{here}");
        }
        for beyond in [
            "http://localhost.example",
            "http://127.0.0.1.example",
            "http://127.0.0.1@example.com",
            "http://0.0.0.0:1",
            "https://huggingface.co",
        ] {
            assert!(!is_loopback(beyond), "{beyond}");
        }
    }
}
