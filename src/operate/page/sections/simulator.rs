//! The simulator of the router: a form, and the answer.

use crate::page::html::Html;
use crate::page::simulate::{Asked, At, Simulated};

pub(in crate::page) fn show(html: &mut Html, asked: &Asked, found: Option<&Result<Simulated, String>>) {
    html.raw("<section id=\"simulator\"><h2>Router simulator</h2>");
    html.raw("<p>What would the bot take this for? The router is asked as for each message, and nothing runs.</p>");
    html.raw("<form method=\"post\" action=\"/#simulator\"><label for=\"text\">Text, or an interaction as Discord ");
    html.raw(
        "sends it</label><textarea id=\"text\" name=\"text\" rows=\"3\" maxlength=\"100000\" spellcheck=\"false\" ",
    );
    // HTML ignores a line end right after the tag; this one keeps a line end of the text itself.
    html.raw("autocomplete=\"off\">\n").text(&asked.text.replace("\r\n", "\n")).raw("</textarea>");
    html.raw("<div class=\"row\"><div><label for=\"at\">Where</label><select id=\"at\" name=\"at\">");
    for (at, name, words) in At::ALL {
        html.raw("<option value=\"").raw(name).raw(if at == asked.at { "\" selected>" } else { "\">" });
        html.raw(words).raw("</option>");
    }
    html.raw("</select></div><label class=\"check\"><input type=\"checkbox\" name=\"operator\"");
    html.raw(if asked.by_operator { " checked" } else { "" });
    html.raw("> by an operator</label><button>Ask the router</button></div></form>");
    match found {
        None => {}
        Some(Err(problem)) => {
            html.raw("<div class=\"found\" role=\"status\"><p>").sentence(problem).raw("</p></div>");
        }
        Some(Ok(found)) => show_found(html, found),
    }
    html.raw("</section>");
}

fn show_found(html: &mut Html, Simulated { route, why, told, parts }: &Simulated) {
    html.raw("<div class=\"found\" role=\"status\"><p>Route: <strong><code>")
        .text(route)
        .raw("</code></strong></p><p>");
    html.sentence(why).raw("</p>");
    if let Some(told) = told {
        html.raw("<p>The person is told:</p><blockquote>").sentence(told).raw("</blockquote>");
    }
    html.raw("<dl>");
    for (name, value) in parts {
        html.raw("<div><dt>").raw(name).raw("</dt><dd><code>").text(value).raw("</code></dd></div>");
    }
    html.raw("</dl></div>");
}
