//! Templates of text modules: text with placeholders in braces.

use std::ops::Range;

use serde_json::{Map, Value};
use time::macros::format_description;

use crate::contract::code::Call;
use crate::contract::spec::setting_text;
use crate::inbound::{Place, UserId};
use crate::language::say;
use crate::text::{escaped, one_line, utc_text};

/// The placeholders besides the command's options and the module's settings.
pub(crate) const PLACEHOLDERS: [&str; 6] = ["user", "user.mention", "channel", "server", "date", "time"];

/// A text with placeholders: `Hello, {user}!`. `{{` and `}}` stand for braces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Template(Vec<TemplatePart>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum TemplatePart {
    Words(String),
    /// The caller's display name.
    User,
    /// The caller as a mention that does not ping.
    UserMention,
    /// The channel as a link, or the console's name.
    Channel,
    /// The guild's name, or a word for another place.
    Server,
    /// Today's date in UTC.
    Date,
    /// The time in UTC.
    Time,
    /// The value of an option; empty if it was omitted.
    Option(String, Entity),
    /// The value of a setting of the module; empty if it has none.
    Setting(String),
}

/// How to mention a Discord object. The option's type decides, because a typed mention does not state its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Entity {
    User,
    Channel,
    Role,
    /// The value itself says whether it is a role.
    Mentionable,
    File,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unreadable {
    /// An unknown placeholder and its range in the text.
    Unknown(String, Range<usize>),
    /// An unmatched brace at this position.
    Brace(usize),
}

impl Template {
    /// Parses a template. Each option comes with its type in the manifest.
    pub(crate) fn parse(text: &str, options: &[(&str, &str)], settings: &[&str]) -> Result<Self, Unreadable> {
        let mut parts = Vec::new();
        let mut words = String::new();
        let mut characters = text.char_indices().peekable();
        while let Some((at, character)) = characters.next() {
            match character {
                '{' | '}' if characters.next_if(|(_, next)| *next == character).is_some() => words.push(character),
                '}' => return Err(Unreadable::Brace(at)),
                '{' => {
                    let rest = text.get(at + 1..).unwrap_or_default();
                    let length = rest.find(['{', '}']).filter(|&end| rest.as_bytes().get(end) == Some(&b'}'));
                    let Some(name) = length.and_then(|length| rest.get(..length)) else {
                        return Err(Unreadable::Brace(at));
                    };
                    if !words.is_empty() {
                        parts.push(TemplatePart::Words(std::mem::take(&mut words)));
                    }
                    let end = at + 1 + name.len();
                    let unknown = || Unreadable::Unknown(name.to_owned(), at..end + 1);
                    parts.push(TemplatePart::named(name.trim(), options, settings).ok_or_else(unknown)?);
                    while characters.next_if(|(next, _)| *next <= end).is_some() {}
                }
                other => words.push(other),
            }
        }
        if !words.is_empty() {
            parts.push(TemplatePart::Words(words));
        }
        Ok(Self(parts))
    }

    pub(crate) fn names_server(&self) -> bool {
        self.0.contains(&TemplatePart::Server)
    }

    /// Fills the template for one call, in a guild of this name. Markdown in names and values of people is escaped.
    pub(crate) fn filled(&self, arguments: &Map<String, Value>, call: &Call, server: Option<&str>) -> String {
        self.0.iter().map(|part| part.filled(arguments, call, server)).collect()
    }
}

impl TemplatePart {
    /// Resolves a placeholder. Options take precedence over built-in placeholders.
    fn named(name: &str, options: &[(&str, &str)], settings: &[&str]) -> Option<Self> {
        if let Some((_, kind)) = options.iter().find(|(option, _)| *option == name) {
            return Some(Self::Option(name.to_owned(), Entity::of_type(kind)));
        }
        if let Some(setting) = name.strip_prefix("setting.") {
            return settings.contains(&setting).then(|| Self::Setting(setting.to_owned()));
        }
        match name {
            "user" => Some(Self::User),
            "user.mention" => Some(Self::UserMention),
            "channel" => Some(Self::Channel),
            "server" => Some(Self::Server),
            "date" => Some(Self::Date),
            "time" => Some(Self::Time),
            _ => None,
        }
    }

