//! Errors inside an answer, by their names in the APIs.

use serde_json::{Value, json};

/// Adds to an error the status that it would have had in place of the answer, as some servers of chat completions write
/// it. The code determines the status, or else the type.
pub(super) fn reported(error: &Value) -> Value {
    let names: Vec<_> = [&error["code"], &error["type"]].into_iter().filter_map(Value::as_str).collect();
    let status = names.iter().find_map(|name| status(name));
    json!({ "error": { "code": status, "type": names.join(" "), "message": text(error) } })
}

/// Returns the message of an error. Some gateways write nothing else.
fn text(error: &Value) -> &Value {
    if error.is_string() { error } else { &error["message"] }
}

/// Returns the status of an error, as both APIs document it.
fn status(name: &str) -> Option<u16> {
    Some(match name {
        "invalid_request_error" | "invalid_prompt" | "context_length_exceeded" => 400,
        "authentication_error" => 401,
        "billing_error" => 402,
        "permission_error" => 403,
        "not_found_error" => 404,
        "request_too_large" => 413,
        "rate_limit_error" | "rate_limit_exceeded" => 429,
        "api_error" | "server_error" => 500,
        "timeout_error" => 504,
        "overloaded_error" => 529,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_has_the_status_of_its_code_or_of_its_type() {
        let cases = [
            (json!({"type": "overloaded_error", "message": "later"}), json!(529), "overloaded_error"),
            (json!({"code": "rate_limit_exceeded", "message": "later"}), json!(429), "rate_limit_exceeded"),
            (
                json!({"code": "some_code", "type": "invalid_request_error", "message": "later"}),
                json!(400),
                "some_code invalid_request_error",
            ),
            (json!({"code": null, "type": "error", "message": "later"}), Value::Null, "error"),
            (json!({"code": 7, "type": ["x"], "message": "later"}), Value::Null, ""),
            (json!("later"), Value::Null, ""),
        ];
        for (error, code, kind) in cases {
            let expected = json!({"error": {"code": code, "type": kind, "message": "later"}});
            assert_eq!(reported(&error), expected, "{error}");
        }
    }
}
