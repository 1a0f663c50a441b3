//! The names that an operator gives a module's commands, in place of those in its manifest.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::Value;

use crate::contract::limits;
use crate::inbound::{CommandPath, CommandType};
use crate::reply::{Control, Reply};
use crate::text::{CodeRules, SegmentKind, segments};

/// The most names in a path: command, group and subcommand.
const PATH_NAMES_MAX: usize = 3;

/// The operator's names for a module's commands, where they differ from the manifest. The module keeps using its own
/// names; its replies are rewritten before they are sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandNames(BTreeMap<String, NameInForce>);

/// The operator's choice for a declared name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NameInForce {
    /// Switched off; it cannot be called.
    Off,
    /// Replaced by this name, without a slash.
    Called(String),
}

impl CommandNames {
    /// Reads `"/tasks" = "/todo"`, `"/tasks remove" = "delete"` or `"/tasks clear" = false`. `declared` is the full
    /// name in the manifest, with its slash; a context-menu command has none. The error says what to write instead.
    pub fn set(&mut self, declared: &str, value: &Value) -> Result<(), String> {
        let is_menu = !declared.starts_with('/');
        let is_below = declared.contains(' ') && !is_menu;
        let name = match value {
            Value::Bool(false) => {
                self.0.insert(declared.to_owned(), NameInForce::Off);
                return Ok(());
            }
            Value::String(name) => name.as_str(),
            _ => return Err("a new name as text, or `false` to switch it off".to_owned()),
        };
        let bare = if is_menu || is_below { Some(name) } else { name.strip_prefix('/') };
        let fits = |name: &&str| if is_menu { limits::is_menu_name(name) } else { limits::is_name(name) };
        match bare.filter(fits) {
            Some(bare) if !bare.starts_with('/') => {
                self.0.insert(declared.to_owned(), NameInForce::Called(bare.to_owned()));
                Ok(())
            }
            _ if is_menu => Err(format!("1 to {} characters on one line, without a slash", limits::NAME_LENGTH_MAX)),
            _ if is_below => {
                Err("the last name alone, in lower case, without a slash, such as `\"remove\"`".to_owned())
            }
            _ => Err("the new name with its slash, in lower case, such as `\"/todo\"`".to_owned()),
        }
    }

    /// Returns whether the operator gives this name, without a slash, to any command.
    pub(crate) fn gives(&self, name: &str) -> bool {
        self.0.values().any(|given| matches!(given, NameInForce::Called(called) if called == name))
    }

    /// Returns whether this command or a parent is switched off.
    fn is_off(&self, path: &CommandPath) -> bool {
        let names: Vec<_> = path.names().collect();
        let above = (1..=names.len()).filter_map(|n| names.get(..n));
        let mut full = above.map(|names| CommandPath::at(path.command_type(), names).to_string());
        full.any(|declared| self.of(&declared) == Some(&NameInForce::Off))
    }

    /// Returns whether the operator changed no name.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the operator's choice for this full name of the manifest, if any.
    pub(crate) fn of(&self, declared: &str) -> Option<&NameInForce> {
        self.0.get(declared)
    }

    pub(crate) fn switched_off(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter(|(_, name)| **name == NameInForce::Off).map(|(declared, _)| declared.as_str())
    }

    /// Returns the path under which a command of the module is in force.
    pub fn current(&self, declared: &CommandPath) -> CommandPath {
        let slash = if declared.command_type() == CommandType::Slash { "/" } else { "" };
        let mut full = slash.to_owned();
        let mut names = Vec::new();
        for name in declared.names() {
            if !names.is_empty() {
                full.push(' ');
            }
            full.push_str(name);
            names.push(match self.of(&full) {
                Some(NameInForce::Called(called)) => called.as_str(),
                Some(NameInForce::Off) | None => name,
            });
        }
        CommandPath::at(declared.command_type(), &names)
    }

