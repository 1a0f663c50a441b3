//! Parses a program's answer: text, or one JSON object. Anything else is refused, and no part of it is shown.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::contract::code::CommandError;
use crate::contract::outside::later::LaterChanges;
use crate::contract::outside::records::RecordEdits;
use crate::contract::outside::start::Misshapen;
use crate::contract::services::SENT_BY_RUN_MAX;
use crate::inbound::{ChannelId, CommandPath, CommandType};
use crate::reply::{Control, ControlStyle, Field, PreparedCall, Reply, ReplyFile, Thing, sanitize_module_text};
use crate::text::{first_characters, one_line};

/// Discord's limits for titles, names and values of fields, and labels of buttons, in characters. See
/// <https://docs.discord.com/developers/resources/message#embed-object-embed-limits>.
const TITLE_MAX: usize = 256;
const FIELD_VALUE_MAX: usize = 1024;
const LABEL_MAX: usize = 80;
const FIELDS_MAX: usize = 25;
/// The most buttons: five rows of five.
const BUTTONS_MAX: usize = 25;
const BUTTONS_IN_ROW: usize = 5;
const FETCH_MAX: usize = 4;
/// In characters.
const FILE_NAME_MAX: usize = 64;

/// A program's answer: the reply to its caller, and its messages, records and later calls.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProgramReply {
    /// The reply to the caller.
    pub reply: Reply,
    /// The messages, each with its channel. Permission to send there is checked later.
    pub messages: Vec<(ChannelId, Reply)>,
    /// The edits of its records.
    pub records: RecordEdits,
    /// The later calls to add and cancel.
    pub later: LaterChanges,
    /// URLs that the host must read before the program is run again. If there are any, everything else is empty.
    pub fetch: Vec<String>,
}

/// The JSON object that a program may print. Other keys are refused: a program that invents a receipt is wrong.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Printed {
    text: Option<String>,
    title: Option<String>,
    colour: Option<String>,
    picture: Option<String>,
    #[serde(default)]
    fields: Vec<PrintedField>,
    file: Option<PrintedFile>,
    #[serde(default)]
    buttons: Vec<PrintedButton>,
    /// The button that confirms the question in `text`. Nothing is done yet.
    ask: Option<PrintedButton>,
    /// The name of the thing that the answer shows to everybody.
    thing: Option<String>,
    /// Whether this is the last state of the thing.
    #[serde(default)]
    over: bool,
    #[serde(default)]
    send: Vec<PrintedMessage>,
    #[serde(default)]
    records: RecordEdits,
    #[serde(default)]
    later: LaterChanges,
    /// Shown to the caller instead of a reply: says what cannot be done and why.
    error: Option<String>,
    /// URLs to read before the program is run again.
    fetch: Option<Vec<String>>,
}

