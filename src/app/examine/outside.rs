//! Checks the files, modules and commands that the settings name.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{self, Component, Path, PathBuf};

use crate::app::wings::{operator, server_store};
use candor_core::contract::{Checked, Leaf, ToolSpec};
use candor_core::diagnostic::spanned::Spanned;
use candor_core::diagnostic::{Code, Diagnostic, Diagnostics};
use candor_core::inbound::CommandPath;
use candor_core::settings::{SettingLocations, Settings, StoreSettings};
use candor_core::text::{in_code_spans, nearest};
use candor_engine::read_key;

/// A file that the bot uses: the setting that names it, the place of that setting, and its path.
struct NamedFile<'a> {
    setting: &'a str,
    span: Option<Range<usize>>,
    path: &'a Path,
}

/// Reports one file named for two uses, where one use would destroy the other.
pub(super) fn check_distinct(settings: &Settings, places: &SettingLocations, found: &mut Diagnostics) {
    let span = |spot: &Option<Spanned<PathBuf>>| spot.as_ref().map(|spot| spot.span.clone());
    let store = match &settings.store {
        StoreSettings::File(path) => NamedFile { setting: "store.path", span: span(&places.store_path), path },
        StoreSettings::Server(path) => NamedFile { setting: "store.url_file", span: span(&places.url_file), path },
    };
    let status = NamedFile { setting: "status.file", span: span(&places.status_file), path: &settings.status.file };
    let mut files = vec![store, status];
    files.extend(places.page_token_file.iter().map(|token| NamedFile {
        setting: "admin.page_token_file",
        span: Some(token.span.clone()),
        path: &token.value,
    }));
    files.extend(places.receipt_key_file.iter().map(|key| NamedFile {
        setting: "receipts.key_file",
        span: Some(key.span.clone()),
        path: &key.value,
    }));
    // Two providers may have the same key.
    let mut keys = BTreeSet::new();
    let key_files = places.key_files.iter().filter(|(_, key)| keys.insert(normalized(&key.value)));
    files.extend(key_files.map(|(setting, key)| NamedFile { setting, span: Some(key.span.clone()), path: &key.value }));
    let config = normalized(Path::new(places.file()));
    for (index, file) in files.iter().enumerate() {
        let path = normalized(file.path);
        let shown = file.path.display();
        let help = "let each name a file of its own".to_owned();
        if path == config {
            let message = format!("`{}` names the settings file itself, `{shown}`", file.setting);
            found.push(places.problem(file.span.clone().unwrap_or_default(), message, help.clone()));
        }
        if file.path.is_dir() {
            let message = format!("`{}` names the folder `{shown}`, and it takes a file", file.setting);
            found.push(places.problem(file.span.clone().unwrap_or_default(), message, "name a file in it".to_owned()));
        }
        for other in files.iter().take(index).filter(|other| occupied(other).contains(&path)) {
            let span = file.span.clone().or_else(|| other.span.clone()).unwrap_or_default();
            let message = format!("`{}` names `{shown}`, which `{}` takes for itself", file.setting, other.setting);
            found.push(places.problem(span, message, help.clone()));
        }
    }
}

/// Returns the paths that a file occupies: its own, and those of the files that SQLite keeps beside a database.
fn occupied(file: &NamedFile<'_>) -> Vec<PathBuf> {
    let path = normalized(file.path);
    let beside = |ending: &str| {
        let mut name = path.clone().into_os_string();
        name.push(ending);
        PathBuf::from(name)
    };
    let endings: &[&str] = if file.setting == "store.path" { &["", "-wal", "-shm", "-journal"] } else { &[""] };
    endings.iter().map(|ending| beside(ending)).collect()
}

pub(super) fn check_keys(places: &SettingLocations, found: &mut Diagnostics) {
    for (_, key_file) in &places.key_files {
        if let Err(problem) = read_key(&key_file.value) {
            let help = "name a file that holds the key and nothing else, or take `key_file` out".to_owned();
            found.push(places.problem(key_file.span.clone(), problem.to_string(), help));
        }
    }
}

/// Reports a token file for the operator's page that contains no token.
pub(super) fn check_page_token(places: &SettingLocations, found: &mut Diagnostics) {
    let Some(token_file) = &places.page_token_file else { return };
    if let Err((problem, help)) = operator::check_page_token(&token_file.value) {
        found.push(places.problem(token_file.span.clone(), problem, help));
    }
}

