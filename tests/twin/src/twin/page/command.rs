//! The registered commands as forms.

use serde_json::Value;

use crate::twin::page::form::Form;
use crate::twin::page::html::Html;

/// Discord's option types.
const SUB_COMMAND: u64 = 1;
const GROUP: u64 = 2;
const BOOLEAN: u64 = 5;

/// A slash command, or a subcommand, that can be run.
pub(super) struct Runnable<'a> {
    /// Its name, behind those of the command and group that it is in.
    pub(super) path: Vec<&'a str>,
    description: &'a str,
    pub(super) options: &'a [Value],
}

/// What the bot suggests for an option, beside what was filled in.
pub(super) struct Suggested<'a> {
    pub(super) form: &'a Form,
    pub(super) option: String,
    /// The names and values.
    pub(super) choices: Vec<(String, String)>,
}

/// All slash commands that can be run.
pub(super) fn runnables(commands: &[Value]) -> Vec<Runnable<'_>> {
    let mut found = Vec::new();
    for command in commands.iter().filter(|command| command["type"] == 1) {
        collect(command, &[], &mut found);
    }
    found
}

fn collect<'a>(owner: &'a Value, above: &[&'a str], found: &mut Vec<Runnable<'a>>) {
    let path = [above, &[text(&owner["name"])]].concat();
    let options = owner["options"].as_array().map(Vec::as_slice).unwrap_or_default();
    let is_below = |option: &Value| matches!(option["type"].as_u64(), Some(SUB_COMMAND | GROUP));
    if options.iter().any(is_below) {
        for option in options.iter().filter(|option| is_below(option)) {
            collect(option, &path, found);
        }
    } else {
        found.push(Runnable { path, description: text(&owner["description"]), options });
    }
}

/// The names of the context-menu commands of this type.
pub(super) fn menus(commands: &[Value], kind: u64) -> Vec<&str> {
    commands.iter().filter(|command| command["type"] == kind).map(|command| text(&command["name"])).collect()
}

/// A form for each slash command.
pub(super) fn show_all(html: &mut Html, commands: &[Value], suggested: Option<&Suggested<'_>>) {
    for runnable in runnables(commands) {
        let path = runnable.path.join(" ");
        let suggested = suggested.filter(|suggested| suggested.form.get("path") == path);
        html.raw("<details").raw_if(suggested.is_some(), " open").raw("><summary><b>/").text(&path).raw("</b> ");
        html.text(runnable.description).raw("</summary><form method=\"post\" action=\"/page/slash\">");
        html.hidden("path", &path).raw("<button class=\"main last\">Run</button>");
        for option in runnable.options {
            show_option(html, option, suggested);
        }
        html.raw("</form></details>");
    }
}

fn show_option(html: &mut Html, option: &Value, suggested: Option<&Suggested<'_>>) {
    let name = text(&option["name"]);
    let field = format!("option.{name}");
    let given = suggested.map(|suggested| suggested.form.get(&field)).unwrap_or_default();
    let is_required = option["required"] == true;
    html.raw("<label>").text(name).raw_if(is_required, " *").raw(" <small>").text(text(&option["description"]));
    html.raw("</small>");
    let offered = suggested.filter(|suggested| suggested.option == name).map(|suggested| &suggested.choices);
    if let Some(choices) = offered.cloned().or_else(|| choices(option)) {
        html.raw("<select name=\"").text(&field).raw("\">").raw_if(!is_required, "<option value=\"\"></option>");
        for (shown, value) in choices {
            html.raw("<option value=\"").text(&value).raw("\"").raw_if(value == given, " selected").raw(">");
            html.text(shown).raw("</option>");
        }
        html.raw("</select>");
    } else {
        html.raw("<input name=\"").text(&field).raw("\" value=\"").text(given).raw("\" placeholder=\"");
        html.raw(kind(option)).raw("\"").raw_if(is_required, " required").raw(">");
    }
    if option["autocomplete"] == true {
        html.raw("<button name=\"suggest\" formnovalidate value=\"").text(name).raw("\">Suggest</button>");
    }
    html.raw("</label>");
}

/// The only values that an option may have.
fn choices(option: &Value) -> Option<Vec<(String, String)>> {
    if option["type"] == BOOLEAN {
        return Some(["true", "false"].map(|value| (value.to_owned(), value.to_owned())).to_vec());
    }
    let choices = option["choices"].as_array().filter(|choices| !choices.is_empty())?;
    Some(choices.iter().map(|choice| (text(&choice["name"]).to_owned(), plain(&choice["value"]))).collect())
}

/// A value as it is typed: text without quotes.
pub(super) fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// What to type.
fn kind(option: &Value) -> &'static str {
    match option["type"].as_u64() {
        Some(4) => "a whole number",
        Some(6) => "the id of a user",
        Some(7) => "the id of a channel",
        Some(8) => "the id of a role",
        Some(9) => "the id of a user to mention",
        Some(10) => "a number",
        Some(11) => "the name of a file",
        _ => "",
    }
}

pub(super) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
