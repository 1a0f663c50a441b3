//! A message as a Discord client shows it: its text, embeds, files and components.

use serde_json::Value;

use crate::payload::{EPHEMERAL, LOADING};
use crate::twin::page::command::text;
use crate::twin::page::component;
use crate::twin::page::html::Html;
use crate::twin::page::markdown;

/// How much is shown of the message that another one replies to.
const REPLIED_SIGNS_MAX: usize = 80;

/// A message, with the names of the context-menu commands that can be run on it.
pub(super) fn show(html: &mut Html, message: &Value, menus: &[&str]) {
    let flags = message["flags"].as_u64().unwrap_or_default();
    let is_ephemeral = flags & EPHEMERAL != 0;
    html.raw("<article").raw_if(is_ephemeral, " class=\"ephemeral\"").raw(">");
    if let Some(replied) = message["referenced_message"]["content"].as_str() {
        let start: String = replied.chars().take(REPLIED_SIGNS_MAX).collect();
        html.raw("<div class=\"note\">\u{21b1} ").text(start).raw("</div>");
    }
    let author = &message["author"];
    html.raw("<header><b>").text(text(&author["username"])).raw("</b>");
    html.raw_if(author["bot"] == true, " <span class=\"tag\">APP</span>").raw(" <small>");
    html.text(text(&message["timestamp"]).get(11..19).unwrap_or_default());
    html.raw_if(message["edited_timestamp"].is_string(), " (edited)").raw("</small>");
    actions(html, message, menus);
    html.raw("</header>");
    if flags & LOADING != 0 {
        html.raw("<div class=\"note\">is thinking \u{2026}</div>");
    }
    let content = text(&message["content"]);
    if !content.is_empty() {
        html.raw("<div class=\"text\">");
        markdown::show(html, content);
        html.raw("</div>");
    }
    for shown in message["embeds"].as_array().into_iter().flatten() {
        embed(html, message, shown);
    }
    files(html, message);
    component::show_all(html, message, message);
    html.raw_if(is_ephemeral, "<div class=\"note\">Only the caller sees this message.</div>").raw("</article>");
}

/// A reply, and the commands of the message's context menu.
fn actions(html: &mut Html, message: &Value, menus: &[&str]) {
    let id = text(&message["id"]);
    html.raw("<details class=\"actions\"><summary>\u{22ef}</summary>");
    html.raw("<form method=\"post\" action=\"/page/say\">").hidden("reply", id);
    html.raw("<input name=\"text\" placeholder=\"Reply\" required><button>Reply</button></form>");
    for name in menus {
        html.raw("<form method=\"post\" action=\"/page/menu\">").hidden("message", id).hidden("name", name);
        html.raw("<button>").text(name).raw("</button></form>");
    }
    html.raw("</details>");
}

fn embed(html: &mut Html, message: &Value, embed: &Value) {
    html.raw("<section class=\"embed\"");
    if let Some(colour) = embed["color"].as_u64() {
        html.raw(" style=\"border-color:#").text(format!("{:06x}", colour & 0x00ff_ffff)).raw("\"");
    }
    html.raw(">");
    line(html, "<div class=\"note\">", &embed["author"]["name"], "</div>");
    line(html, "<h3>", &embed["title"], "</h3>");
    html.raw("<div class=\"text\">");
    markdown::show(html, text(&embed["description"]));
    html.raw("</div>");
    html.raw("<div class=\"fields\">");
    for field in embed["fields"].as_array().into_iter().flatten() {
        html.raw("<div").raw_if(field["inline"] != true, " class=\"wide\"").raw("><h4>").text(text(&field["name"]));
        html.raw("</h4><div class=\"text\">");
        markdown::show(html, text(&field["value"]));
        html.raw("</div></div>");
    }
    html.raw("</div>");
    for place in ["image", "thumbnail"] {
        let url = text(&embed[place]["url"]);
        if !url.is_empty() {
            picture(html, message, url, text(&attachment_of(message, url)["description"]));
        }
    }
    line(html, "<footer>", &embed["footer"]["text"], "</footer>");
    html.raw("</section>");
}

/// A text between tags, if there is one.
fn line(html: &mut Html, before: &'static str, shown: &Value, after: &'static str) {
    if let Some(shown) = shown.as_str().filter(|shown| !shown.is_empty()) {
        html.raw(before).text(shown).raw(after);
    }
}

/// A picture of the message's own files. One from elsewhere is not fetched: its address is shown.
pub(super) fn picture(html: &mut Html, message: &Value, url: &str, description: &str) {
    let file = attachment_of(message, url);
    if file.is_object() {
        html.raw("<img src=\"").text(path_of(message, file)).raw("\" alt=\"").text(description).raw("\">");
    } else {
        html.raw("<div class=\"note\">picture: ").text(url).raw("</div>");
    }
}

/// The attachment that `attachment://name` names.
fn attachment_of<'a>(message: &'a Value, url: &str) -> &'a Value {
    let name = url.strip_prefix("attachment://");
    let mut files = message["attachments"].as_array().into_iter().flatten();
    files.find(|file| name.is_some() && file["filename"].as_str() == name).unwrap_or(&Value::Null)
}

/// The files that no embed shows.
fn files(html: &mut Html, message: &Value) {
    let is_in = |owner: &Value, name: &str| owner.to_string().contains(&format!("\"attachment://{name}\""));
    for file in message["attachments"].as_array().into_iter().flatten() {
        let name = text(&file["filename"]);
        if is_in(&message["embeds"], name) || is_in(&message["components"], name) {
            continue;
        }
        let path = path_of(message, file);
        if text(&file["content_type"]).starts_with("image/") {
            html.raw("<img src=\"").text(path).raw("\" alt=\"").text(text(&file["description"])).raw("\">");
        } else {
            html.raw("<div><a href=\"").text(path).raw("\">").text(name).raw("</a> ").text(&file["size"]);
            html.raw(" bytes</div>");
        }
    }
}

/// Where the page serves a file of a message.
fn path_of(message: &Value, file: &Value) -> String {
    format!("/page/file/{}/{}", text(&message["id"]), text(&file["id"]))
}
