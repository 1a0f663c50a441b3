//! What a person is told when nothing runs.

use crate::router::Route;

/// The words for a route that neither runs nor chats; `None` for those that do, and for what is ignored.
pub fn refusal(route: &Route) -> Option<String> {
    let _inputs = route;
    None
}

/// Untrusted text as it may be quoted in a reply.
pub fn excerpt(text: &str) -> String {
    text.to_owned()
}
