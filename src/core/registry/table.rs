//! The registration table: the commands in force, as shown to operators.

use crate::contract::{Command, CommandKind, OptionSpec, Owner, REPLY_MENUS, ServiceName};
use crate::inbound::{CommandPath, CommandType};
use crate::registry::Registry;
use crate::text::names;

/// The result of the probe.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reach {
    /// The number of callable commands.
    pub registered: usize,
    pub reachable: usize,
    /// The commands not reached, each with its reason.
    pub unreachable: Vec<(CommandPath, String)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandRow {
    /// The name with its slash; the plain name of a context-menu command.
    pub name: String,
    pub owner: String,
    pub description: String,
    /// How its handlers are provided.
    pub kind: &'static str,
    /// Its parameters: `[metric]` or `add | list | user ban`, after `[chat alone]` for a tool of the chat model alone.
    /// For a context-menu command, its menu.
    pub takes: String,
}

names! {
    /// The result of registering a command on Discord.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum SyncOutcome {
        Created = "created",
        /// It was already as wanted.
        Unchanged = "unchanged",
        Updated = "updated",
        /// It failed the check: Discord keeps the old version, and the bot answers it as unavailable.
        Withdrawn = "withdrawn",
        /// It was no longer in force and was removed.
        Removed = "removed",
        /// Discord refused it. The log says why.
        Rejected = "rejected",
        /// It could not be written yet, and the bot will retry. The log says why.
        PutOff = "put-off",
    }
}

impl CommandRow {
    pub fn of(command: &Command) -> Self {
        let (kind, takes) = match &command.kind {
            CommandKind::Leaf(leaf) => {
                let option = |option: &OptionSpec| match option.required {
                    true => option.name.clone(),
                    false => format!("[{}]", option.name),
                };
                (leaf.handler.kind.name(), leaf.options.iter().map(option).collect::<Vec<_>>().join(" "))
            }
            CommandKind::Parent { .. } => {
                let names = command.leaves().map(|leaf| leaf.path.below().collect::<Vec<_>>().join(" "));
                let kind = command.leaves().next().map_or("none", |first| first.handler.kind.name());
                (kind, names.collect::<Vec<_>>().join(" | "))
            }
        };
        let takes = match menu_word(command.command_type) {
            Some(menu) => menu.to_owned(),
            None if command.chat_only => format!("[chat alone] {takes}").trim_end().to_owned(),
            None => takes,
        };
        Self {
            name: CommandPath::at(command.command_type, &[&command.name]).to_string(),
            owner: command.owner.to_string(),
            description: command.description.clone(),
            kind,
            takes,
        }
    }
}

/// Formats the whole table: totals first, then one line per command, then the hosts that modules may read from and the
/// commands left out.
pub fn registration_table(registry: &Registry, reach: &Reach) -> String {
    let of_builtin = registry.all().filter(|command| command.owner == Owner::Builtin);
    let n_builtin: usize = of_builtin.map(|command| command.leaves().count()).sum();
    let n_modules = registry.modules().keys().filter(|owner| **owner != Owner::Builtin).count();
    // Of a rejected module only the names of its commands are known, not their subcommands.
    let (below, whole): (Vec<_>, Vec<_>) = registry.not_in_force().partition(|(path, _)| 1 < path.names().count());
    let whole = counted(whole.len(), "whole command");
    let parts: Vec<_> = [whole, counted(below.len(), "subcommand")].into_iter().flatten().collect();
    let rejected = if parts.is_empty() { "0".to_owned() } else { parts.join(", ") };
    let total = format!(
        "{} commands of {n_modules} modules and {n_builtin} built-in: registered {}, reachable {}, rejected {rejected}",
        reach.registered - n_builtin,
        reach.registered,
        reach.reachable,
    );
    let in_force = registry.all().map(CommandRow::of);
    let in_force = in_force.map(|line| [line.name, line.owner, line.description, line.takes]);
    let rejected = registry.not_in_force().map(|(path, command)| {
        let why = command.error.as_ref().map_or("its manifest cannot be read".to_owned(), ToString::to_string);
        let takes = menu_word(path.command_type()).unwrap_or_default().to_owned();
        [path.to_string(), command.module.clone(), format!("{}: {why}", command.state()), takes]
    });
    let rows = in_force.chain(rejected).collect::<Vec<_>>();
    [total]
        .into_iter()
        .chain(aligned(&rows))
        .chain(reads(registry))
        .chain(by_itself(registry))
        .chain(left_out(registry))
        .chain(switched_off(registry))
        .collect::<Vec<_>>()
        .join("\n")
}