/// Reports an address file that contains no database address.
pub(super) fn check_address(places: &SettingLocations, found: &mut Diagnostics) {
    let Some(url_file) = &places.url_file else { return };
    if let Err((problem, help)) = server_store::check_address(&url_file.value) {
        found.push(places.problem(url_file.span.clone(), problem, help));
    }
}

/// Reports disabled modules that do not exist. `names` holds the existing ones.
pub(super) fn check_disabled(places: &SettingLocations, names: &BTreeSet<String>, found: &mut Diagnostics) {
    for name in places.disabled.iter().filter(|name| !names.contains(&name.value)) {
        let help = match nearest(&name.value, names.iter().map(String::as_str), 1).first() {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the modules are {}", in_code_spans(names)),
        };
        let message = format!("`modules.disabled` names `{}`, and there is no such module", name.value);
        found.push(places.problem(name.span.clone(), message, help));
    }
}

/// Reports commands in `[chat] write_tools` that do not exist or need no permission.
pub(super) fn check_write_tools(places: &SettingLocations, checked: &Checked, found: &mut Diagnostics) {
    let commands = checked.accepted.iter().flat_map(|module| &module.commands);
    let leaves = commands.flat_map(|command| command.leaves());
    let tools: BTreeMap<_, _> = leaves.map(|leaf| (leaf.path().to_string(), leaf.tool.as_deref())).collect();
    let is_write = |tool: &Option<&ToolSpec>| tool.is_some_and(|tool| tool.writes);
    let writes: Vec<_> = tools.iter().filter(|(_, tool)| is_write(tool)).map(|(name, _)| name.as_str()).collect();
    let all = match writes.as_slice() {
        [] => "take it out: no module offers the model a command that changes something".to_owned(),
        all => format!("commands that change something and that a model may call: {}", in_code_spans(all)),
    };
    let near =
        |name: &str| nearest(name, writes.iter().copied(), 1).first().map(|near| format!("did you mean `{near}`?"));
    for Spanned { value: name, span } in &places.write_tools {
        let (problem, help) = match tools.get(name) {
            // The commands of a module that failed the check are unknown until it is repaired.
            None if is_rejected(name, checked) => continue,
            None => ("and there is no such command", near(name).unwrap_or_else(|| all.clone())),
            Some(None) => ("which its module does not offer to the model", all.clone()),
            Some(Some(tool)) if tool.writes => continue,
            Some(Some(_)) => {
                ("which changes nothing", "take it out: the model may call what only reads without it".to_owned())
            }
        };
        found.push(places.problem(span.clone(), format!("`chat.write_tools` names `{name}`, {problem}"), help));
    }
}

/// Reports commands in `tools` of `[chat.places]` that do not exist or that no model may call. Warns about commands
/// that remove something and are not in `[chat] write_tools`.
pub(super) fn check_place_tools(places: &SettingLocations, checked: &Checked, found: &mut Diagnostics) {
    let commands = checked.accepted.iter().flat_map(|module| &module.commands);
    let leaves = commands.flat_map(|command| command.leaves());
    let known: BTreeMap<_, _> = leaves.map(|leaf| (leaf.path().to_string(), leaf)).collect();
    let tools: Vec<_> = known.iter().filter(|(_, leaf)| leaf.tool.is_some()).map(|(name, _)| name.as_str()).collect();
    for Spanned { value: name, span } in &places.place_tools {
        let problem = match known.get(name) {
            Some(leaf)
                if leaf.tool.is_some()
                    && leaf.removes
                    && !places.write_tools.iter().any(|write| write.value == *name) =>
            {
                let message =
                    format!("`tools` names `{name}`, which removes something and is not in `[chat] write_tools`");
                let help = format!("add `{name}` to `write_tools`, or take it out here: the model is not offered it");
                let problem = places.problem(span.clone(), message, help);
                found.push(Diagnostic { code: Code::ConfigContradiction, ..problem });
                continue;
            }
            Some(leaf) if leaf.tool.is_some() => continue,
            // The commands of a module that failed the check are unknown until it is repaired.
            None if is_rejected(name, checked) => continue,
            None => "and there is no such command",
            Some(_) => "which its module does not offer to the model",
        };
        let help = match nearest(name, tools.iter().copied(), 1).first() {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("commands that a model may call: {}", in_code_spans(&tools)),
        };
        found.push(places.problem(span.clone(), format!("`tools` names `{name}`, {problem}"), help));
    }
}

