//! Buttons, select menus and the other components of a message, as forms; and a modal.

use serde_json::Value;

use crate::scenario::parts::components;
use crate::twin::page::command::text;
use crate::twin::page::html::Html;
use crate::twin::page::message::picture;

/// The components of a message.
pub(super) fn show_all(html: &mut Html, message: &Value, owner: &Value) {
    for component in owner["components"].as_array().into_iter().flatten() {
        show(html, message, component);
    }
}

fn show(html: &mut Html, message: &Value, component: &Value) {
    match component["type"].as_u64() {
        Some(1) => {
            html.raw("<div class=\"row\">");
            show_all(html, message, component);
            html.raw("</div>");
        }
        Some(2) => button(html, message, component),
        Some(3 | 5..=8) => menu(html, message, component),
        Some(10) => {
            html.raw("<div class=\"text\">").text(text(&component["content"])).raw("</div>");
        }
        Some(11) => picture(html, message, text(&component["media"]["url"]), text(&component["description"])),
        Some(12) => {
            for item in component["items"].as_array().into_iter().flatten() {
                picture(html, message, text(&item["media"]["url"]), text(&item["description"]));
            }
        }
        Some(14) => {
            html.raw("<hr>");
        }
        _ => {
            html.raw("<div class=\"box\">");
            show_all(html, message, component);
            if component["accessory"].is_object() {
                show(html, message, &component["accessory"]);
            }
            html.raw("</div>");
        }
    }
}

fn button(html: &mut Html, message: &Value, button: &Value) {
    let label = |html: &mut Html| {
        html.text(text(&button["emoji"]["name"])).raw(" ").text(text(&button["label"]));
    };
    let url = text(&button["url"]);
    if url.starts_with("https://") || url.starts_with("http://") {
        html.raw("<a rel=\"noreferrer\" target=\"_blank\" href=\"").text(url).raw("\">");
        label(html);
        html.raw("</a>");
        return;
    }
    html.raw("<form method=\"post\" action=\"/page/press\">").hidden("message", text(&message["id"]));
    html.hidden("component", text(&button["custom_id"])).raw("<button class=\"").raw(match button["style"].as_u64() {
        Some(1) => "main",
        Some(3) => "good",
        Some(4) => "bad",
        _ => "",
    });
    html.raw("\"").raw_if(button["disabled"] == true, " disabled").raw(">");
    label(html);
    html.raw("</button></form>");
}

fn menu(html: &mut Html, message: &Value, menu: &Value) {
    let is_disabled = menu["disabled"] == true;
    html.raw("<form method=\"post\" action=\"/page/press\">").hidden("message", text(&message["id"]));
    html.hidden("component", text(&menu["custom_id"]));
    let hint = text(&menu["placeholder"]);
    if menu["type"] == 3 {
        let takes_many = menu["max_values"].as_u64().is_some_and(|most| most > 1);
        html.raw("<select name=\"value\"").raw_if(takes_many, " multiple").raw_if(is_disabled, " disabled").raw(">");
        if !takes_many {
            html.raw("<option value=\"\">").text(hint).raw("</option>");
        }
        for option in menu["options"].as_array().into_iter().flatten() {
            html.raw("<option value=\"").text(text(&option["value"])).raw("\"");
            html.raw_if(option["default"] == true, " selected").raw(">").text(text(&option["emoji"]["name"])).raw(" ");
            html.text(text(&option["label"])).raw(" ").text(text(&option["description"])).raw("</option>");
        }
        html.raw("</select>");
    } else {
        html.raw("<input name=\"ids\" placeholder=\"").text(hint).raw(" (ids)\"").raw_if(is_disabled, " disabled");
        html.raw(">");
    }
    html.raw("<button").raw_if(is_disabled, " disabled").raw(">Choose</button></form>");
}

/// The modal that an interaction with this token opened.
pub(super) fn modal(html: &mut Html, token: &str, modal: &Value) {
    html.raw("<section class=\"modal\"><h2>").text(text(&modal["title"])).raw("</h2>");
    html.raw("<form method=\"post\" action=\"/page/modal\">").hidden("token", token);
    html.raw("<button class=\"main last\">Submit</button>");
    html.raw("<button class=\"last\" name=\"close\" value=\"yes\" formnovalidate>Close</button>");
    let mut around = "";
    for component in components(modal) {
        // The label is a component around the text input, or a field of it.
        around = component["label"].as_str().unwrap_or(around);
        match component["type"].as_u64() {
            Some(4) => input(html, around, component),
            Some(10) => {
                html.raw("<div class=\"text\">").text(text(&component["content"])).raw("</div>");
            }
            _ => {}
        }
    }
    html.raw("</form></section>");
}

fn input(html: &mut Html, label: &str, input: &Value) {
    let is_required = input["required"] != false;
    let value = text(&input["value"]);
    html.raw("<label>").text(label).raw_if(is_required, " *");
    let is_long = input["style"] == 2;
    html.raw(if is_long { "<textarea rows=\"6\" name=\"input." } else { "<input name=\"input." });
    html.text(text(&input["custom_id"])).raw("\" placeholder=\"").text(text(&input["placeholder"])).raw("\"");
    for (limit, attribute) in [("min_length", " minlength=\""), ("max_length", " maxlength=\"")] {
        if let Some(length) = input[limit].as_u64() {
            html.raw(attribute).text(length).raw("\"");
        }
    }
    html.raw_if(is_required, " required");
    if is_long {
        // A browser leaves out the first line end of a text area.
        html.raw(">\n").text(value).raw("</textarea>");
    } else {
        html.raw(" value=\"").text(value).raw("\">");
    }
    html.raw("</label>");
}
