//! Addresses of servers: what a plan may write.

use url::Url;

/// What is wrong with an address; `None` if nothing is. The address is not repeated: it may hold a password.
pub(super) fn wrong_address(written: &str) -> Option<&'static str> {
    if written.contains(|letter: char| letter == '\\' || letter.is_whitespace() || letter.is_control()) {
        return Some("an address has no backslash and no white space");
    }
    let Ok(url) = Url::parse(written) else { return Some("this is no address") };
    if !matches!(url.scheme(), "http" | "https") || url.host().is_none() {
        return Some("this is no address of an HTTP server");
    }
    // Also an empty user, which the parser forgets.
    if written.contains('@') {
        return Some("an address with a user or a password in it would stand in every record");
    }
    (written.contains('?') || written.contains('#'))
        .then_some("paths are added to the address, so that it cannot have a `?` or `#`")
}

#[cfg(test)]
mod tests {
    use super::wrong_address;

    #[test]
    fn an_address_is_a_host_a_port_and_a_path() {
        for right in
            ["http://127.0.0.1:8080", "https://example.com/v1", "http://[::1]:1/x/", "http://localhost"]
        {
            assert_eq!(wrong_address(right), None, "{right}");
        }
        for wrong in [
            r"http://example.com\@127.0.0.1",
            "http://me:word@127.0.0.1",
            "http://@127.0.0.1",
            "http://127.0.0.1?x=1",
            "http://127.0.0.1/#x",
            "http://127.0.0.1 ",
            "http://127.0.0.1:99999",
            "http://[::1",
            "ftp://127.0.0.1",
            "127.0.0.1:80",
        ] {
            assert!(wrong_address(wrong).is_some_and(|problem| !problem.contains("word@")), "{wrong}");
        }
    }
}