fn counted(n: usize, what: &str) -> Option<String> {
    match n {
        0 => None,
        1 => Some(format!("1 {what}")),
        n => Some(format!("{n} {what}s")),
    }
}

/// Returns one line for each module that may read over the web, with its hosts.
fn reads(registry: &Registry) -> impl Iterator<Item = String> {
    let asks = registry.modules().iter().filter(|(_, facts)| facts.services.contains(&ServiceName::Http));
    asks.map(|(owner, facts)| format!("  reads over the web: {owner} from {}", facts.http_hosts))
}

/// Returns one line for each event or scheduled command, if the operator allows its module a channel.
fn by_itself(registry: &Registry) -> impl Iterator<Item = String> {
    let hooks = registry.hooks().map(|(owner, hook, policy)| (owner, &hook.path, hook.kind.words().to_owned(), policy));
    let schedules = registry
        .schedules()
        .map(|(owner, schedule, policy)| (owner, &schedule.path, format!("at `{}`", schedule.cron.pattern()), policy));
    hooks.chain(schedules).map(|(owner, path, when, policy)| {
        let n = policy.channels.len();
        let channels = if n == 1 { "channel" } else { "channels" };
        let servers = if policy.servers_add { " and where servers allow it" } else { "" };
        format!("  runs by itself: {path} of {owner}, {when}, in {n} {channels}{servers}")
    })
}

/// Lists the features that a bot without a chat model lacks; `None` if there is one.
fn left_out(registry: &Registry) -> Option<String> {
    let commands = registry.left_out().iter().map(|name| format!("/{name}"));
    let names: Vec<_> = commands.chain(REPLY_MENUS.map(str::to_owned)).collect();
    (!registry.left_out().is_empty()).then(|| format!("  left out: no chat model ({})", names.join(", ")))
}

/// Lists the commands that the operator switched off in the settings; `None` if nothing is switched off.
fn switched_off(registry: &Registry) -> Option<String> {
    let names = registry.switched_off();
    (!names.is_empty()).then(|| format!("  switched off: in the settings ({})", names.join(", ")))
}

/// Returns the word for a context menu; `None` for a slash command.
fn menu_word(command_type: CommandType) -> Option<&'static str> {
    match command_type {
        CommandType::Slash => None,
        CommandType::UserMenu => Some("[user menu]"),
        CommandType::MessageMenu => Some("[message menu]"),
    }
}

/// The minimum column widths, so that short tables look alike.
const WIDTHS: [usize; 3] = [10, 9, 42];

