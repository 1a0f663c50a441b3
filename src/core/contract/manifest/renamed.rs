//! A manifest with the names that the operator gives its commands.

use crate::contract::manifest::command_names::{CommandNames, NameInForce};
use crate::contract::manifest::localized::WrittenLocalized;
use crate::contract::manifest::text::Text;
use crate::contract::manifest::written::{WrittenCommandValue, WrittenLeaf, WrittenManifest, WrittenSubcommand};
use crate::diagnostic::spanned::Spanned;

impl WrittenManifest {
    /// Gives each command the name that is in force, and takes out what is switched off. Where a name was changed, its
    /// translations go too: they translate the old name.
    pub(crate) fn rename(&mut self, names: &CommandNames) {
        if names.is_empty() {
            return;
        }
        self.commands.retain_mut(|command| {
            let declared = command.key.value.clone();
            let WrittenCommandValue::Table(body) = &mut command.value else {
                return renamed(&declared, &mut command.key, "/", &mut [], names);
            };
            let had_parts = !body.subcommands.is_empty() || !body.groups.is_empty();
            subcommands(&mut body.subcommands, &declared, names);
            body.groups.retain_mut(|group| {
                let declared = format!("{declared} {}", group.name.value);
                let had_some = !group.subcommands.is_empty();
                subcommands(&mut group.subcommands, &declared, names);
                in_text(&mut group.description, names);
                let is_left = !had_some || !group.subcommands.is_empty();
                is_left && renamed(&declared, &mut group.name, "", &mut group.localized, names)
            });
            in_text(&mut body.description, names);
            leaf(&mut body.leaf, names);
            let is_left = !had_parts || !body.subcommands.is_empty() || !body.groups.is_empty();
            is_left && renamed(&declared, &mut command.key, "/", &mut body.localized, names)
        });
        self.menus.retain_mut(|menu| {
            let declared = menu.name.value.clone();
            renamed(&declared, &mut menu.name, "", &mut menu.localized, names)
        });
    }

    /// The full names of everything that can be called or holds what can be called: `/tasks`, `/tasks add`, `Note this`.
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

fn subcommands(all: &mut Vec<WrittenSubcommand>, parent: &str, names: &CommandNames) {
    all.retain_mut(|subcommand| {
        let declared = format!("{parent} {}", subcommand.name.value);
        in_text(&mut subcommand.description, names);
        leaf(&mut subcommand.leaf, names);
        renamed(&declared, &mut subcommand.name, "", &mut subcommand.localized, names)
    });
}

/// Sets the name in force; false if it is switched off.
fn renamed(
    declared: &str,
    written: &mut Spanned<String>,
    slash: &str,
    localized: &mut [WrittenLocalized],
    names: &CommandNames,
) -> bool {
    match names.of(declared) {
        None => true,
        Some(NameInForce::Off) => false,
        Some(NameInForce::Called(name)) => {
            written.value = format!("{slash}{name}");
            localized.iter_mut().for_each(|words| words.name = None);
            true
        }
    }
}

/// The texts of a leaf that name commands.
fn leaf(leaf: &mut WrittenLeaf, names: &CommandNames) {
    if let Some(text) = &mut leaf.tool_description {
        text.value = names.in_text(&text.value).into_owned();
    }
    leaf.options.iter_mut().for_each(|option| in_text(&mut option.description, names));
}

fn in_text(text: &mut Text, names: &CommandNames) {
    if let Text::Given(text) = text {
        text.value = names.in_text(&text.value).into_owned();
    }
}
