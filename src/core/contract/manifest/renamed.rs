//! Applies the operator's command names to a manifest.

use crate::contract::manifest::command_names::{CommandNames, NameInForce};
use crate::contract::manifest::text::{Text, WrittenLocalized};
use crate::contract::manifest::written::{WrittenCommandValue, WrittenLeaf, WrittenManifest};
use crate::contract::spec::tool_name;
use crate::diagnostic::spanned::Spanned;
use crate::inbound::{CommandPath, CommandType};

impl WrittenManifest {
    /// Removes switched-off commands, and parents that lose their last subcommand.
    pub(crate) fn switch_off(&mut self, names: &CommandNames) {
        let is_on = |declared: &str| names.of(declared) != Some(&NameInForce::Off);
        self.commands.retain_mut(|command| {
            let key = command.key.value.clone();
            if let WrittenCommandValue::Table(body) = &mut command.value {
                let had_parts = !body.subcommands.is_empty() || !body.groups.is_empty();
                body.subcommands.retain(|subcommand| is_on(&format!("{key} {}", subcommand.name.value)));
                body.groups.retain_mut(|group| {
                    let declared = format!("{key} {}", group.name.value);
                    let had_some = !group.subcommands.is_empty();
                    group.subcommands.retain(|subcommand| is_on(&format!("{declared} {}", subcommand.name.value)));
                    is_on(&declared) && (!had_some || !group.subcommands.is_empty())
                });
                if had_parts && body.subcommands.is_empty() && body.groups.is_empty() {
                    return false;
                }
            }
            is_on(&key)
        });
        self.menus.retain(|menu| is_on(&menu.name.value));
    }

    /// Replaces command names in replies and questions by the current ones.
    pub(crate) fn rename_in_replies(&mut self, names: &CommandNames) {
        let bodies = self.commands.iter_mut().filter_map(|command| match &mut command.value {
            WrittenCommandValue::Table(body) => Some(body.named_leaves_mut("", true)),
            WrittenCommandValue::BareHandler(_) | WrittenCommandValue::Unreadable => None,
        });
        let leaves = bodies.flatten().map(|(_, leaf)| leaf).chain(self.menus.iter_mut().map(|menu| &mut menu.leaf));
        for reply in leaves.flat_map(|leaf| leaf.reply.iter_mut().chain(&mut leaf.ask)) {
            for text in reply.value.words_mut() {
                text.value = names.in_text(&text.value).into_owned();
            }
        }
    }

    /// Gives each command its current name and removes switched-off ones. A renamed command loses its localized names,
    /// because they translate the old name.
    pub(crate) fn rename(&mut self, names: &CommandNames) {
        if names.is_empty() {
            return;
        }
        // Repeated because commands for an MCP server's tools were added since.
        self.switch_off(names);
        for command in &mut self.commands {
            let key = command.key.value.clone();
            let mut none = Vec::new();
            let localized = match &mut command.value {
                WrittenCommandValue::Table(body) => {
                    let is_leaf = body.subcommands.is_empty() && body.groups.is_empty();
                    for (declared, leaf) in body.named_leaves_mut(&key, is_leaf) {
                        leaf_named(leaf, &declared, names);
                    }
                    for subcommand in &mut body.subcommands {
                        let declared = format!("{key} {}", subcommand.name.value);
                        renamed(&declared, &mut subcommand.name, "", &mut subcommand.localized, names);
                        in_text(&mut subcommand.description, names);
                    }
                    for group in &mut body.groups {
                        let above = format!("{key} {}", group.name.value);
                        for subcommand in &mut group.subcommands {
                            let declared = format!("{above} {}", subcommand.name.value);
                            renamed(&declared, &mut subcommand.name, "", &mut subcommand.localized, names);
                            in_text(&mut subcommand.description, names);
                        }
                        renamed(&above, &mut group.name, "", &mut group.localized, names);
                        in_text(&mut group.description, names);
                    }
                    in_text(&mut body.description, names);
                    &mut body.localized
                }
                WrittenCommandValue::BareHandler(_) | WrittenCommandValue::Unreadable => &mut none,
            };
            renamed(&key, &mut command.key, "/", localized, names);
        }
        for menu in &mut self.menus {
            let declared = menu.name.value.clone();
            renamed(&declared, &mut menu.name, "", &mut menu.localized, names);
        }
    }

    /// Returns the full names of all commands, groups and subcommands: `/tasks`, `/tasks add`, `Note this`.
    pub(crate) fn declared_names(&self) -> Vec<String> {
        let mut declared = Vec::new();
        for command in &self.commands {
            let key = &command.key.value;
            declared.push(key.clone());
            let WrittenCommandValue::Table(body) = &command.value else { continue };
            declared.extend(body.groups.iter().map(|group| format!("{key} {}", group.name.value)));
            declared.extend(body.named_leaves(key).skip(1).map(|(name, _)| name));
        }
        declared.extend(self.menus.iter().map(|menu| menu.name.value.clone()));
        declared
    }
}

fn renamed(
    declared: &str,
    written: &mut Spanned<String>,
    slash: &str,
    localized: &mut [WrittenLocalized],
    names: &CommandNames,
) {
    for text in localized.iter_mut().filter_map(|words| words.description.as_mut()) {
        text.value = names.in_text(&text.value).into_owned();
    }
    if let Some(NameInForce::Called(name)) = names.of(declared) {
        written.value = format!("{slash}{name}");
        localized.iter_mut().for_each(|words| words.name = None);
    }
}

/// Replaces command names in a leaf's texts. Its tool name stays the declared one: a new command name may contain
/// letters that tool names do not allow.
fn leaf_named(leaf: &mut WrittenLeaf, declared: &str, names: &CommandNames) {
    let names_of: Vec<_> = declared.trim_start_matches('/').split(' ').collect();
    let path = CommandPath::at(CommandType::Slash, &names_of);
    if let (Some(tool), None, true) = (&leaf.tool, &leaf.tool_name, names.current(&path) != path) {
        leaf.tool_name = Some(Spanned { value: tool_name(&path), span: tool.span.clone() });
    }
    if let Some(text) = &mut leaf.tool_description {
        text.value = names.in_text(&text.value).into_owned();
    }
    for option in &mut leaf.options {
        in_text(&mut option.description, names);
        for text in option.localized.iter_mut().filter_map(|words| words.description.as_mut()) {
            text.value = names.in_text(&text.value).into_owned();
        }
    }
}

fn in_text(text: &mut Text, names: &CommandNames) {
    if let Text::Given(text) = text {
        text.value = names.in_text(&text.value).into_owned();
    }
}
