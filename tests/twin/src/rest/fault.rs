//! Injected faults: answers that fail, and answers that are delayed.

use std::time::Duration;

use serde_json::{Value, json};

/// An error with which to answer the next matching requests. Used by [`Twin::fail_next`].
///
/// [`Twin::fail_next`]: crate::Twin::fail_next
#[derive(Clone, Debug)]
pub struct Fault {
    matcher: Matcher,
    left: u32,
    pub(crate) answer: FaultAnswer,
}

/// The answer to a matching request.
#[derive(Clone, Debug)]
pub(crate) struct FaultAnswer {
    pub(crate) status: u16,
    pub(crate) body: Value,
    pub(crate) retry_after: Option<String>,
    /// The scope of a 429: `user`, `global` or `shared`.
    pub(crate) scope: Option<&'static str>,
    /// The request is carried out all the same.
    pub(crate) is_carried_out: bool,
    /// The connection is reset in the middle of the body.
    pub(crate) breaks_off: bool,
}

impl Fault {
    /// Answers one request with status 500: the next with this method (`*` for any) whose path starts with this prefix.
    /// The prefix may be given with or without `/api/v10`.
    pub fn new(method: &str, path_prefix: &str) -> Fault {
        let answer = FaultAnswer {
            status: 500,
            body: json!({"message": "500: Internal Server Error", "code": 0}),
            retry_after: None,
            scope: None,
            is_carried_out: false,
            breaks_off: false,
        };
        Fault { matcher: Matcher::new(method, path_prefix), left: 1, answer }
    }

    /// A 429 as Discord sends it, with a `Retry-After` header.
    pub fn rate_limited(method: &str, path_prefix: &str, seconds: f64) -> Fault {
        let body = json!({"message": "You are being rate limited.", "retry_after": seconds, "global": false});
        let mut fault = Fault::new(method, path_prefix).status(429).body(body);
        fault.answer.retry_after = Some(seconds.to_string());
        fault.answer.scope = Some("user");
        fault
    }

    /// A 429 of scope `shared`, a limit that all bots share. It does not count as an invalid request.
    pub fn shared_limit(method: &str, path_prefix: &str, seconds: f64) -> Fault {
        let mut fault = Fault::rate_limited(method, path_prefix, seconds);
        fault.answer.scope = Some("shared");
        fault
    }

    /// A 429 of scope `global`.
    pub fn global_limit(method: &str, path_prefix: &str, seconds: f64) -> Fault {
        let mut fault = Fault::rate_limited(method, path_prefix, seconds);
        fault.answer.body["global"] = json!(true);
        fault.answer.scope = Some("global");
        fault
    }

    /// Status 200 with a page for people, as from a proxy.
    pub fn page(method: &str, path_prefix: &str) -> Fault {
        Fault::new(method, path_prefix).status(200).body(json!("<!doctype html><title>Welcome</title>"))
    }

    /// Status 200, and the connection is reset in the middle of the body.
    pub fn broken_off(method: &str, path_prefix: &str) -> Fault {
        let mut fault = Fault::page(method, path_prefix);
        fault.answer.breaks_off = true;
        fault
    }

    /// The request is carried out, and only its answer is lost on the way.
    pub fn carried_out(mut self) -> Fault {
        self.answer.is_carried_out = true;
        self
    }

    /// Sets the status of the answer.
    pub fn status(mut self, status: u16) -> Fault {
        self.answer.status = status;
        self
    }

    /// Sets the body of the answer: JSON, or the text of a page.
    pub fn body(mut self, body: Value) -> Fault {
        self.answer.body = body;
        self
    }

    /// Sets the body of the answer to a Discord error with this code and message.
    pub fn code(self, code: i64, message: &str) -> Fault {
        self.body(json!({"message": message, "code": code}))
    }

    /// Adds a `Retry-After` header.
    pub fn retry_after(mut self, seconds: impl ToString) -> Fault {
        self.answer.retry_after = Some(seconds.to_string());
        self
    }

    /// Applies to this many requests instead of one.
    pub fn times(mut self, times: u32) -> Fault {
        self.left = times;
        self
    }
}

/// The faults and delays that are pending.
#[derive(Default)]
pub(crate) struct Faults {
    failures: Vec<Fault>,
    delays: Vec<(Matcher, Duration)>,
}

impl Faults {
    pub(crate) fn fail(&mut self, fault: Fault) {
        self.failures.push(fault);
    }

    pub(crate) fn delay(&mut self, method: &str, prefix: &str, by: Duration) {
        self.delays.push((Matcher::new(method, prefix), by));
    }

    pub(crate) fn clear(&mut self) {
        *self = Faults::default();
    }

    /// The answer of the first fault that matches this request. Uses the fault up by one.
    pub(crate) fn take(&mut self, method: &str, path: &str) -> Option<FaultAnswer> {
        let index = self.failures.iter().position(|fault| fault.left > 0 && fault.matcher.matches(method, path))?;
        let fault = self.failures.get_mut(index)?;
        fault.left -= 1;
        let answer = fault.answer.clone();
        self.failures.retain(|fault| fault.left > 0);
        Some(answer)
    }

    /// The delay of the answer to this request. The delay that was set last wins.
    pub(crate) fn delay_for(&self, method: &str, path: &str) -> Option<Duration> {
        self.delays.iter().rev().find(|(matcher, _)| matcher.matches(method, path)).map(|&(_, by)| by)
    }
}

/// Selects requests by method and path.
#[derive(Clone, Debug)]
struct Matcher {
    method: String,
    prefix: String,
}

impl Matcher {
    /// `*` stands for every method. The prefix may be given with or without `/api/v10`.
    fn new(method: &str, prefix: &str) -> Matcher {
        let prefix = prefix.strip_prefix(crate::rest::BASE).unwrap_or(prefix);
        Matcher { method: method.to_uppercase(), prefix: prefix.to_owned() }
    }

    fn matches(&self, method: &str, path: &str) -> bool {
        (self.method == "*" || self.method == method) && path.starts_with(&self.prefix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_is_used_up() {
        let mut faults = Faults::default();
        faults.fail(Fault::new("put", "/api/v10/applications").status(503).times(2));
        let mut statuses = || faults.take("PUT", "/applications/1/commands").map(|answer| answer.status);
        assert_eq!([statuses(), statuses(), statuses()], [Some(503), Some(503), None]);
    }

    #[test]
    fn other_requests_are_left_alone() {
        let mut faults = Faults::default();
        faults.fail(Fault::new("PUT", "/applications"));
        assert!(faults.take("GET", "/applications/1/commands").is_none());
        assert!(faults.take("PUT", "/channels/1").is_none());
        faults.delay("*", "/channels", Duration::from_millis(5));
        assert_eq!(faults.delay_for("GET", "/channels/1"), Some(Duration::from_millis(5)));
    }
}