/// Reports names in `[permissions]` that match no command and no subcommand.
pub(super) fn check_permissions(places: &SettingLocations, checked: &Checked, found: &mut Diagnostics) {
    let commands = checked.accepted.iter().flat_map(|module| &module.commands);
    let mut names = BTreeSet::new();
    for path in commands.flat_map(|command| command.leaves()).map(Leaf::path) {
        let parts: Vec<_> = path.names().collect();
        let above = (1..=parts.len()).filter_map(|n| parts.get(..n));
        names.extend(above.map(|parts| CommandPath::at(path.command_type(), parts).to_string()));
    }
    let is_rejected_in_menu =
        |name: &str| checked.rejected.iter().flat_map(|module| &module.menus).any(|(_, rejected)| rejected == name);
    let is_known = |name: &str| names.contains(name) || is_rejected(name, checked) || is_rejected_in_menu(name);
    for Spanned { value: name, span } in places.permissions.iter().filter(|name| !is_known(&name.value)) {
        let with_slash = format!("/{}", name.trim_start_matches('/'));
        let help = match nearest(name, names.iter().map(String::as_str), 1).first() {
            _ if names.contains(&with_slash) => format!("write `[permissions.\"{with_slash}\"]`"),
            Some(near) => format!("did you mean `{near}`?"),
            None => "name a command as people type it, such as `/tasks` or `/tasks remove`, or a context-menu \
                     command by its name"
                .to_owned(),
        };
        let message = format!("`[permissions]` names `{name}`, and there is no such command");
        found.push(places.problem(span.clone(), message, help));
    }
}

/// Returns whether the command failed the check or belongs to a module that did.
fn is_rejected(command: &str, checked: &Checked) -> bool {
    let withdrawn = || checked.accepted.iter().flat_map(|module| &module.withdrawn);
    if withdrawn().any(|known| known.name == command || known.name.starts_with(&format!("{command} "))) {
        return true;
    }
    let name = command.trim_start_matches('/').split(' ').next().unwrap_or_default();
    checked.rejected.iter().flat_map(|module| &module.commands).any(|rejected| rejected == name)
}