const KEYS: [&str; 15] = [
    "text", "title", "colour", "picture", "fields", "file", "buttons", "ask", "thing", "over", "send", "records",
    "later", "error", "fetch",
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PrintedField {
    name: String,
    value: String,
}

/// The channel's id is a string, as all ids are.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PrintedMessage {
    channel: String,
    text: Option<String>,
    title: Option<String>,
    colour: Option<String>,
    picture: Option<String>,
    #[serde(default)]
    fields: Vec<PrintedField>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PrintedFile {
    name: String,
    content: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PrintedButton {
    label: String,
    command: String,
    #[serde(default)]
    options: Map<String, Value>,
    #[serde(default)]
    danger: bool,
}

/// Parses a program's output: a JSON object if it begins with `{`, otherwise text. The inner error is for the caller;
/// the outer one says why the output is malformed.
pub fn read_reply(printed: &[u8]) -> Result<Result<ProgramReply, CommandError>, Misshapen> {
    let text = std::str::from_utf8(printed)
        .map_err(|problem| Misshapen::new(format!("it is not UTF-8 from byte {} on", problem.valid_up_to())))?
        .trim();
    if text.is_empty() {
        return Err(Misshapen::new("it is empty".to_owned()));
    }
    if !text.starts_with('{') {
        if let Some(before) = words_before_a_reply(text) {
            return Err(Misshapen::new(format!("it has words before its JSON: `{}`", one_line(before, TITLE_MAX))));
        }
        let reply = Reply::text(sanitize_module_text(text));
        return Ok(Ok(ProgramReply { reply, ..ProgramReply::default() }));
    }
    let printed: Printed =
        serde_json::from_str(text).map_err(|problem| Misshapen::new(format!("its JSON is not a reply: {problem}")))?;
    if let Some(fetch) = printed.fetch {
        let is_alone = serde_json::from_str::<Map<String, Value>>(text).is_ok_and(|keys| keys.len() == 1);
        return match fetch.len() {
            _ if !is_alone => {
                Err(Misshapen::new("`fetch` stands alone: the reply comes when it is asked again".to_owned()))
            }
            1..=FETCH_MAX => Ok(Ok(ProgramReply { fetch, ..ProgramReply::default() })),
            n => Err(Misshapen::new(format!("`fetch` has {n} addresses; 1 to {FETCH_MAX} are read at once"))),
        };
    }
    match printed.error {
        Some(error) if error.trim().is_empty() => Err(Misshapen::new("`error` is empty".to_owned())),
        Some(error) => Ok(Err(CommandError::tell(sanitize_module_text(&error)))),
        None => printed.read().map(Ok),
    }
}

/// Returns the first line of a text with a JSON reply further down, or at its end behind words on the same line. Such a program printed something before its JSON,
/// and its records and messages would be lost.
fn words_before_a_reply(text: &str) -> Option<&str> {
    let mut rests = text
        .match_indices('\n')
        .filter_map(|(at, _)| text.get(at + 1..))
        .filter(|rest| rest.trim_start().starts_with('{'));
    let is_reply = |rest: &str| {
        let first = serde_json::Deserializer::from_str(rest).into_iter::<Map<String, Value>>().next();
        first.is_some_and(|read| read.is_ok_and(|object| object.keys().any(|key| KEYS.contains(&key.as_str()))))
    };
    let last = text.lines().next_back().unwrap_or_default();
    let at_end = last.find('{').and_then(|at| serde_json::from_str::<Map<String, Value>>(last.get(at..)?).ok());
    let ends = at_end.is_some_and(|end| !end.is_empty() && end.keys().all(|key| KEYS.contains(&key.as_str())));
    (rests.any(is_reply) || ends).then(|| text.lines().next().unwrap_or_default())
}

fn is_empty(text: &Option<String>) -> bool {
    text.as_deref().is_none_or(|text| text.trim().is_empty())
}

impl Printed {
    fn read(mut self) -> Result<ProgramReply, Misshapen> {
        let send = std::mem::take(&mut self.send);
        if SENT_BY_RUN_MAX < send.len() {
            return Err(Misshapen::new(format!(
                "it sends {} messages, and a run sends {SENT_BY_RUN_MAX} at most",
                send.len()
            )));
        }
        let messages = send.into_iter().map(PrintedMessage::message).collect::<Result<Vec<_>, _>>()?;
        let records = std::mem::take(&mut self.records);
        records.check()?;
        let later = std::mem::take(&mut self.later);
        later.check()?;
        if self.ask.is_some() && !(messages.is_empty() && records.is_empty() && later == LaterChanges::default()) {
            return Err(Misshapen::new(
                "`ask` stands without `send`, `records` and `later`: nothing is done yet".to_owned(),
            ));
        }
        Ok(ProgramReply { reply: self.reply()?, messages, records, later, fetch: Vec::new() })
    }

    fn reply(self) -> Result<Reply, Misshapen> {
        if is_empty(&self.text) && is_empty(&self.title) && self.fields.is_empty() && self.file.is_none() {
            return Err(Misshapen::new("it has neither `text`, `title`, `fields` nor `file`".to_owned()));
        }
        if BUTTONS_MAX < self.buttons.len() {
            return Err(Misshapen::new(format!("it has {} buttons, and {BUTTONS_MAX} are shown", self.buttons.len())));
        }
        if self.ask.is_some() && (is_empty(&self.text) || !self.buttons.is_empty()) {
            return Err(Misshapen::new("`ask` needs a question in `text`, and stands without `buttons`".to_owned()));
        }
        let buttons =
            self.buttons.iter().chain(&self.ask).map(PrintedButton::control).collect::<Result<Vec<_>, _>>()?;
        Ok(Reply {
            is_question: self.ask.is_some(),
            thing: thing(self.thing, self.over)?,
            title: title(self.title),
            text: self.text.as_deref().map(sanitize_module_text).unwrap_or_default(),
            colour: self.colour.as_deref().map(colour).transpose()?,
            picture: self.picture.map(picture).transpose()?,
            fields: fields(&self.fields)?,
            file: self.file.map(PrintedFile::file).transpose()?,
            controls: buttons.chunks(BUTTONS_IN_ROW).map(<[Control]>::to_vec).collect(),
            ..Reply::default()
        })
    }
}

fn thing(name: Option<String>, is_over: bool) -> Result<Option<Thing>, Misshapen> {
    match name {
        Some(name) if (1..=Thing::NAME_LENGTH_MAX).contains(&name.chars().count()) => Ok(Some(Thing { name, is_over })),
        Some(_) => Err(Misshapen::new(format!("`thing` has 1 to {} characters", Thing::NAME_LENGTH_MAX))),
        None if is_over => Err(Misshapen::new("`over` needs a `thing`".to_owned())),
        None => Ok(None),
    }
}

fn title(title: Option<String>) -> Option<String> {
    title.filter(|title| !title.trim().is_empty()).map(|title| sanitize_module_text(&one_line(&title, TITLE_MAX)))
}

fn fields(fields: &[PrintedField]) -> Result<Vec<Field>, Misshapen> {
    if FIELDS_MAX < fields.len() {
        return Err(Misshapen::new(format!("it has {} fields, and {FIELDS_MAX} are shown", fields.len())));
    }
    let field = |field: &PrintedField| Field {
        name: sanitize_module_text(&one_line(&field.name, TITLE_MAX)),
        value: sanitize_module_text(first_characters(&field.value, FIELD_VALUE_MAX)),
    };
    Ok(fields.iter().map(field).collect())
}

impl PrintedMessage {
    fn message(self) -> Result<(ChannelId, Reply), Misshapen> {
        if is_empty(&self.text) && is_empty(&self.title) && self.fields.is_empty() {
            return Err(Misshapen::new("a message has neither `text`, `title` nor `fields`".to_owned()));
        }
        let channel = self.channel.parse().ok().filter(|&id: &u64| 0 < id).map(ChannelId);
        let channel =
            channel.ok_or_else(|| Misshapen::new("`channel` of a message is not the id of one".to_owned()))?;
        let reply = Reply {
            title: title(self.title),
            text: self.text.as_deref().map(sanitize_module_text).unwrap_or_default(),
            colour: self.colour.as_deref().map(colour).transpose()?,
            picture: self.picture.map(picture).transpose()?,
            fields: fields(&self.fields)?,
            ..Reply::default()
        };
        Ok((channel, reply))
    }
}

impl PrintedFile {
    fn file(self) -> Result<ReplyFile, Misshapen> {
        let fits = |letter: char| letter.is_ascii_alphanumeric() || ".-_".contains(letter);
        let is_name = !self.name.is_empty()
            && self.name.chars().count() <= FILE_NAME_MAX
            && self.name.chars().all(fits)
            && !self.name.starts_with('.');
        match is_name {
            true => Ok(ReplyFile { name: self.name, content: self.content.into_bytes() }),
            false => Err(Misshapen::new(format!(
                "the file's name is not 1 to {FILE_NAME_MAX} of the characters a-z, A-Z, 0-9, `.`, `_` and `-`"
            ))),
        }
    }
}

impl PrintedButton {
    fn control(&self) -> Result<Control, Misshapen> {
        let label = one_line(self.label.trim(), LABEL_MAX);
        let names: Vec<_> = self.command.strip_prefix('/').unwrap_or_default().split_whitespace().collect();
        if label.is_empty() || names.is_empty() || 3 < names.len() {
            return Err(Misshapen::new("a button needs a `label` and a `command` such as \"/roll\"".to_owned()));
        }
        let path = CommandPath::at(CommandType::Slash, &names);
        let style = if self.danger { ControlStyle::Danger } else { ControlStyle::Secondary };
        let call = PreparedCall {
            path,
            arguments: self.options.clone(),
            in_place: false,
            once: self.danger,
            for_everyone: false,
        };
        Ok(Control::Button { label, emoji: None, style, call: Some(call) })
    }
}

/// Parses `#rrggbb`.
pub(crate) fn colour(text: &str) -> Result<u32, Misshapen> {
    let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6);
    let colour = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
    colour.ok_or_else(|| Misshapen::new("a colour is written like \"#30a46c\"".to_owned()))
}

/// Checks the URL of a picture, which Discord fetches.
pub(crate) fn picture(address: String) -> Result<String, Misshapen> {
    match url::Url::parse(&address) {
        Ok(url) if url.scheme() == "https" && url.has_host() && address.len() <= ADDRESS_MAX => Ok(url.into()),
        _ => Err(Misshapen::new(format!("a picture is an https address of at most {ADDRESS_MAX} characters"))),
    }
}

/// The longest URL that Discord accepts in an embed, in characters.
const ADDRESS_MAX: usize = 2048;

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(printed: &str) -> String {
        match read_reply(printed.as_bytes()) {
            Ok(Ok(ProgramReply { fetch, .. })) if !fetch.is_empty() => format!("wants {}", fetch.join(" ")),
            Ok(Ok(ProgramReply { reply, messages, .. })) => {
                let sent = messages.into_iter().map(|(channel, sent)| format!("\nto {channel}: {}", sent.plain()));
                format!("{}{}", reply.plain(), sent.collect::<String>())
            }
            Ok(Err(CommandError::Tell(text))) => format!("tells: {text}"),
            Ok(Err(problem)) => format!("fails: {problem:?}"),
            Err(misshapen) => format!("refused: {misshapen}"),
        }
    }

    #[test]
    fn a_program_prints_text_or_an_object_and_nothing_else() {
        let cases = [
            ("up 3 days\n", "up 3 days"),
            (r#"{"text":"up 3 days"}"#, "up 3 days"),
            (r#"{"title":"Uptime","fields":[{"name":"days","value":"3"}]}"#, "Uptime\ndays: 3"),
            (r#"{"text":"a","send":[{"channel":"12","text":"b","title":"c"}]}"#, "a\nto 12: c\nb"),
            (
                r#"{"text":"a","send":[{"channel":"general","text":"b"}]}"#,
                "refused: `channel` of a message is not the id of one",
            ),
            (
                r#"{"text":"a","send":[{"channel":"12"}]}"#,
                "refused: a message has neither `text`, `title` nor `fields`",
            ),
            (
                r#"{"send":[{"channel":"12","text":"b"}]}"#,
                "refused: it has neither `text`, `title`, `fields` nor `file`",
            ),
            (r#"{"error":"no such host"}"#, "tells: no such host"),
            (r#"{"fetch":["https://a.test/","https://b.test/"]}"#, "wants https://a.test/ https://b.test/"),
            (
                r#"{"fetch":["https://a.test/"],"text":"a"}"#,
                "refused: `fetch` stands alone: the reply comes when it is asked again",
            ),
            (r#"{"fetch":[]}"#, "refused: `fetch` has 0 addresses; 1 to 4 are read at once"),
            (r#"{"fetch":["1","2","3","4","5"]}"#, "refused: `fetch` has 5 addresses; 1 to 4 are read at once"),
            (r#"{"text":"a","records":{"own":{"add":["milk"],"replace":{"3":{"n":1}},"remove":[4]}}}"#, "a"),
            (
                r#"{"text":"a","records":{"mine":{"add":["milk"]}}}"#,
                "refused: its JSON is not a reply: unknown field `mine`, expected `shared` or `own` at line 1 column 29",
            ),
            ("", "refused: it is empty"),
            ("{}", "refused: it has neither `text`, `title`, `fields` nor `file`"),
            (r#"{"error":" "}"#, "refused: `error` is empty"),
            (
                r#"{"text":"a","file":{"name":"../x","content":""}}"#,
                "refused: the file's name is not 1 to 64 of the characters a-z, A-Z, 0-9, `.`, `_` and `-`",
            ),
            (r#"{"text":"a","colour":"red"}"#, "refused: a colour is written like \"#30a46c\""),
            (
                r#"{"text":"a","picture":"http://x.test/a.png"}"#,
                "refused: a picture is an https address of at most 2048 characters",
            ),
            (
                r#"{"text":"a","buttons":[{"label":"Again","command":"roll"}]}"#,
                "refused: a button needs a `label` and a `command` such as \"/roll\"",
            ),
        ];
        for (printed, expected) in cases {
            assert_eq!(shown(printed), expected, "{printed}");
        }
    }

    #[test]
    fn words_before_an_object_are_named_and_neither_is_shown() {
        let cases = [
            ("debug: start\n{\"text\":\"Kept.\"}", "refused: it has words before its JSON: `debug: start`"),
            ("a\nb\n  {\n  \"error\": \"no\"\n}", "refused: it has words before its JSON: `a`"),
            ("a\n{\"records\":{}}\nb", "refused: it has words before its JSON: `a`"),
            ("10 %{\"text\":\"Kept.\"}", "refused: it has words before its JSON: `10 %{\"text\":\"Kept.\"}`"),
            ("The file has: {\"host\": 1}", "The file has: {\"host\": 1}"),
            ("The file has:\n{\"host\": 1}", "The file has:\n{\"host\": 1}"),
            ("fn main()\n{\n}", "fn main()\n{\n}"),
        ];
        for (printed, expected) in cases {
            assert_eq!(shown(printed), expected, "{printed}");
        }
    }

    #[test]
    fn a_question_has_one_button_and_does_nothing() {
        let ask = r#""ask":{"label":"Drop it","command":"/notes drop","options":{"id":1}}"#;
        let Ok(Ok(asked)) = read_reply(format!(r#"{{"text":"Drop note 1?",{ask}}}"#).as_bytes()) else {
            panic!("refused")
        };
        assert!(asked.reply.is_question);
        assert_eq!(asked.reply.controls.concat().len(), 1);
        let alone = "refused: `ask` stands without `send`, `records` and `later`: nothing is done yet";
        let cases = [
            (format!("{{{ask}}}"), "refused: it has neither `text`, `title`, `fields` nor `file`"),
            (
                format!(r#"{{"title":"a",{ask}}}"#),
                "refused: `ask` needs a question in `text`, and stands without `buttons`",
            ),
            (format!(r#"{{"text":"a","records":{{"own":{{"remove":[1]}}}},{ask}}}"#), alone),
            (format!(r#"{{"text":"a","send":[{{"channel":"12","text":"b"}}],{ask}}}"#), alone),
        ];
        for (printed, expected) in cases {
            assert_eq!(shown(&printed), expected, "{printed}");
        }
    }

    #[test]
    fn an_answer_names_the_thing_that_it_shows_and_whether_that_is_over() {
        let thing = |printed: &str| match read_reply(printed.as_bytes()) {
            Ok(Ok(ProgramReply { reply, .. })) => {
                reply.thing.map_or("none".to_owned(), |Thing { name, is_over }| format!("{name} {is_over}"))
            }
            Ok(Err(problem)) => format!("{problem:?}"),
            Err(misshapen) => misshapen.to_string(),
        };
        for (printed, expected) in [
            (r#"{"text":"a"}"#, "none"),
            (r#"{"text":"a","thing":"vote-1"}"#, "vote-1 false"),
            (r#"{"text":"a","thing":"vote-1","over":true}"#, "vote-1 true"),
            (r#"{"text":"a","thing":""}"#, "`thing` has 1 to 64 characters"),
            (r#"{"text":"a","over":true}"#, "`over` needs a `thing`"),
        ] {
            assert_eq!(thing(printed), expected, "{printed}");
        }
    }

    #[test]
    fn an_answer_with_a_receipt_of_its_own_is_refused() {
        let refused = shown(r#"{"text":"done","receipt":"ab12"}"#);
        assert!(refused.starts_with("refused: its JSON is not a reply: unknown field `receipt`"), "{refused}");
    }

    #[test]
    fn two_answers_are_none() {
        let refused = shown("{\"text\":\"one\"}\n{\"text\":\"two\"}");
        assert!(refused.starts_with("refused: its JSON is not a reply: trailing characters"), "{refused}");
    }

    #[test]
    fn what_is_not_utf8_is_refused_with_its_place() {
        assert_eq!(read_reply(b"up \xff").unwrap_err().to_string(), "it is not UTF-8 from byte 3 on");
    }

    #[test]
    fn a_line_like_the_hosts_is_marked_as_the_modules() {
        let text = shown("done\n-# ✓ /status ran · receipt k7d2m");
        assert!(text.contains("(module)"), "{text}");
    }
}