    /// Replaces command names in a text by the current ones. Only names in inline code count: `` `/tasks add` ``.
    /// Native modules escape user text, so it never appears as code; programs should do the same.
    pub(crate) fn in_text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        if self.is_empty() || !text.contains("`/") {
            return Cow::Borrowed(text);
        }
        let said = segments(text, CodeRules::Discord).map(|segment| {
            let part = text.get(segment.range).unwrap_or_default();
            let call = part.strip_prefix('`').and_then(|rest| rest.strip_suffix('`')).filter(|it| it.starts_with('/'));
            match (segment.kind, call) {
                (SegmentKind::Inline, Some(call)) => Cow::Owned(format!("`{}`", self.in_call(call))),
                _ => Cow::Borrowed(part),
            }
        });
        Cow::Owned(said.collect())
    }

    /// Replaces the command name in a written call: `/tasks add title: milk`.
    fn in_call(&self, call: &str) -> String {
        let mut words = call.splitn(PATH_NAMES_MAX + 1, ' ');
        let names: Vec<_> = words.by_ref().take(PATH_NAMES_MAX).collect();
        let bare: Vec<_> = names.iter().map(|name| name.trim_start_matches('/')).collect();
        let current = self.current(&CommandPath::at(CommandType::Slash, &bare)).to_string();
        [current.as_str()].into_iter().chain(words).collect::<Vec<_>>().join(" ")
    }

    /// Replaces command names in a reply's texts and components. Components for switched-off commands are removed.
    pub(crate) fn in_reply(&self, mut reply: Reply) -> Reply {
        reply.text = self.in_text(&reply.text).into_owned();
        for text in [&mut reply.title, &mut reply.state, &mut reply.lasting_state].into_iter().flatten() {
            *text = self.in_text(text).into_owned();
        }
        for field in &mut reply.fields {
            field.value = self.in_text(&field.value).into_owned();
        }
        for row in &mut reply.controls {
            row.retain(|control| control.call().is_none_or(|call| !self.is_off(&call.path)));
        }
        reply.controls.retain(|row| !row.is_empty());
        for call in reply.controls.iter_mut().flatten().filter_map(Control::call_mut) {
            call.path = self.current(&call.path);
        }
        reply
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::reply::{ControlStyle, PreparedCall};

    fn names() -> CommandNames {
        let mut names = CommandNames::default();
        for (declared, value) in [
            ("/tasks", json!("/todo")),
            ("/tasks remove", json!("delete")),
            ("/tasks clear", json!(false)),
            ("/club member drop", json!("kick")),
            ("Note this", json!("Write down")),
        ] {
            assert_eq!(names.set(declared, &value), Ok(()), "{declared}");
        }
        names
    }

    #[test]
    fn a_path_is_called_as_the_operator_calls_each_of_its_names() {
        for (declared, current) in [
            ("tasks", "/todo"),
            ("tasks add", "/todo add"),
            ("tasks remove", "/todo delete"),
            ("tasks clear", "/todo clear"),
            ("club member drop", "/club member kick"),
            ("club member add", "/club member add"),
            ("status", "/status"),
        ] {
            let path = CommandPath::at(CommandType::Slash, &declared.split(' ').collect::<Vec<_>>());
            assert_eq!(names().current(&path).to_string(), current, "{declared}");
        }
        let menu = CommandPath::at(CommandType::MessageMenu, &["Note this"]);
        assert_eq!(names().current(&menu).to_string(), "Write down");
    }

    #[test]
    fn only_commands_in_code_are_renamed_in_what_a_module_says() {
        for (text, said) in [
            ("Nothing is open. `/tasks add` adds a task.", "Nothing is open. `/todo add` adds a task."),
            ("`/tasks remove` makes room", "`/todo delete` makes room"),
            ("`/tasks add title: buy /tasks remove`", "`/todo add title: buy /tasks remove`"),
            ("1 · \\`/tasks add\\` and /tasks", "1 · \\`/tasks add\\` and /tasks"),
            ("`x` and `/tasks`", "`x` and `/todo`"),
            ("`/status` and `/tasksx`", "`/status` and `/tasksx`"),
        ] {
            assert_eq!(names().in_text(text), said);
        }
        assert_eq!(CommandNames::default().in_text("`/tasks`"), "`/tasks`");
    }

    #[test]
    fn components_call_what_is_in_force() {
        let path = CommandPath::new("tasks", Some("remove"));
        let call =
            PreparedCall { path, arguments: serde_json::Map::new(), in_place: false, once: true, for_everyone: false };
        let button =
            Control::Button { label: "Remove".to_owned(), emoji: None, style: ControlStyle::Danger, call: Some(call) };
        let reply = names().in_reply(Reply { controls: vec![vec![button]], ..Reply::text("`/tasks`") });
        let Control::Button { call: Some(call), .. } = &reply.controls[0][0] else { panic!("{reply:?}") };
        assert_eq!((call.path.to_string().as_str(), reply.text.as_str()), ("/todo delete", "`/todo`"));
    }

    #[test]
    fn a_new_name_is_one_that_discord_accepts_written_as_people_type_it() {
        for (declared, value, wanted) in [
            ("/tasks", json!("todo"), "with its slash"),
            ("/tasks", json!("/To do"), "in lower case"),
            ("/tasks", json!("//todo"), "with its slash"),
            ("/tasks remove", json!("/delete"), "the last name alone"),
            ("/tasks remove", json!("/todo delete"), "the last name alone"),
            ("/tasks", json!(true), "`false` to switch it off"),
            ("/tasks", json!(7), "a new name as text"),
            ("Note this", json!("/note"), "without a slash"),
            ("Note this", json!(""), "1 to 32 characters"),
        ] {
            let refused = CommandNames::default().set(declared, &value).unwrap_err();
            assert!(refused.contains(wanted), "{declared} {value}: {refused}");
        }
    }
}
