//! The whole page.

use serde_json::Value;

use crate::payload::{DM_CHANNEL_ID, OWNER_ID, USER_ID};
use crate::record::show::show as described;
use crate::scenario::parts::opened_modal;
use crate::twin::page::command::{self, Suggested};
use crate::twin::page::component;
use crate::twin::page::html::Html;
use crate::twin::page::message;
use crate::twin::page::viewer::Viewer;
use crate::twin::state::State;

/// How many messages are shown.
const MESSAGES_MAX: usize = 50;
/// How many refused requests are shown.
const REFUSED_MAX: usize = 5;

/// What answers a form instead of the page as it is.
#[derive(Default)]
pub(super) struct Extra<'a> {
    pub(super) wrong: Option<String>,
    pub(super) suggested: Option<Suggested<'a>>,
}

/// Changes whenever something has happened that the page may show.
pub(super) fn state_of(state: &State) -> String {
    let is_ready = state.hub().is_ready();
    let n_requests = state.journal().entries().len();
    let world = state.world();
    format!("{is_ready} {n_requests} {} {}", world.interactions.len(), world.messages.len())
}

/// The page. With something extra it answers a form, and then does not reload itself.
pub(super) fn page(state: &State, extra: &Extra<'_>) -> String {
    let is_answer = extra.wrong.is_some() || extra.suggested.is_some();
    let viewer = state.viewer().clone();
    let commands = state.world().commands.clone();
    let mut html = Html::default();
    html.raw("<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>discord-twin</title>");
    html.raw("<link rel=\"icon\" href=\"data:,\">");
    html.raw("<meta name=\"viewport\" content=\"width=device-width\"><style>").raw(include_str!("page.css"));
    html.raw("</style>").raw_if(!is_answer, "<script src=\"/page/refresh.js\" defer></script>").raw("</head>");
    html.raw("<body data-state=\"").text(state_of(state)).raw("\"><main>");
    html.raw("<p id=\"news\" class=\"wrong\" hidden>Something happened. <a href=\"/page\">Show it</a></p>");
    if let Some(wrong) = &extra.wrong {
        html.raw("<p class=\"wrong\">").text(wrong).raw(" <a href=\"/page\">Back</a></p>");
    }
    html.raw_if(!state.hub().is_ready(), "<p class=\"wrong\">No bot is connected.</p>");
    let menus = command::menus(&commands, 3);
    for shown in messages(state, viewer.channel) {
        message::show(&mut html, &shown, &menus);
    }
    refused(&mut html, state);
    write(&mut html);
    html.raw("</main><aside>");
    settings(&mut html, state, &viewer);
    html.raw("<h2>Commands</h2>");
    command::show_all(&mut html, &commands, extra.suggested.as_ref());
    for name in command::menus(&commands, 2) {
        html.raw("<form class=\"row\" method=\"post\" action=\"/page/menu\">").hidden("name", name);
        html.raw("<input name=\"user\" required placeholder=\"the id of a user\" value=\"").text(OWNER_ID);
        html.raw("\"><button>").text(name).raw("</button></form>");
    }
    html.raw("</aside>");
    if let (Some((token, modal)), None) = (open_modal(state, &viewer), &extra.suggested) {
        component::modal(&mut html, &token, &modal);
    }
    html.raw("</body></html>");
    html.into_text()
}

/// The latest messages of a channel, oldest first.
fn messages(state: &State, channel: u64) -> Vec<Value> {
    let channel = channel.to_string();
    let world = state.world();
    let mut found: Vec<(u64, &Value)> = world
        .messages
        .iter()
        .filter(|(_, message)| message["channel_id"] == channel.as_str())
        .filter_map(|(id, message)| Some((id.parse().ok()?, message)))
        .collect();
    found.sort_by_key(|(id, _)| *id);
    found.iter().rev().take(MESSAGES_MAX).rev().map(|(_, message)| (*message).clone()).collect()
}

/// The latest modal that the bot opened, with the token of its interaction, unless it was submitted or closed.
pub(super) fn open_modal(state: &State, viewer: &Viewer) -> Option<(String, Value)> {
    let journal = state.journal();
    let opened = journal.entries().iter().rev().filter(|entry| entry.accepted());
    let (token, modal) = opened.filter_map(|entry| Some((entry.interaction_token()?, opened_modal(entry)?))).next()?;
    (!viewer.closed.contains(token)).then(|| (token.to_owned(), modal.clone()))
}

/// The latest requests of the bot that broke a rule.
fn refused(html: &mut Html, state: &State) {
    let journal = state.journal();
    let refused: Vec<_> = journal.entries().iter().filter(|entry| entry.refusal.is_some()).collect();
    for entry in refused.iter().rev().take(REFUSED_MAX).rev() {
        html.raw("<p class=\"wrong\">").text(described(entry).unwrap_or_default()).raw("</p>");
    }
}

fn write(html: &mut Html) {
    html.raw("<div id=\"end\"></div><form class=\"write\" method=\"post\" action=\"/page/say\" enctype=\"multipart/form-data\">");
    html.raw("<textarea name=\"text\" rows=\"2\" placeholder=\"A message\"></textarea><div class=\"row\">");
    html.raw("<button class=\"main\" name=\"to\" value=\"bot\">Send with a mention</button>");
    html.raw("<button name=\"to\" value=\"channel\">Send</button>");
    html.raw("<input type=\"file\" name=\"file\"></div></form>");
}

/// Who looks, and where.
fn settings(html: &mut Html, state: &State, viewer: &Viewer) {
    html.raw("<h2>You</h2><form method=\"post\" action=\"/page/viewer\"><button class=\"last\">Change</button>");
    html.raw("<label>User <input name=\"user\" list=\"users\" required value=\"").text(viewer.user);
    html.raw("\"></label><datalist id=\"users\">");
    for (id, name) in [(USER_ID, "alice"), (OWNER_ID, "owner")] {
        html.raw("<option value=\"").text(id).raw("\">").raw(name).raw("</option>");
    }
    html.raw("</datalist><label>Language <input name=\"locale\" required value=\"").text(&viewer.locale);
    html.raw("\"></label><label class=\"line\"><input type=\"checkbox\" name=\"administrator\" value=\"yes\"");
    html.raw_if(viewer.is_administrator, " checked").raw("> with all permissions</label>");
    html.raw("<label>Channel <select name=\"channel\">");
    for (id, name) in channels(state) {
        html.raw("<option value=\"").text(&id).raw("\"").raw_if(id == viewer.channel.to_string(), " selected");
        html.raw(">").text(name).raw("</option>");
    }
    html.raw("</select></label></form>");
}

/// The known channels: ids and names.
fn channels(state: &State) -> Vec<(String, String)> {
    let world = state.world();
    let name = |id: &String, is_dm: bool| match world.threads.get(id) {
        Some(thread) => format!("thread: {}", thread.title),
        None if is_dm || *id == DM_CHANNEL_ID.to_string() => "direct messages".to_owned(),
        None => format!("channel {id}"),
    };
    world.channels.iter().map(|(id, is_dm)| (id.clone(), name(id, *is_dm))).collect()
}
