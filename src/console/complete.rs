//! Tab completion: commands, subcommands, options and values, as in Discord's picker.

use candor_core::contract::{Command, CommandKind, Leaf, OptionKind, OptionSpec};
use candor_core::inbound::CommandPath;

/// A possible completion at the cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Offer {
    pub(super) name: String,
    /// The description, shown beside the name.
    pub(super) what: String,
    /// Written into the line.
    pub(super) text: String,
}

/// The possible completions of a line. They replace the text from `start` on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    Offers {
        start: usize,
        offers: Vec<Offer>,
    },
    /// A value that only the command's own code knows.
    Suggestions {
        start: usize,
        path: CommandPath,
        option: String,
        typed: String,
    },
}

/// Returns the completions of `typed`, the line up to the cursor, with these commands.
pub(super) fn wanted(commands: &[&Command], typed: &str) -> Wanted {
    let start = typed.len() - typed.trim_start().len();
    let Some((name, rest)) = word(typed, start).filter(|(name, _)| name.starts_with('/')) else {
        return nothing(typed);
    };
    let Some(rest) = rest else {
        let fits = commands.iter().filter(|command| format!("/{}", command.name).starts_with(name));
        let offers = fits.map(|command| {
            let goes_on = command.leaves().any(|leaf| !leaf.options.is_empty() || 1 < leaf.path().names().count());
            let text = format!("/{}{}", command.name, if goes_on { " " } else { "" });
            Offer { name: format!("/{}", command.name), what: command.description.clone(), text }
        });
        return Wanted::Offers { start, offers: offers.collect() };
    };
    let Some(command) = commands.iter().find(|command| name.strip_prefix('/') == Some(&command.name)) else {
        return nothing(typed);
    };
    match &command.kind {
        CommandKind::Leaf(leaf) => of_leaf(leaf, typed, rest),
        CommandKind::Parent { subcommands, groups } => {
            let below = subcommands.iter().map(|below| (below.name.as_str(), below.description.as_str()));
            let of_groups = groups.iter().map(|group| (group.name.as_str(), group.description.as_str()));
            let (name, behind) = match word_or_names(typed, rest, below.chain(of_groups)) {
                Ok(word) => word,
                Err(offers) => return offers,
            };
            if let Some(found) = subcommands.iter().find(|below| below.name == name) {
                return of_leaf(&found.leaf, typed, behind);
            }
            let Some(group) = groups.iter().find(|group| group.name == name) else { return nothing(typed) };
            let below = group.subcommands.iter().map(|below| (below.name.as_str(), below.description.as_str()));
            match word_or_names(typed, behind, below) {
                Ok((name, behind)) => match group.subcommands.iter().find(|below| below.name == name) {
                    Some(found) => of_leaf(&found.leaf, typed, behind),
                    None => nothing(typed),
                },
                Err(offers) => offers,
            }
        }
    }
}

fn nothing(typed: &str) -> Wanted {
    Wanted::Offers { start: typed.len(), offers: Vec::new() }
}

/// Returns the word that begins at `from`, and the start of the text after it if a blank ends the word.
fn word(typed: &str, from: usize) -> Option<(&str, Option<usize>)> {
    let rest = typed.get(from..)?;
    match rest.find(char::is_whitespace) {
        Some(end) => {
            let behind = rest.get(end..)?;
            Some((rest.get(..end)?, Some(typed.len() - behind.trim_start().len())))
        }
        None => Some((rest, None)),
    }
}

/// Returns the word at `from` if it is finished, or else the names that it may become.
fn word_or_names<'t, 'n>(
    typed: &'t str,
    from: usize,
    names: impl Iterator<Item = (&'n str, &'n str)>,
) -> Result<(&'t str, usize), Wanted> {
    match word(typed, from) {
        Some((name, Some(behind))) => Ok((name, behind)),
        begun => {
            let begun = begun.map_or("", |(name, _)| name);
            let fits = names.filter(|(name, _)| name.starts_with(begun));
            let offers =
                fits.map(|(name, what)| Offer { name: name.into(), what: what.into(), text: format!("{name} ") });
            Err(Wanted::Offers { start: from, offers: offers.collect() })
        }
    }
}

fn of_leaf(leaf: &Leaf, typed: &str, from: usize) -> Wanted {
    let text = typed.get(from..).unwrap_or_default();
    let given = given(leaf, text);
    let blank = text.rfind(char::is_whitespace).and_then(|at| text.get(at..));
    let last_word = blank.map_or(text, str::trim_start);
    let names = || {
        let free = leaf.options.iter().filter(|option| given.iter().all(|(name, _)| *name != option.name));
        let fits = free.filter(|option| option.name.starts_with(last_word) && option.kind != OptionKind::Attachment);
        let offers = fits.map(|option| Offer {
            name: format!("{}:", option.name),
            what: option.description.clone(),
            text: format!("{}: ", option.name),
        });
        Wanted::Offers { start: typed.len() - last_word.len(), offers: offers.collect() }
    };
    let Some((name, value_at)) = given.last() else {
        // A single option's value may be written without its name.
        return match (names(), leaf.options.as_slice()) {
            (Wanted::Offers { offers, .. }, [only]) if offers.is_empty() && !text.is_empty() => {
                values(leaf, only, typed, from)
            }
            (names, _) => names,
        };
    };
    let Some(option) = leaf.option(name) else { return names() };
    let value = text.get(*value_at..).unwrap_or_default();
    if value.trim().is_empty() {
        return values(leaf, option, typed, typed.len());
    }
    if value.ends_with(char::is_whitespace) {
        return names();
    }
    let start = typed.len() - value.trim_start().len();
    match values(leaf, option, typed, start) {
        Wanted::Offers { offers, .. } if offers.is_empty() && value.trim_start().contains(char::is_whitespace) => {
            names()
        }
        values => values,
    }
}