/// Formats rows as lines, with columns as wide as their widest cell.
fn aligned(rows: &[[String; 4]]) -> impl Iterator<Item = String> {
    let mut widths = WIDTHS;
    for row in rows {
        for (width, entry) in widths.iter_mut().zip(row) {
            *width = entry.chars().count().max(*width);
        }
    }
    let [name, owner, what] = widths;
    rows.iter()
        .map(move |[a, b, c, takes]| format!("  {a:<name$} {b:<owner$} {c:<what$} {takes}").trim_end().to_owned())
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::contract::{Checked, Group, Leaf, Localized, RejectedModule, Subcommand};
    use crate::testing::accepted;

    #[test]
    fn columns_are_as_wide_as_their_widest_entry() {
        let row = |row: [&str; 4]| row.map(str::to_owned);
        let rows = [row(["/a", "forecasting", "Grüße", "[x]"]), row(["/as-long-as-it-gets", "b", "Text", "one | two"])];
        let lines: Vec<_> = aligned(&rows).collect();
        let gap = " ".repeat(37);
        assert_eq!(lines[0], format!("  /a                  forecasting Grüße{gap} [x]"));
        assert_eq!(lines[1], format!("  /as-long-as-it-gets b           Text {gap} one | two"));
    }

    #[test]
    fn groups_and_context_menu_commands_have_their_place() {
        let leaf = || Leaf::new("unused", Vec::new(), None);
        let group = Group {
            name: "member".to_owned(),
            description: "Members".to_owned(),
            subcommands: ["add", "drop"].map(|name| Subcommand::new(name, "One", leaf())).into(),
            localized: Localized::default(),
            written_at: None,
        };
        let kind =
            CommandKind::Parent { subcommands: vec![Subcommand::new("list", "All", leaf())], groups: vec![group] };
        let owner = || Owner::Module("club".to_owned());
        let menu = |command_type, name| Command::on(command_type, name, "", owner(), CommandKind::Leaf(leaf()));
        let commands = vec![
            Command::new("club", "The club", owner(), kind),
            menu(CommandType::UserMenu, "Show profile"),
            menu(CommandType::MessageMenu, "Report"),
        ];
        let lines: Vec<_> = commands.iter().map(CommandRow::of).map(|line| (line.name, line.takes)).collect();
        let expected = [
            ("/club", "list | member add | member drop"),
            ("Show profile", "[user menu]"),
            ("Report", "[message menu]"),
        ];
        assert_eq!(lines, expected.map(|(name, takes)| (name.to_owned(), takes.to_owned())));

        let module = accepted(owner(), commands);
        let menus = vec![(CommandType::UserMenu, "Cloud".to_owned())];
        let rejected = vec![RejectedModule { name: "clouds".to_owned(), menus, ..RejectedModule::default() }];
        let registry = Registry::build(Checked { accepted: vec![module], rejected, ..Checked::default() });
        let reach = Reach { registered: 5, reachable: 5, unreachable: Vec::new() };
        let table = registration_table(&registry, &reach);
        let first: Vec<_> = table.lines().map(|line| line.split_whitespace().next().unwrap_or_default()).collect();
        assert_eq!(first, ["5", "/club", "Show", "Report", "Cloud"], "{table}");
        assert!(table.contains("rejected 1 whole command\n"), "{table}");
        assert!(table.ends_with("unavailable: its manifest cannot be read   [user menu]"), "{table}");
    }

    #[test]
    fn what_is_left_out_without_a_chat_model_stands_in_one_line() {
        let command = |name: &str, owner| {
            Command::new(name, "One", owner, CommandKind::Leaf(Leaf::new("unused", Vec::new(), None)))
        };
        let own = Owner::Module("talk".to_owned());
        let accepted = || {
            let builtin = ["help", "clear", "model"].map(|name| command(name, Owner::Builtin));
            // A module's command of such a name is its own.
            vec![accepted(Owner::Builtin, builtin.into()), accepted(own.clone(), vec![command("usage", own.clone())])]
        };
        let with = Registry::build(Checked { accepted: accepted(), ..Checked::default() });
        let without = Registry::build(Checked { accepted: accepted(), ..Checked::default() }.without_chat());
        let names = |registry: &Registry| registry.commands().map(|it| it.name.clone()).collect::<Vec<_>>().join(" ");
        assert_eq!((names(&with).as_str(), names(&without).as_str()), ("clear help model usage", "help usage"));
        assert_eq!((with.reply_menus().count(), without.reply_menus().count()), (REPLY_MENUS.len(), 0));
        let reach = Reach { registered: 4, ..Reach::default() };
        assert!(!registration_table(&with, &reach).contains("left out"));
        let table = registration_table(&without, &reach);
        let line =
            "\n  left out: no chat model (/clear, /model, What it said, Ask again, Delete reply, Hide leading JSON)";
        assert!(table.ends_with(line), "{table}");
    }

    #[test]
    fn rejected_commands_are_counted_as_what_they_are() {
        let rejected = |names: &[&str]| {
            let commands = names.iter().map(|name| (*name).to_owned()).collect();
            let rejected = vec![RejectedModule { name: "clouds".to_owned(), commands, ..RejectedModule::default() }];
            let registry = Registry::build(Checked { rejected, ..Checked::default() });
            registration_table(&registry, &Reach::default())
        };
        for (names, wanted) in [
            (&[][..], "rejected 0"),
            (&["weather"], "rejected 1 whole command"),
            (&["sky", "weather"], "rejected 2 whole commands"),
        ] {
            let table = rejected(names);
            assert!(table.lines().next().is_some_and(|line| line.ends_with(wanted)), "{table}");
            assert_eq!(table.lines().count(), 1 + names.len(), "{table}");
        }
    }
}
