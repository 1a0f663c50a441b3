//! Commands named in a text as clickable mentions: `</status:123>`.
//!
//! Only the host makes them: a mention that a model writes is broken up before.

use std::collections::BTreeMap;
use std::sync::Arc;

use arc_swap::ArcSwap;
use serde_json::Value;

use candor_core::registry::Registry;
use candor_core::text::{CodeRules, Segment, SegmentKind, segments};

/// The maximum of names in a command's path: the command's, a group's and a subcommand's.
const NAMES_MAX: usize = 3;

/// A slash command's number. See Discord's documentation, application command types.
const CHAT_INPUT: u64 = 1;

/// The commands that can be mentioned: those in force whose ids Discord returned.
#[derive(Default)]
pub(crate) struct Mentions(ArcSwap<BTreeMap<String, u64>>);

impl Mentions {
    /// Stores the ids of commands as Discord returns them. A command that has subcommands cannot be mentioned itself.
    pub(crate) fn learn(&self, registry: &Registry, registered: &[Value]) {
        let mut ids = BTreeMap::new();
        for command in registry.commands() {
            let standing = registered.iter().find(|standing| {
                standing.get("type").and_then(Value::as_u64).unwrap_or(CHAT_INPUT) == CHAT_INPUT
                    && standing.get("name").and_then(Value::as_str) == Some(&command.name)
            });
            let id = standing.and_then(|standing| standing.get("id")?.as_str()?.parse().ok());
            let Some(id) = id else { continue };
            let paths = command.leaves().map(|leaf| leaf.path().names().collect::<Vec<_>>().join(" "));
            ids.extend(paths.map(|path| (path, id)));
        }
        self.0.store(Arc::new(ids));
    }

    /// Turns every command named in the text, outside code, into a mention. Changes nothing until ids are known.
    pub(crate) fn mention(&self, text: &str) -> String {
        let ids = self.0.load();
        if ids.is_empty() {
            return text.to_owned();
        }
        let mut shown = String::with_capacity(text.len());
        for Segment { kind, range } in segments(text, CodeRules::Discord) {
            let before = text.get(..range.start).and_then(|before| before.chars().next_back());
            let part = text.get(range).unwrap_or_default();
            match kind {
                SegmentKind::Text => mention_in(part, before, &ids, &mut shown),
                SegmentKind::Inline | SegmentKind::Fence { .. } => shown.push_str(part),
            }
        }
        shown
    }
}

/// Appends a text outside code, which follows `before`, with its mentions.
fn mention_in(text: &str, mut before: Option<char>, ids: &BTreeMap<String, u64>, shown: &mut String) {
    let mut rest = text.chars();
    while let Some(character) = rest.next() {
        shown.push(character);
        if character == '/'
            && may_stand_before(before)
            && let Some((name, id)) = named(rest.as_str(), ids)
        {
            shown.pop();
            shown.push_str(&format!("</{name}:{id}>"));
            rest = rest.as_str().strip_prefix(name).unwrap_or_default().chars();
            before = name.chars().next_back();
        } else {
            before = Some(character);
        }
    }
}

/// Returns whether a command may begin after this character: not inside a word, a path or an address.
fn may_stand_before(before: Option<char>) -> bool {
    before.is_none_or(|before| before.is_whitespace() || "([{\"'“„«*–—,;".contains(before))
}

/// Returns the longest command at the start of a text. The following text must not continue a path or a word.
fn named<'a>(text: &'a str, ids: &BTreeMap<String, u64>) -> Option<(&'a str, u64)> {
    let mut found = Vec::with_capacity(NAMES_MAX);
    let mut rest = Some(text);
    while let Some((_, behind)) = rest.and_then(word).filter(|_| found.len() < NAMES_MAX) {
        let name = text.strip_suffix(behind)?;
        found.push((name, behind));
        rest = behind.strip_prefix(' ');
    }
    let mut known = found.into_iter().rev().filter(|(_, behind)| ends(behind));
    known.find_map(|(name, _)| Some((name, *ids.get(name)?)))
}

fn word(text: &str) -> Option<(&str, &str)> {
    let behind = text.trim_start_matches(|c: char| c.is_alphanumeric() || c == '-' || c == '_');
    text.strip_suffix(behind).filter(|name| !name.is_empty()).map(|name| (name, behind))
}

fn ends(behind: &str) -> bool {
    let mut next = behind.chars();
    match next.next() {
        Some('/' | '\\') => false,
        Some('.') => !next.next().is_some_and(char::is_alphanumeric),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use candor_core::contract::{Call, NativeModule, NoArguments, check};
    use candor_core::reply::Reply;

    fn known() -> Mentions {
        let registry = Registry::build(check(candor_engine::builtin::module(), candor_modules::all(), Vec::new()));
        let mentions = Mentions::default();
        assert_eq!(mentions.mention("/status"), "/status", "nothing is known yet");
        mentions.learn(
            &registry,
            &[
                json!({"id": "11", "type": 1, "name": "status"}),
                json!({"id": "12", "type": 1, "name": "tasks"}),
                json!({"id": "13", "type": 3, "name": "help"}),
                json!({"id": "14", "type": 1, "name": "not-in-force"}),
            ],
        );
        mentions
    }

    #[test]
    fn commands_that_exist_become_mentions_and_nothing_else_does() {
        let mentions = known();
        let cases = [
            ("/status", "</status:11>"),
            ("Try /status, or (/status).", "Try </status:11>, or (</status:11>)."),
            ("**/status**", "**</status:11>**"),
            ("/tasks add milk", "</tasks add:12> milk"),
            ("/status cpu", "</status:11> cpu"),
            ("/tasks", "/tasks"),
            ("/tasks history", "/tasks history"),
            ("/help /nosuch /not-in-force", "/help /nosuch /not-in-force"),
            (
                "a/status /status/x /status.json /statusbar //status",
                "a/status /status/x /status.json /statusbar //status",
            ),
            ("https://x.y/status", "https://x.y/status"),
            ("`/status` and /status", "`/status` and </status:11>"),
            ("``a ` /status`` /status", "``a ` /status`` </status:11>"),
            ("```\n/status\n``` /status", "```\n/status\n``` </status:11>"),
            ("```\n/status", "```\n/status"),
            ("a ` b /status", "a ` b </status:11>"),
            ("ü/status ü /status", "ü/status ü </status:11>"),
        ];
        for (text, expected) in cases {
            assert_eq!(mentions.mention(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_group_is_part_of_a_commands_name() {
        let manifest = r#"
            [module]
            name = "club"
            summary = "The club"
            [commands."/club"]
            description = "The club"
            [commands."/club".groups.member]
            description = "Its members"
            [commands."/club".groups.member.subcommands.list]
            description = "Show them"
            handler = "list"
        "#;
        let list = async |_: NoArguments, _: Call| Ok(Reply::default());
        let module = NativeModule::new("club", manifest).handler("list", list);
        let registry = Registry::build(check(candor_engine::builtin::module(), vec![module], Vec::new()));
        let mentions = Mentions::default();
        mentions.learn(&registry, &[json!({"id": "15", "name": "club"})]);
        let cases = [
            ("/club member list", "</club member list:15>"),
            ("Try /club member list all", "Try </club member list:15> all"),
            ("/club member, /club", "/club member, /club"),
            ("/club member  list", "/club member  list"),
        ];
        for (text, expected) in cases {
            assert_eq!(mentions.mention(text), expected, "{text:?}");
        }
    }
}
