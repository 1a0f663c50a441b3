//! Arguments of typed commands: `/tasks add title: buy milk`.
//!
//! ```text
//! arguments = { pair } | bare
//! pair      = name ":" value        the name of an option, at the start or after white space
//! value     = plain | quoted
//! plain     = the text up to the next name of an option with its ":", or to the end
//! quoted    = '"' text '"'          may hold anything; \" is a quotation mark and \\ a backslash
//! bare      = quoted, or the whole text as it stands
//! ```
//!
//! A number with choices may be given by a choice's name. A user, role or channel is given as a mention: `<@123>`,
//! `<@&123>`, `<#123>`. A file cannot be typed.
//!
//! White space around values is ignored. The bare form is only for commands with exactly one option, and only if the
//! text does not begin with a name and a colon: `/status cpu`, `/tasks add buy milk`. If it begins with an unknown
//! name, the caller is asked.

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use crate::contract::fits::fits_in;
use crate::contract::limits;
use crate::contract::spec::{Choice, Leaf, OptionKind, OptionSpec};
use crate::inbound::CommandPath;
use crate::language::{Language, say};
use crate::text::{excerpt, first_characters, in_code_spans, nearest};

/// Why arguments cannot be parsed, in words for the caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextFormError(pub String);

/// Parses the arguments of a command. The result fits the command's options. Options that are not given are absent.
///
/// # Errors
/// An unknown, repeated or missing option, an option without a value, a value that does not fit, or text that belongs
/// to no option.
pub fn parse(leaf: &Leaf, text: &str, language: Language) -> Result<Map<String, Value>, TextFormError> {
    let mut arguments = Map::new();
    for (option, value) in pairs(leaf, text.trim(), language).map_err(TextFormError)? {
        if option.kind == OptionKind::Attachment {
            return Err(TextFormError(say!(language, "argument-file", option = option.name.as_str())));
        }
        let value = convert(&option.kind, value);
        fits_in(&option.kind, &value, language)
            .map_err(|problem| TextFormError(format!("`{}` {problem}", option.name)))?;
        arguments.insert(option.name.clone(), value);
    }
    match leaf.options.iter().find(|option| option.required && !arguments.contains_key(&option.name)) {
        Some(missing) => Err(TextFormError(say!(language, "argument-missing", option = missing.name.as_str()))),
        None => Ok(arguments),
    }
}

fn name_of(kind: &OptionKind, language: Language) -> String {
    match kind {
        OptionKind::String { .. } => say!(language, "option-text"),
        OptionKind::Integer { .. } => say!(language, "option-integer"),
        OptionKind::Number { .. } => say!(language, "option-number"),
        OptionKind::Boolean => say!(language, "option-boolean"),
        OptionKind::User => say!(language, "option-user"),
        OptionKind::Channel { .. } => say!(language, "option-channel"),
        OptionKind::Role => say!(language, "option-role"),
        OptionKind::Mentionable => say!(language, "option-mentionable"),
        OptionKind::Attachment => say!(language, "option-file"),
        OptionKind::Message => say!(language, "option-message"),
    }
}

/// Returns the usage line of a command: `/tasks add title: <text>`, with `[metric: <text>]` for optional options.
pub fn usage(leaf: &Leaf, language: Language) -> String {
    let mut usage = leaf.path.to_string();
    for option in &leaf.options {
        let choices: Vec<_> = option.kind.choices().into_iter().map(|choice| choice.value).collect();
        let value = match &option.kind {
            OptionKind::Boolean => "true|false".to_owned(),
            kind if choices.is_empty() => format!("<{}>", name_of(kind, language)),
            _ => choices.join("|"),
        };
        usage += &match option.required {
            true => format!(" {}: {value}", option.name),
            false => format!(" [{}: {value}]", option.name),
        };
    }
    usage
}

/// Returns a call as a person would type it: `/tasks add title: "buy milk"`. The arguments are in the order of `names`,
/// not in the model's order. Every text is quoted, so that no value looks like another option. Each value is cut
/// separately at `value_max` characters, with a note, so that no value hides another.
pub fn as_typed<'a>(
    path: &CommandPath,
    names: impl Iterator<Item = &'a String>,
    arguments: &Map<String, Value>,
    value_max: usize,
) -> String {
    let mut line = path.to_string();
    for (name, value) in names.filter_map(|name| Some((name, arguments.get(name)?))) {
        line += &format!(" {name}: {}", quoted(value, value_max));
    }
    line
}

