//! Discord's error responses: status, code, message, and the `errors` tree that points into the body.

use serde_json::{Map, Value, json};

/// An error response.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// The HTTP status.
    pub status: u16,
    /// Discord's JSON error code, for example 50035.
    pub code: i64,
    /// Discord's message for the code.
    pub message: String,
    /// For 50035: the tree with an `_errors` list at each invalid field.
    pub errors: Option<Value>,
    /// For limits that end by themselves. Boxed because few refusals have it, and it would enlarge every `Result`.
    wait: Option<Box<Wait>>,
}

/// The `retry_after` of a refusal.
#[derive(Clone, Debug, PartialEq)]
struct Wait {
    seconds: f64,
    /// For 429: whether it is the global limit.
    global: Option<bool>,
}

impl Refusal {
    pub(crate) fn new(status: u16, code: i64, message: impl Into<String>) -> Refusal {
        Refusal { status, code, message: message.into(), errors: None, wait: None }
    }

    /// Adds `retry_after`, in seconds.
    pub(crate) fn retry_after(self, seconds: f64) -> Refusal {
        Refusal { wait: Some(Box::new(Wait { seconds, global: None })), ..self }
    }

    pub(crate) fn rate_limited(seconds: f64, global: bool) -> Refusal {
        let wait = Some(Box::new(Wait { seconds, global: Some(global) }));
        Refusal { wait, ..Refusal::new(429, 0, "You are being rate limited.") }
    }

    pub(crate) fn not_found() -> Refusal {
        Refusal::new(404, 0, "404: Not Found")
    }

    pub(crate) fn unauthorized() -> Refusal {
        Refusal::new(401, 0, "401: Unauthorized")
    }

    pub(crate) fn unknown_channel() -> Refusal {
        Refusal::new(404, 10003, "Unknown Channel")
    }

    pub(crate) fn unknown_message() -> Refusal {
        Refusal::new(404, 10008, "Unknown Message")
    }

    pub(crate) fn unknown_webhook() -> Refusal {
        Refusal::new(404, 10015, "Unknown Webhook")
    }

    pub(crate) fn unknown_interaction() -> Refusal {
        Refusal::new(404, 10062, "Unknown interaction")
    }

    pub(crate) fn unknown_command() -> Refusal {
        Refusal::new(404, 10063, "Unknown application command")
    }

    pub(crate) fn already_acknowledged() -> Refusal {
        Refusal::new(400, 40060, "Interaction has already been acknowledged.")
    }

    pub(crate) fn empty_message() -> Refusal {
        Refusal::new(400, 50006, "Cannot send an empty message")
    }

    pub(crate) fn invalid_webhook_token() -> Refusal {
        Refusal::new(401, 50027, "Invalid Webhook Token")
    }

    pub(crate) fn too_many_follow_ups() -> Refusal {
        Refusal::new(400, 40094, "You have reached the maximum number of follow-up messages for this interaction.")
    }

    pub(crate) fn file_too_large() -> Refusal {
        Refusal::new(413, 40005, "Request entity too large")
    }

    /// The JSON body of the response.
    pub fn body(&self) -> Value {
        let mut body = json!({"message": self.message, "code": self.code});
        if let Some(wait) = &self.wait {
            body["retry_after"] = json!(wait.seconds);
            if let Some(global) = wait.global {
                body["global"] = json!(global);
            }
        }
        if let (Some(errors), Some(fields)) = (&self.errors, body.as_object_mut()) {
            fields.insert("errors".to_owned(), errors.clone());
        }
        body
    }

    /// The rule that was broken: for 50035 the list of [`Refusal::places`], for a rate limit `rate limit: bucket` or
    /// `rate limit: global`, otherwise Discord's message.
    pub fn rule(&self) -> String {
        match self.wait.as_ref().and_then(|wait| wait.global) {
            Some(true) => "rate limit: global".to_owned(),
            Some(false) => "rate limit: bucket".to_owned(),
            None if self.errors.is_some() => self.places().join(", "),
            None => self.message.clone(),
        }
    }