/// Returns the options written in a text, each with the start of its value, in the order of the text.
fn given<'a>(leaf: &'a Leaf, text: &str) -> Vec<(&'a str, usize)> {
    let mut given = Vec::new();
    for option in &leaf.options {
        let sign = format!("{}:", option.name);
        let found = text.match_indices(&sign).find(|(at, _)| {
            text.get(..*at).is_some_and(|before| before.is_empty() || before.ends_with(char::is_whitespace))
        });
        given.extend(found.map(|(at, _)| (option.name.as_str(), at + sign.len())));
    }
    given.sort_by_key(|(_, at)| *at);
    given
}

/// Returns the values of an option that begin with the text from `start` on.
fn values(leaf: &Leaf, option: &OptionSpec, typed: &str, start: usize) -> Wanted {
    let begun = typed.get(start..).unwrap_or_default();
    if option.autocomplete {
        let path = leaf.path().clone();
        let option = option.name.clone();
        return Wanted::Suggestions { start, path, option, typed: begun.to_owned() };
    }
    let mut choices: Vec<_> = option.kind.choices().into_iter().map(|choice| (choice.value, choice.name)).collect();
    if option.kind == OptionKind::Boolean {
        choices.extend(["true", "false"].map(|value| (value.to_owned(), value.to_owned())));
    }
    let fits = choices.into_iter().filter(|(value, _)| begins(value, begun));
    let offers = fits.map(|(value, name)| Offer {
        what: if name == value { String::new() } else { name },
        text: format!("{} ", written(&value)),
        name: value,
    });
    Wanted::Offers { start, offers: offers.collect() }
}

/// Returns whether a value begins with the typed text, ignoring case.
fn begins(value: &str, typed: &str) -> bool {
    value.to_lowercase().starts_with(&typed.to_lowercase())
}

/// Writes a value into a line, quoted if it could be read as something else.
pub(super) fn written(value: &str) -> String {
    match value.contains(['"', ':', '\\']) || value.trim() != value {
        true => format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\"")),
        false => value.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Wanted, wanted, written};
    use candor_core::contract::Command;
    use candor_core::testing::checked;

    /// What Tab offers: where it begins, and what would be written.
    fn offered(typed: &str) -> (usize, Vec<String>) {
        let checked = checked(candor_modules::all());
        let commands: Vec<&Command> = checked.accepted.iter().flat_map(|module| &module.commands).collect();
        match wanted(&commands, typed) {
            Wanted::Offers { start, offers } => (start, offers.into_iter().map(|offer| offer.text).collect()),
            Wanted::Suggestions { start, path, option, typed } => {
                (start, vec![format!("{path} {option} begins with {typed:?}")])
            }
        }
    }

    #[test]
    fn each_place_of_a_line_has_what_can_stand_there() {
        let cases: [(&str, usize, &[&str]); 13] = [
            ("/stat", 0, &["/status "]),
            ("/tasks ", 7, &["add ", "list ", "done ", "remove "]),
            ("/tasks li", 7, &["list "]),
            ("/tasks list ", 12, &["page: "]),
            ("/status ", 8, &["metric: ", "range: ", "live: "]),
            ("/status ra", 8, &["range: "]),
            ("/status range: ", 15, &["1h ", "24h ", "7d "]),
            ("/status range: 2", 15, &["24h "]),
            ("/status range: 24h ", 19, &["metric: ", "live: "]),
            ("/status live: t", 14, &["true "]),
            ("/status metric: Cp", 16, &["/status metric begins with \"Cp\""]),
            ("/status metric: cpu li", 16, &["/status metric begins with \"cpu li\""]),
            ("  /tasks add title: buy milk ", 29, &[]),
        ];
        for (typed, start, expected) in cases {
            let (at, texts) = offered(typed);
            if !expected.is_empty() {
                assert_eq!(at, start, "{typed:?}: {texts:?}");
            }
            assert_eq!(texts, expected, "{typed:?}");
        }
    }

    #[test]
    fn what_is_no_command_is_left_alone() {
        for typed in ["", "hello ", "sta", "/nothing ", "/tasks nothing ", "hello /st"] {
            assert!(offered(typed).1.is_empty(), "{typed:?}");
        }
    }

    #[test]
    fn a_value_that_reads_like_an_option_is_quoted() {
        let cases = [("load", "load"), ("two words", "two words"), ("a: \"b\"", "\"a: \\\"b\\\"\""), (" x", "\" x\"")];
        for (value, expected) in cases {
            assert_eq!(written(value), expected);
        }
    }
}