/// Returns the absolute path without `.` and `..`. Does not follow links: the file may not exist yet.
fn normalized(path: &Path) -> PathBuf {
    let absolute = path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut normalized = PathBuf::new();
    for component in absolute.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                normalized.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => normalized.push(component),
        }
    }
    normalized
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use candor_core::contract::{Command, CommandKind, Owner, RejectedModule, check};
    use candor_core::diagnostic::SourceFile;
    use candor_modules;

    /// `/tasks add` and `/tasks remove` change something, `/tasks list` only reads, and no model may call
    /// `/tasks done`. A module that failed its check has `/broken`.
    fn checked(writes: &[&str]) -> Checked {
        let mut checked = check(candor_engine::builtin::module(), candor_modules::all(), Vec::new());
        checked.accepted.retain(|module| module.owner == Owner::Module("tasks".to_owned()));
        let [Command { kind: CommandKind::Parent { subcommands, .. }, .. }] = &mut checked.accepted[0].commands[..]
        else {
            panic!("`/tasks` has subcommands");
        };
        for subcommand in subcommands {
            let writes = writes.contains(&subcommand.name.as_str());
            let tool = ToolSpec::new(subcommand.name.clone(), writes);
            subcommand.leaf.tool = (writes || subcommand.name == "list").then(|| Box::new(tool));
        }
        let broken = RejectedModule {
            name: "broken".to_owned(),
            commands: vec!["broken".to_owned()],
            ..RejectedModule::default()
        };
        checked.rejected.push(broken);
        checked
    }

    /// The diagnostic for one command in `[chat] write_tools`: position, message and help.
    fn told(command: &str, checked: &Checked) -> Option<(usize, String, String)> {
        let text = format!("[chat]\nwrite_tools = [\"{command}\"]\n");
        let places =
            candor_core::settings::read_leniently(&Arc::new(SourceFile { path: "config.toml".to_owned(), text }))
                .places;
        let mut found = Diagnostics::default();
        check_write_tools(&places, checked, &mut found);
        assert!(found.iter().count() <= 1, "{command}: {found:?}");
        let problem = found.iter().next()?;
        Some((problem.place.span.start, problem.message.clone(), problem.help.clone()))
    }

    #[test]
    fn a_write_tool_is_a_command_that_changes_something_and_that_a_model_may_call() {
        let checked = checked(&["add", "remove"]);
        let all = "commands that change something and that a model may call: `/tasks add`, `/tasks remove`";
        let cases = [
            ("/tasks add", None),
            ("/tasks  remove", None),
            ("/broken", None),
            ("/broken more", None),
            ("/task add", Some(("`/task add`, and there is no such command", "did you mean `/tasks add`?"))),
            ("/tasks", Some(("`/tasks`, and there is no such command", "did you mean `/tasks add`?"))),
            ("/weather", Some(("`/weather`, and there is no such command", all))),
            ("/tasks done", Some(("`/tasks done`, which its module does not offer to the model", all))),
            (
                "/tasks list",
                Some((
                    "`/tasks list`, which changes nothing",
                    "take it out: the model may call what only reads without it",
                )),
            ),
        ];
        for (command, expected) in cases {
            let expected =
                expected.map(|(message, help)| (22, format!("`chat.write_tools` names {message}"), help.to_owned()));
            assert_eq!(told(command, &checked), expected, "{command}");
        }
    }

    #[test]
    fn the_tools_of_a_place_are_commands_that_a_model_may_call() {
        let checked = checked(&["add", "remove"]);
        let cases = [
            ("/tasks add", None),
            ("/tasks list", None),
            ("/broken", None),
            ("/task list", Some(("`/task list`, and there is no such command", "did you mean `/tasks list`?"))),
            (
                "/weather",
                Some((
                    "`/weather`, and there is no such command",
                    "commands that a model may call: `/tasks add`, `/tasks list`, `/tasks remove`",
                )),
            ),
        ];
        for (command, expected) in cases {
            // A command that removes something needs both lists.
            let text =
                format!("[chat]\nwrite_tools = [\"/tasks remove\"]\n[chat.places.\"5\"]\ntools = [\"{command}\"]\n");
            let file = Arc::new(SourceFile { path: "config.toml".to_owned(), text });
            let mut found = Diagnostics::default();
            check_place_tools(&candor_core::settings::read_leniently(&file).places, &checked, &mut found);
            let told = found.iter().next().map(|problem| (problem.message.clone(), problem.help.clone()));
            let expected = expected.map(|(message, help)| (format!("`tools` names {message}"), help.to_owned()));
            assert_eq!(told, expected, "{command}");
        }
    }

    #[test]
    fn a_tool_of_a_place_that_removes_something_must_be_a_write_tool_as_well() {
        let mut checked = checked(&["add", "remove"]);
        let leaves = checked.accepted.iter_mut().flat_map(|module| &mut module.commands);
        for command in leaves {
            let CommandKind::Parent { subcommands, .. } = &mut command.kind else { continue };
            let removing = subcommands.iter_mut().filter(|subcommand| subcommand.name == "remove");
            removing.for_each(|subcommand| subcommand.leaf.removes = true);
        }
        for (write_tools, is_warned) in
            [("", true), ("write_tools = []\n", true), ("write_tools = [\"/tasks remove\"]\n", false)]
        {
            let text =
                format!("[chat]\n{write_tools}[chat.places.\"5\"]\ntools = [\"/tasks remove\", \"/tasks add\"]\n");
            let file = Arc::new(SourceFile { path: "config.toml".to_owned(), text });
            let mut found = Diagnostics::default();
            check_place_tools(&candor_core::settings::read_leniently(&file).places, &checked, &mut found);
            let codes: Vec<_> = found.iter().map(|problem| problem.code).collect();
            assert_eq!(codes, if is_warned { vec![Code::ConfigContradiction] } else { Vec::new() }, "{write_tools}");
        }
    }

    #[test]
    fn without_any_command_to_allow_the_help_says_so() {
        let (_, _, help) = told("/tasks add", &checked(&[])).unwrap();
        assert_eq!(help, "take it out: no module offers the model a command that changes something");
    }
}