    /// The invalid fields as dotted paths, each with its inner code, for example
    /// `0.name APPLICATION_COMMAND_INVALID_NAME`. The path of the whole body is `body`.
    pub fn places(&self) -> Vec<String> {
        let mut places = Vec::new();
        if let Some(errors) = &self.errors {
            collect_places(errors, "", &mut places);
        }
        places.sort();
        places
    }
}

fn collect_places(tree: &Value, path: &str, places: &mut Vec<String>) {
    for (key, branch) in tree.as_object().into_iter().flatten() {
        if key == "_errors" {
            let place = if path.is_empty() { "body" } else { path };
            for error in branch.as_array().into_iter().flatten() {
                places.push(format!("{place} {}", error["code"].as_str().unwrap_or_default()));
            }
        } else {
            let deeper = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            collect_places(branch, &deeper, places);
        }
    }
}

/// The path of a field in a request body.
#[derive(Clone, Debug, Default)]
pub(crate) struct Path(Vec<String>);

impl Path {
    /// The path of a child: a field name or an index.
    pub(crate) fn then(&self, step: impl ToString) -> Path {
        let mut steps = self.0.clone();
        steps.push(step.to_string());
        Path(steps)
    }
}

/// All invalid fields of one body. Discord reports all of them at once, and so does the twin.
#[derive(Default)]
pub(crate) struct Problems {
    tree: Map<String, Value>,
}

impl Problems {
    pub(crate) fn add(&mut self, path: &Path, code: &str, message: impl Into<String>) {
        let mut place = &mut self.tree;
        for step in &path.0 {
            let branch = place.entry(step.clone()).or_insert_with(|| json!({}));
            let Some(fields) = branch.as_object_mut() else { return };
            place = fields;
        }
        let list = place.entry("_errors").or_insert_with(|| json!([]));
        if let Some(list) = list.as_array_mut() {
            list.push(json!({"code": code, "message": message.into()}));
        }
    }

    pub(crate) fn required(&mut self, path: &Path) {
        self.add(path, "BASE_TYPE_REQUIRED", "This field is required");
    }

    pub(crate) fn not_one_of(&mut self, path: &Path, allowed: &[u64]) {
        let allowed = allowed.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
        self.add(path, "BASE_TYPE_CHOICES", format!("Value must be one of {{{allowed}}}."));
    }

    /// `Ok` if there are no problems, otherwise code 50035 with the tree.
    pub(crate) fn finish(self) -> Result<(), Refusal> {
        if self.tree.is_empty() {
            return Ok(());
        }
        let mut refusal = Refusal::new(400, 50035, "Invalid Form Body");
        refusal.errors = Some(Value::Object(self.tree));
        Err(refusal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems_become_discords_tree() {
        let mut problems = Problems::default();
        let options = Path::default().then(0).then("options");
        problems.required(&options.then(2).then("name"));
        problems.add(&options, "BASE_TYPE_MAX_LENGTH", "Must be 25 or fewer in length.");
        let refusal = problems.finish().err();
        assert_eq!(
            refusal.as_ref().map(Refusal::body),
            Some(json!({
                "message": "Invalid Form Body",
                "code": 50035,
                "errors": {"0": {"options": {
                    "2": {"name": {"_errors": [{"code": "BASE_TYPE_REQUIRED", "message": "This field is required"}]}},
                    "_errors": [{"code": "BASE_TYPE_MAX_LENGTH", "message": "Must be 25 or fewer in length."}],
                }}},
            }))
        );
        assert_eq!(
            refusal.map(|refusal| refusal.places()),
            Some(vec!["0.options BASE_TYPE_MAX_LENGTH".to_owned(), "0.options.2.name BASE_TYPE_REQUIRED".to_owned()])
        );
    }

    #[test]
    fn no_problem_is_no_refusal() {
        assert_eq!(Problems::default().finish(), Ok(()));
    }
}
