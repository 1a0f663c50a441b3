//! Formats an error for the log: on one line, with all its causes.

use std::error::Error;
use std::io::{self, ErrorKind};

/// Returns the error's message, followed by that of each cause.
pub fn with_causes(problem: &dyn Error) -> String {
    let causes = std::iter::successors(problem.source(), |&cause| cause.source());
    causes.fold(problem.to_string(), |text, cause| format!("{text}: {cause}"))
}

/// Explains why a request never reached its host, for the log: `no connection to example.com: connection refused: …`.
/// The text of the error itself is left out, because it may hold an address with a password.
pub fn no_connection(host: Option<&str>, problem: &dyn Error) -> String {
    let causes: Vec<_> = std::iter::successors(problem.source(), |&cause| cause.source()).collect();
    let kind = causes.iter().find_map(|cause| network_cause(*cause));
    let detail = causes.last().map(ToString::to_string).filter(|detail| Some(detail.as_str()) != kind);
    let to = host.map(|host| format!("to {host}"));
    let parts = [kind.map(str::to_owned), detail].into_iter().flatten().map(|part| format!(": {part}"));
    format!("no connection {}{}", to.as_deref().unwrap_or_default(), parts.collect::<String>())
}

/// Returns the word for a known network cause.
fn network_cause(cause: &(dyn Error + 'static)) -> Option<&'static str> {
    let text = cause.to_string();
    if text.starts_with("dns error") || text.starts_with("failed to lookup address") {
        return Some("DNS");
    }
    if text.contains("certificate") || text.contains("TLS") {
        return Some("TLS");
    }
    if text.contains("timed out") {
        return Some("timeout");
    }
    match cause.downcast_ref::<io::Error>()?.kind() {
        ErrorKind::ConnectionRefused => Some("connection refused"),
        ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted | ErrorKind::UnexpectedEof => Some("connection lost"),
        ErrorKind::HostUnreachable | ErrorKind::NetworkUnreachable | ErrorKind::NetworkDown => Some("no route"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An error with a cause, as clients of HTTP return it.
    #[derive(Debug, thiserror::Error)]
    #[error("{0}")]
    struct Because(&'static str, #[source] io::Error);

    #[test]
    fn what_kept_a_request_from_its_host_is_named_with_the_host() {
        let refused = || io::Error::from(ErrorKind::ConnectionRefused);
        let unknown = || io::Error::other("failed to lookup address information: Name or service not known");
        let certificate = || io::Error::new(ErrorKind::InvalidData, "invalid peer certificate: UnknownIssuer");
        for (cause, expected) in [
            (refused(), "no connection to a.example: connection refused"),
            (
                unknown(),
                "no connection to a.example: DNS: failed to lookup address information: Name or \
                 service not known",
            ),
            (certificate(), "no connection to a.example: TLS: invalid peer certificate: UnknownIssuer"),
            (ErrorKind::TimedOut.into(), "no connection to a.example: timeout: timed out"),
            (io::Error::other("out of sockets"), "no connection to a.example: out of sockets"),
        ] {
            assert_eq!(no_connection(Some("a.example"), &Because("error for https://key@a.example", cause)), expected);
        }
    }
}
