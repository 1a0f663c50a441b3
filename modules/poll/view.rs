//! Shows a poll: each answer with its votes, and a button for each while the poll is open.

use serde_json::{Map, Value};

use candor_core::contract::{Call, RecordId};
use candor_core::inbound::CommandPath;
use candor_core::language::say_from;
use candor_core::reply::{Control, ControlStyle, Emoji, PreparedCall, Reply, Thing, moment_ahead, moment_and_age};
use candor_core::text::{escaped, visible_line};

use crate::poll::record::{Poll, Standing, TEXTS};

const BAR_LENGTH: usize = 10;

const IN_A_ROW: usize = 5;

pub(super) fn poll(id: RecordId, poll: &Poll, standing: &Standing, call: &Call) -> Reply {
    let language = poll.language();
    let n_votes = standing.n_votes();
    let is_open = poll.is_open(call.now);
    let lines = poll.answers.iter().zip(&standing.counts).map(|(answer, n)| line(answer, *n, n_votes));
    let mut reply = Reply::text(format!("**{}**", escaped(&poll.question)));
    lines.for_each(|line| reply.add_line(&line));
    if is_open {
        let ahead = moment_ahead(poll.end(), call.place);
        reply.add_line(&say_from!(TEXTS, language, "how", ahead = ahead));
        reply.add_line(&say_from!(TEXTS, language, "how-more", id = id));
        reply.controls = buttons(id, &poll.answers);
    } else if n_votes == 0 {
        reply.add_line(&say_from!(TEXTS, language, "nobody"));
    } else {
        let most = standing.counts.iter().max();
        let first = poll.answers.iter().zip(&standing.counts).filter(|(_, n)| Some(*n) == most);
        let first: Vec<_> = first.map(|(answer, _)| escaped(answer)).collect();
        reply.add_line(&say_from!(TEXTS, language, "won", answers = first.join(", ")));
    }
    let state = match is_open {
        true => say_from!(TEXTS, language, "open"),
        false => say_from!(TEXTS, language, "closed"),
    };
    let votes = say_from!(TEXTS, language, "votes", n = n_votes);
    // The message stays as it is when its time is over: "open" would then be false.
    reply.lasting_state = is_open
        .then(|| say_from!(TEXTS, language, "lasting", until = moment_and_age(poll.end()), votes = votes.as_str()));
    reply.state = Some(format!("{state} · {votes}"));
    reply.thing = Some(Thing { name: id.to_string(), is_over: !is_open });
    reply.titled(say_from!(TEXTS, language, "title", id = id))
}

/// Returns a line such as `██████░░░░ 3 · 60 % · tea`.
fn line(answer: &str, n: usize, of: usize) -> String {
    let of = of.max(1);
    let filled = ((n * BAR_LENGTH + of / 2) / of).min(BAR_LENGTH);
    let bar = "█".repeat(filled) + &"░".repeat(BAR_LENGTH - filled);
    format!("`{bar}` {n} · {} % · {}", (n * 100 + of / 2) / of, escaped(answer))
}

fn buttons(id: RecordId, answers: &[String]) -> Vec<Vec<Control>> {
    let button = |(n, answer): (usize, &String)| {
        let arguments = Map::from_iter([("id".to_owned(), Value::from(id)), ("answer".to_owned(), Value::from(n + 1))]);
        let path = CommandPath::new("poll", Some("vote"));
        let call = PreparedCall { path, arguments, in_place: true, once: false, for_everyone: true };
        let (label, emoji) = label(answer);
        Control::Button { label, emoji, style: ControlStyle::Secondary, call: Some(call) }
    };
    let buttons: Vec<_> = answers.iter().enumerate().map(button).collect();
    buttons.chunks(IN_A_ROW).map(<[Control]>::to_vec).collect()
}

/// Returns the label of an answer's button, and its emoji: the first custom emoji in the answer. Further ones are shown
/// as their names.
pub(super) fn label(answer: &str) -> (String, Option<Emoji>) {
    let mut label = String::new();
    let mut first = None;
    let mut rest = answer;
    while let Some((before, emoji, behind)) = Emoji::find(rest) {
        label.push_str(before);
        match first {
            None => first = Some(emoji),
            Some(_) => label.extend([":", &emoji.name, ":"]),
        }
        rest = behind;
    }
    label.push_str(rest);
    let label = visible_line(&label);
    match &first {
        Some(emoji) if label.is_empty() => (emoji.name.clone(), first),
        _ => (label, first),
    }
}
