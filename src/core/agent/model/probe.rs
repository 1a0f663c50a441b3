//! The probe of tools: one small request that finds out how a model calls them.

use std::time::Duration;

use crate::agent::prompt::Transcript;
use crate::agent::settings::ToolMode;
use crate::agent::tools::{Completion, Cut, OfferedSet};
use crate::agent::{ModelFailure, Request};

const TOOL: &str = "ready";

const QUESTION: &str = "This is a test of tool calls. Call the tool `ready` now, and write nothing else.";

/// A model that writes for longer than this has not understood.
const WITHIN: Duration = Duration::from_secs(30);

pub struct Probe {
    transcript: Transcript,
    tools: OfferedSet,
}

impl Default for Probe {
    fn default() -> Self {
        Self {
            transcript: Transcript::of_host(QUESTION.to_owned()),
            tools: OfferedSet::of_one(TOOL, "Say that tool calls work"),
        }
    }
}

impl Probe {
    pub fn request<'a>(&'a self, model: &'a str) -> Request<'a> {
        Request { conversation: None, model, transcript: &self.transcript, tools: &self.tools, within: WITHIN }
    }

    /// Returns how the model calls tools, judging by its answer.
    ///
    /// # Errors
    /// If the answer is inconclusive, with the reason.
    pub fn found(answer: Result<Completion, ModelFailure>) -> Result<ToolMode, ModelFailure> {
        match answer {
            Ok(Completion { cut: Some(Cut::Call), .. }) => Ok(ToolMode::Text),
            Ok(Completion { cut: Some(_), .. }) => Err(ModelFailure::CutOff),
            Ok(completion) if !completion.calls.is_empty() => Ok(ToolMode::Native),
            // The call is in the text; or there are only words, because the server's template silently drops tools.
            // Such a model sees them in the system text.
            Ok(_) | Err(ModelFailure::ToolsUnsupported | ModelFailure::LostCall) => Ok(ToolMode::Text),
            Err(ModelFailure::TooManyCalls) => Ok(ToolMode::Native),
            Err(failure) => Err(failure),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Map;

    use super::*;
    use crate::agent::tools::{RawArguments, RawCall};

    fn says(text: &str) -> Completion {
        Completion { text: text.to_owned(), ..Completion::default() }
    }

    #[test]
    fn a_call_shows_the_mode_and_a_server_that_fails_shows_nothing() {
        let call = RawCall { id: None, name: TOOL.to_owned(), arguments: RawArguments::Object(Map::new()) };
        let called = Completion { calls: vec![call], ..Completion::default() };
        let lost = Completion { cut: Some(Cut::Call), ..says("I call it.") };
        let half = Completion { cut: Some(Cut::Length), ..says("I am thi") };
        let cases = [
            (Ok(called), Ok(ToolMode::Native)),
            (Err(ModelFailure::TooManyCalls), Ok(ToolMode::Native)),
            (Ok(says("<tool_call>{\"name\": \"ready\", \"arguments\": {}}</tool_call>")), Ok(ToolMode::Text)),
            (Ok(says("There is no such tool.")), Ok(ToolMode::Text)),
            (Err(ModelFailure::ToolsUnsupported), Ok(ToolMode::Text)),
            (Err(ModelFailure::LostCall), Ok(ToolMode::Text)),
            (Ok(lost), Ok(ToolMode::Text)),
            (Ok(half), Err(ModelFailure::CutOff)),
            (Err(ModelFailure::Unreachable), Err(ModelFailure::Unreachable)),
            (Err(ModelFailure::Refused(400)), Err(ModelFailure::Refused(400))),
            (Err(ModelFailure::Empty), Err(ModelFailure::Empty)),
        ];
        for (answer, expected) in cases {
            assert_eq!(Probe::found(answer.clone()), expected, "{answer:?}");
        }
    }

    #[test]
    fn the_request_names_its_tool_and_asks_for_it() {
        let probe = Probe::default();
        let request = probe.request("llama");
        assert_eq!(request.tools.tools().iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), [TOOL]);
        assert!(QUESTION.contains(TOOL) && !QUESTION.starts_with('/'));
        assert_eq!(request.transcript.messages().len(), 1);
    }
}