    fn filled(&self, arguments: &Map<String, Value>, call: &Call, server: Option<&str>) -> String {
        match self {
            Self::Words(words) => words.clone(),
            Self::User => escaped(&one_line(&call.caller.name, NAME_LENGTH_MAX)),
            // A run for the guild itself has no user to mention.
            Self::UserMention if call.caller.id == UserId::NOBODY => String::new(),
            Self::UserMention => format!("<@{}>", call.caller.id),
            Self::Channel => match call.place {
                Place::Guild { channel, .. } | Place::Direct { channel } => format!("<#{channel}>"),
                Place::Console => "console".to_owned(),
            },
            Self::Server => match (call.place, server) {
                (Place::Guild { .. }, Some(name)) => escaped(&one_line(name, SERVER_LENGTH_MAX)),
                (Place::Guild { .. }, None) => say!(call.caller.language, "server-without-name"),
                (Place::Direct { .. }, _) => say!(call.caller.language, "server-of-direct-messages"),
                (Place::Console, _) => "console".to_owned(),
            },
            Self::Date => utc_text(call.now, format_description!("[year]-[month]-[day]")),
            Self::Time => utc_text(call.now, format_description!("[hour]:[minute] UTC")),
            Self::Option(name, entity) => arguments.get(name).map(|value| entity.shown(value)).unwrap_or_default(),
            // The operator or an administrator wrote it, so its Markdown is kept.
            Self::Setting(name) => call.services.own_settings().get(name).map(setting_text).unwrap_or_default(),
        }
    }
}

/// The longest name shown, in characters. Discord's display names have at most 32.
const NAME_LENGTH_MAX: usize = 64;

/// In characters. See Discord's documentation, "Guild Object".
const SERVER_LENGTH_MAX: usize = 100;

impl Entity {
    fn of_type(word: &str) -> Self {
        match word {
            "channel" => Self::Channel,
            "role" => Self::Role,
            "mentionable" => Self::Mentionable,
            "attachment" => Self::File,
            _ => Self::User,
        }
    }

    /// Returns an option's value as text for people. Mentions do not ping.
    fn shown(self, value: &Value) -> String {
        let entity = match value {
            Value::String(text) => return escaped(text),
            Value::Object(entity) => entity,
            other => return other.to_string(),
        };
        let text = |key: &str| entity.get(key).and_then(Value::as_str).unwrap_or_default();
        let id = text("id");
        match self {
            Self::Channel => format!("<#{id}>"),
            Self::Role => format!("<@&{id}>"),
            Self::Mentionable if text("type") == "role" => format!("<@&{id}>"),
            Self::User | Self::Mentionable => format!("<@{id}>"),
            Self::File => escaped(&one_line(text("filename"), NAME_LENGTH_MAX)),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use std::time::UNIX_EPOCH;

    use super::*;
    use crate::contract::services::HostServices;
    use crate::contract::spec::ModuleSettings;
    use crate::inbound::{Caller, UserId};

    fn filled(text: &str, arguments: &Map<String, Value>) -> String {
        let caller = Caller::new(UserId(7), "Ada");
        let settings = ModuleSettings::new(Map::from_iter([("city".to_owned(), json!("**Rome**"))]));
        let host = HostServices::default();
        let call = crate::testing::call("greeter", &host, &[], caller, Place::Console, UNIX_EPOCH);
        let call = Call { services: call.services.with_settings(settings), ..call };
        Template::parse(text, &OPTIONS, &["city", "unset"]).unwrap().filled(arguments, &call, None)
    }

    const OPTIONS: [(&str, &str); 3] = [("name", "string"), ("n", "integer"), ("where", "channel")];

    #[test]
    fn placeholders_are_filled_and_people_write_no_marks() {
        let Value::Object(arguments) = json!({ "name": "**Ada** @everyone", "n": 3, "where": { "id": "7" } }) else {
            panic!("no object")
        };
        let cases = [
            ("Hello, {user}!", "Hello, Ada!"),
            ("Hello, {name}!", "Hello, \\*\\*Ada\\*\\* @everyone!"),
            ("{n} in { where }", "3 in <#7>"),
            ("{{n}} }}{{", "{n} }{"),
            ("In {setting.city}: {n}{setting.unset}", "In **Rome**: 3"),
            ("{channel}, {server}, {date}, {time}", "console, console, 1970-01-01, 00:00 UTC"),
            ("", ""),
        ];
        for (text, expected) in cases {
            assert_eq!(filled(text, &arguments), expected, "{text}");
        }
    }

    #[test]
    fn what_was_left_out_is_nothing() {
        assert_eq!(filled("[{name}]", &Map::new()), "[]");
    }

    #[test]
    fn what_cannot_be_filled_is_found_at_its_place() {
        let cases = [
            ("Hi {nam}", Unreadable::Unknown("nam".to_owned(), 3..8)),
            ("{setting.key}", Unreadable::Unknown("setting.key".to_owned(), 0..13)),
            ("{}", Unreadable::Unknown(String::new(), 0..2)),
            ("Hi {name", Unreadable::Brace(3)),
            ("Hi {a {name}", Unreadable::Brace(3)),
            ("Hi name}", Unreadable::Brace(7)),
        ];
        for (text, expected) in cases {
            assert_eq!(Template::parse(text, &OPTIONS, &[]), Err(expected), "{text}");
        }
    }
}