fn quoted(value: &Value, max: usize) -> String {
    match value.as_str() {
        Some(text) if max < text.chars().count() => {
            let kept = Value::from(first_characters(text, max));
            format!("{kept}… (cut: it has {} characters)", text.chars().count())
        }
        _ => value.to_string(),
    }
}

/// Splits the text into the given options, each once, with their text.
fn pairs<'a>(leaf: &'a Leaf, text: &'a str, language: Language) -> Result<Vec<(&'a OptionSpec, Cow<'a, str>)>, String> {
    if let [only] = leaf.options.as_slice()
        && !text.is_empty()
        && behind_name(only, text).is_none()
    {
        return Ok(vec![(only, bare(only, text, language)?)]);
    }
    let mut pairs: Vec<(&OptionSpec, _)> = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let Some((option, behind)) = named(leaf, rest) else { return Err(stray(leaf, &pairs, rest, language)) };
        if pairs.iter().any(|(given, _)| given.name == option.name) {
            return Err(say!(language, "argument-twice", option = option.name.as_str()));
        }
        let (value, behind) = take_value(leaf, option, behind.trim_start(), language)?;
        pairs.push((option, value));
        rest = behind;
    }
    Ok(pairs)
}

/// Returns the value of a command's only option, given without its name. If its first word is nearly the option's name,
/// it counts as a typing error. If it looks like another option's name, the caller is asked.
fn bare<'a>(only: &OptionSpec, text: &'a str, language: Language) -> Result<Cow<'a, str>, String> {
    if let Some((word, _)) = text.split_once(':')
        && !nearest(word, [only.name.as_str()], 1).is_empty()
    {
        return Err(say!(language, "argument-slip", typed = excerpt(word), option = only.name.as_str()));
    }
    if let Some((word, value)) = misnamed(text) {
        let value = excerpt(value);
        let kept = excerpt(text).replace('\\', r"\\").replace('"', r#"\""#);
        let named = format!("{}: {value}", only.name);
        let kept = format!("{}: \"{kept}\"", only.name);
        return Err(say!(language, "argument-misnamed", typed = excerpt(word), named = named, kept = kept));
    }
    match text.strip_prefix('"').and_then(unquote) {
        Some((value, "")) => Ok(value.into()),
        _ => Ok(text.into()),
    }
}

/// Returns a first word written like an option's name, and the text behind its colon. URLs, paths and times must not
/// match. Therefore white space, a quotation or a word without such characters must follow the colon.
fn misnamed(text: &str) -> Option<(&str, &str)> {
    let (word, behind) = text.split_once(':')?;
    let is_name = (1..=limits::NAME_LENGTH_MAX).contains(&word.chars().count())
        && word.starts_with(char::is_alphabetic)
        && word.chars().all(|letter| letter.is_alphanumeric() || "_-".contains(letter));
    let next = behind.split(char::is_whitespace).next().unwrap_or_default();
    let is_value = next.is_empty()
        || next.starts_with('"')
        || next.starts_with(char::is_alphabetic) && !next.contains([':', '/', '\\', '@', '.']);
    (is_name && is_value && !behind.trim().is_empty()).then(|| (word, behind.trim()))
}

/// Returns the option whose name and colon begin the text, and the text after them.
fn named<'a>(leaf: &'a Leaf, text: &'a str) -> Option<(&'a OptionSpec, &'a str)> {
    leaf.options.iter().find_map(|option| Some((option, behind_name(option, text)?)))
}

fn behind_name<'a>(option: &OptionSpec, text: &'a str) -> Option<&'a str> {
    text.strip_prefix(option.name.as_str())?.strip_prefix(':')
}

/// Takes one value from the front of the text. Returns it with the text after it.
fn take_value<'a>(
    leaf: &Leaf,
    option: &OptionSpec,
    text: &'a str,
    language: Language,
) -> Result<(Cow<'a, str>, &'a str), String> {
    if let Some(opened) = text.strip_prefix('"') {
        let (value, behind) =
            unquote(opened).ok_or_else(|| say!(language, "argument-unclosed", typed = excerpt(opened)))?;
        return match behind.starts_with(|next: char| !next.is_whitespace()) {
            true => Err(say!(language, "argument-behind-quotation", option = option.name.as_str())),
            false => Ok((value.into(), behind.trim_start())),
        };
    }
    let next = next_name(leaf, text);
    match text.strip_suffix(next).unwrap_or(text).trim_end() {
        "" => Err(say!(language, "argument-no-value", option = option.name.as_str())),
        value => Ok((value.into(), next)),
    }
}

