//! The input lines of the command-line program: slash commands, mentions and direct messages.

use serde_json::Value;

use crate::interaction::Interaction;
use crate::interaction::options::typed_value;
use crate::message::Message;

/// What an input line stands for.
#[derive(Clone, Debug)]
pub enum Typed {
    /// A slash command: `/status metric:cpu`.
    Interaction(Interaction),
    /// A message: `@ text` mentions the bot, `dm text` is a direct message, any other text goes to the channel.
    Message(Message),
    /// An empty line.
    Nothing,
}

/// Discord's option types.
const SUB_COMMAND: u64 = 1;
const GROUP: u64 = 2;

/// Parses a line. `commands` are the registered commands; they tell which names are options, and their types.
pub fn read_line(line: &str, commands: &[Value]) -> Typed {
    let line = line.trim();
    if let Some(command) = line.strip_prefix('/') {
        return Typed::Interaction(slash(command, commands));
    }
    if let Some(text) = line.strip_prefix('@') {
        return Typed::Message(Message::to_bot(text.trim()));
    }
    match line.split_once(' ') {
        _ if line.is_empty() => Typed::Nothing,
        Some(("dm", text)) => Typed::Message(Message::text(text.trim()).in_dm()),
        _ => Typed::Message(Message::text(line)),
    }
}

fn slash(text: &str, commands: &[Value]) -> Interaction {
    let mut words = text.split_whitespace();
    let name = words.next().unwrap_or_default();
    let command = commands.iter().find(|command| command["name"] == name && command["type"] == 1);
    let mut level = command;
    let mut interaction = Interaction::slash(name);
    let mut pairs: Vec<(&str, String)> = Vec::new();
    for word in words {
        let option = word.split_once(':').filter(|(key, _)| command.is_none() || option_named(level, key).is_some());
        match (option, pairs.last_mut()) {
            (Some((key, value)), _) => pairs.push((key, value.to_owned())),
            // Words after `text:` belong to its value until the next option begins.
            (None, Some((_, value))) => *value = format!("{value} {word}"),
            (None, None) => {
                interaction = interaction.subcommand(word);
                let below = option_named(level, word);
                level = below.filter(|option| matches!(option["type"].as_u64(), Some(SUB_COMMAND | GROUP)));
            }
        }
    }
    for (key, value) in pairs {
        let kind = option_named(level, key).and_then(|option| option["type"].as_u64()).unwrap_or(3);
        interaction = interaction.option_as(kind, key, typed_value(kind, &value));
    }
    interaction
}

fn option_named<'a>(owner: Option<&'a Value>, name: &str) -> Option<&'a Value> {
    owner?["options"].as_array()?.iter().find(|option| option["name"] == name)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Sent;

    fn data(line: &str) -> Value {
        let option = |name: &str, kind: u64| json!({"name": name, "type": kind});
        let commands = [
            json!({"name": "remind", "type": 1, "options": [option("text", 3), option("minutes", 4), option("loud", 5)]}),
            json!({"name": "set", "type": 1, "options": [{"name": "limit", "type": 1, "options": [option("value", 10)]}]}),
        ];
        match read_line(line, &commands) {
            Typed::Interaction(interaction) => {
                interaction.payload(&Sent { id: 1 << 40, token: String::new() }, "1", None)["data"]["options"].clone()
            }
            Typed::Message(message) => json!({"message": message.payload(1 << 40, None, || 7)["content"]}),
            Typed::Nothing => Value::Null,
        }
    }

    #[test]
    fn lines_become_options_of_the_registered_types() {
        let cases = [
            ("", Value::Null),
            ("/remind", json!([])),
            (
                "/remind text:buy milk: now minutes:5 loud:true",
                json!([
                    {"name": "text", "type": 3, "value": "buy milk: now"},
                    {"name": "minutes", "type": 4, "value": 5},
                    {"name": "loud", "type": 5, "value": true},
                ]),
            ),
            ("/remind minutes:soon", json!([{"name": "minutes", "type": 4, "value": "soon"}])),
            (
                "/set limit value:2",
                json!([{"name": "limit", "type": 1, "options": [{"name": "value", "type": 10, "value": 2.0}]}]),
            ),
            ("/nobody knows:it", json!([{"name": "knows", "type": 3, "value": "it"}])),
            ("hello", json!({"message": "hello"})),
            ("dm hello", json!({"message": "hello"})),
            ("@ hello", json!({"message": format!("<@{}> hello", crate::BOT_ID)})),
        ];
        for (line, expected) in cases {
            assert_eq!(data(line), expected, "{line}");
        }
    }
}
