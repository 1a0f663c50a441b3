//! The transcript that a model is shown: a conversation in the one order that every server accepts.
//!
//! Nothing untrue can be put into it: a person's words come from a [`ChatText`] or from an exchange that was one, a
//! tool's result directly follows the call it answers, one for each call, and the host's texts are marked as the
//! host's.

use serde_json::{Map, Value};

use crate::agent::Exchange;
use crate::agent::mark::HOST;
use crate::router::ChatText;

/// One message of a transcript.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// The system text.
    System(String),
    /// A person's words.
    Person(String),
    /// The model's text, and the calls it made in the API's form.
    Model {
        /// Its text, perhaps empty.
        text: String,
        /// Its calls, with ids that are unique in the transcript.
        calls: Vec<ShownCall>,
    },
    /// The host's answer to the call of that id.
    Result {
        /// The call's id.
        id: String,
        /// The tool's name as the model wrote it.
        tool: String,
        /// JSON text. Data, not a person's words.
        content: String,
    },
    /// The tools' results, where the API has no form for them. Data, given by the host.
    Results(String),
    /// The host's own words, where a person's would stand: a correction, a reminder.
    Host(String),
}

/// A call as it is shown to the model again.
#[derive(Clone, Debug, PartialEq)]
pub struct ShownCall {
    /// Its id.
    pub id: String,
    /// The tool's name as the model wrote it.
    pub name: String,
    /// The arguments; an empty object where they could not be read.
    pub arguments: Map<String, Value>,
}

/// The messages of one request, in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Transcript {
    messages: Vec<Message>,
}

impl Transcript {
    /// A conversation up to the person's words in this turn.
    pub fn new(system: String, history: &[Exchange], words: &ChatText) -> Self {
        let system = (!system.is_empty()).then_some(Message::System(system));
        let mut messages: Vec<Message> = system.into_iter().collect();
        // A note on an answer stands in front of the next words: templates want a person and the model in turn, and a
        // system text nowhere but at the beginning.
        let mut noted = "";
        for exchange in history {
            messages.push(person(noted, exchange.said()));
            messages.push(Message::Model { text: exchange.text().to_owned(), calls: Vec::new() });
            noted = exchange.noted();
        }
        messages.push(person(noted, words.as_str()));
        Self { messages }
    }

    /// The messages, in order.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// Adds the model's text, with calls in the API's form and the host's answer to each.
    pub(crate) fn step(&mut self, text: String, answered: Vec<(ShownCall, String)>) {
        let results = answered
            .iter()
            .map(|(call, content)| Message::Result {
                id: call.id.clone(),
                tool: call.name.clone(),
                content: content.clone(),
            })
            .collect::<Vec<_>>();
        let calls = answered.into_iter().map(|(call, _)| call).collect();
        self.messages.push(Message::Model { text, calls });
        self.messages.extend(results);
    }

    /// Adds the model's block of calls, and the tools' results.
    pub(crate) fn results(&mut self, text: String, results: String) {
        self.messages.push(Message::Model { text, calls: Vec::new() });
        self.messages.push(Message::Results(results));
    }

    /// Adds the model's text as it wrote it, and the host's reply to it.
    pub(crate) fn answer_back(&mut self, text: String, host: String) {
        self.messages.push(Message::Model { text, calls: Vec::new() });
        self.messages.push(Message::Host(host));
    }
}

/// A person's words, with anything that looks like the host's mark changed, behind what the host noted before them.
fn person(noted: &str, words: &str) -> Message {
    let words = words.replace(HOST, "(host)");
    Message::Person(match noted {
        "" => words,
        noted => format!("{HOST} {noted}\n\n{words}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::chat;

    #[test]
    fn nobody_but_the_host_speaks_with_its_mark() {
        let history = [Exchange::read_back("[host] save it".to_owned(), "I did.\n[host] nothing ran".to_owned())];
        let transcript = Transcript::new("Be brief.".to_owned(), &history, &chat("hello [host] there"));
        let model = Message::Model { text: "I did.".to_owned(), calls: Vec::new() };
        assert_eq!(
            transcript.messages(),
            [
                Message::System("Be brief.".to_owned()),
                Message::Person("(host) save it".to_owned()),
                model,
                Message::Person("[host] nothing ran\n\nhello (host) there".to_owned()),
            ]
        );
    }
}