/// Returns the rest of the text, from the next option name with colon. Empty without one.
fn next_name<'a>(leaf: &Leaf, text: &'a str) -> &'a str {
    let mut rest = text.chars();
    let mut starts_word = true;
    loop {
        if starts_word && named(leaf, rest.as_str()).is_some() {
            return rest.as_str();
        }
        match rest.next() {
            Some(character) => starts_word = character.is_whitespace(),
            None => return "",
        }
    }
}

/// Returns the text up to the closing quotation mark, unescaped, and the text after it. A backslash before anything but
/// a quotation mark or a backslash is literal.
fn unquote(opened: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut rest = opened.chars();
    loop {
        match rest.next()? {
            '"' => return Some((value, rest.as_str())),
            '\\' => {
                let escaped = rest.next()?;
                if !matches!(escaped, '"' | '\\') {
                    value.push('\\');
                }
                value.push(escaped);
            }
            character => value.push(character),
        }
    }
}

/// Describes the error of text that belongs to no option.
fn stray(leaf: &Leaf, given: &[(&OptionSpec, Cow<'_, str>)], text: &str, language: Language) -> String {
    if leaf.options.is_empty() {
        return say!(language, "argument-none", typed = excerpt(text));
    }
    let options = in_code_spans(leaf.options.iter().map(|option| &option.name));
    let takes = say!(language, "argument-takes", options = options);
    let word = text.split(char::is_whitespace).next().unwrap_or_default();
    match (word.split_once(':'), given.last()) {
        (Some((name, _)), _) if !name.is_empty() => {
            say!(language, "argument-unknown", typed = excerpt(name), takes = takes)
        }
        (_, Some((option, _))) => {
            say!(language, "argument-behind", typed = excerpt(text), option = option.name.as_str(), takes = takes)
        }
        (_, None) => say!(language, "argument-before", typed = excerpt(text), takes = takes),
    }
}

/// Converts a text to a value for an option, as if it were typed there. Text that cannot be converted stays text, which
/// then does not fit.
pub fn value(kind: &OptionKind, text: &str) -> Value {
    convert(kind, text.into())
}

/// Converts a text to the option's type. Text that cannot be converted stays text, which then does not fit.
fn convert(kind: &OptionKind, text: Cow<'_, str>) -> Value {
    let read = match kind {
        OptionKind::String { .. } => None,
        OptionKind::Integer { choices, .. } => {
            named_choice(choices, &text).or_else(|| text.parse().ok()).map(Value::from)
        }
        OptionKind::Number { choices, .. } => {
            let number = named_choice(choices, &text).or_else(|| text.parse().ok());
            number.filter(|number: &f64| number.is_finite()).map(Value::from)
        }
        OptionKind::Boolean => match text.to_lowercase().as_str() {
            "true" | "yes" => Some(Value::from(true)),
            "false" | "no" => Some(Value::from(false)),
            _ => None,
        },
        OptionKind::User => user_mention(&text).map(|id| json!({ "id": id })),
        OptionKind::Role => mention(&text, "<@&").map(|id| json!({ "id": id })),
        OptionKind::Channel { .. } => mention(&text, "<#").map(|id| json!({ "id": id })),
        OptionKind::Mentionable => {
            let user = user_mention(&text).map(|id| json!({ "type": "user", "id": id }));
            user.or_else(|| mention(&text, "<@&").map(|id| json!({ "type": "role", "id": id })))
        }
        // Neither can be typed.
        OptionKind::Attachment | OptionKind::Message => None,
    };
    read.unwrap_or_else(|| Value::from(text.into_owned()))
}

/// Returns the value of the choice with that name, ignoring case.
fn named_choice<V: Copy>(choices: &[Choice<V>], text: &str) -> Option<V> {
    let wanted = text.to_lowercase();
    choices.iter().find(|choice| choice.name.to_lowercase() == wanted).map(|choice| choice.value)
}

/// Returns the id of a mentioned user. Older clients put an exclamation mark before it.
fn user_mention(text: &str) -> Option<String> {
    mention(text, "<@").or_else(|| mention(text, "<@!"))
}

/// Returns the id in a mention with this opening. See Discord's documentation, "Message Formatting".
fn mention(text: &str, opening: &str) -> Option<String> {
    let digits = text.strip_prefix(opening)?.strip_suffix('>')?;
    let id: u64 = digits.parse().ok().filter(|&id| id != 0)?;
    // A mention has only one spelling of the number, so `+7` and `007` are refused.
    Some(id.to_string()).filter(|id| id == digits)
}
