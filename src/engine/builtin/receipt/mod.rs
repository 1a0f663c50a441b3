//! `/receipt`: a run, a chat turn, or a list of a person's last receipts.

mod turn;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::builtin::builtins::Bot;
use crate::storage::{MessageEnd, MessageOfReceipt, RECEIPTS_LISTED_MAX};
use candor_core::contract::{Call, CommandError};
use candor_core::inbound::{CommandPath, Place, UserId};
use candor_core::language::{Language, say};
use candor_core::record::{KeptTurn, LedgerEntry, ModelCall, Origin, Outcome, ReceiptId, argument_lines};
use candor_core::reply::{
    Control, ControlStyle, Field, Page, PreparedCall, Reply, ReplyFile, age_in, clock_time, took_text,
};
use candor_core::text::{excerpt, in_code_span};

/// What `/receipt` takes.
#[derive(Deserialize, JsonSchema)]
pub(in crate::builtin) struct ReceiptArguments {
    /// The receipt's id, as it stands under an answer; else your last answer here
    id: Option<String>,
    /// A chat reply, by its link or id: what happened before it was written
    reply: Option<String>,
    /// A page of your receipts here, the newest first
    #[schemars(range(min = 1))]
    page: Option<u32>,
    /// A file that proves the receipt of `id` to anyone; without it, that of your last command here
    proof: Option<bool>,
    /// The public key with which anyone can verify this bot's receipts
    key: Option<bool>,
}

pub(in crate::builtin) async fn receipt(arguments: ReceiptArguments, call: Call) -> Result<Reply, CommandError> {
    let bot = Bot::of(&call)?;
    if arguments.key == Some(true) {
        return public_key(&bot).await;
    }
    let is_proof = arguments.proof == Some(true);
    match (arguments.id, arguments.reply, arguments.page) {
        (Some(id), None, None) if is_proof => proof_of(&found(&id, &bot).await?, &bot).await,
        (None, None, None) if is_proof => {
            let last = bot.receipts().await.last(&call.caller, call.place, "/receipt").await?;
            let none = || CommandError::tell(say!(call.caller.language, "receipts-none"));
            proof_of(&last.ok_or_else(none)?, &bot).await
        }
        _ if is_proof => Err(CommandError::tell(say!(call.caller.language, "receipt-proof-of"))),
        (Some(id), None, None) => of_id(&id, &bot).await,
        (None, Some(reply), None) => of_reply(&reply, &bot).await,
        (None, None, Some(page)) => list_page(page, &bot).await,
        (None, None, None) => last(&bot).await,
        _ => Err(CommandError::tell(say!(call.caller.language, "receipts-one-of"))),
    }
}

async fn of_id(typed: &str, bot: &Bot<'_>) -> Result<Reply, CommandError> {
    with_answer(&found(typed, bot).await?, bot).await
}

/// Attaches the file that proves a receipt.
async fn proof_of(entry: &LedgerEntry, bot: &Bot<'_>) -> Result<Reply, CommandError> {
    let language = bot.call.caller.language;
    let book = bot.receipts().await;
    let (Some(proof), Some(key)) = (book.proof(entry.id).await?, book.public_key()) else {
        return Err(CommandError::tell(say!(language, "receipt-not-signed")));
    };
    let id = entry.id.to_string();
    let name = format!("receipt-{id}.json");
    let text = say!(language, "receipt-proof", id = id, key = key.to_string(), file = name.as_str());
    Ok(Reply { file: Some(ReplyFile { name, content: proof.into_bytes() }), ..Reply::text(text) })
}

async fn public_key(bot: &Bot<'_>) -> Result<Reply, CommandError> {
    let language = bot.call.caller.language;
    let Some(key) = bot.receipts().await.public_key() else {
        return Err(CommandError::tell(say!(language, "receipt-not-signed")));
    };
    Ok(Reply::text(say!(language, "receipt-key", key = key.to_string(), fingerprint = key.fingerprint())))
}

fn proof_button(entry: &LedgerEntry, language: Language) -> Control {
    let arguments = [("id", Value::from(entry.id.to_string())), ("proof", Value::from(true))];
    let call = PreparedCall {
        path: CommandPath::new("receipt", None),
        arguments: arguments.map(|(name, value)| (name.to_owned(), value)).into_iter().collect(),
        in_place: false,
        once: false,
        for_everyone: false,
    };
    let label = say!(language, "receipt-proof-button");
    Control::Button { label, emoji: None, style: ControlStyle::Secondary, call: Some(call) }
}

/// Returns a receipt that the caller may see.
async fn found(typed: &str, bot: &Bot<'_>) -> Result<LedgerEntry, CommandError> {
    let unknown = || CommandError::tell(say!(bot.call.caller.language, "receipt-unknown", id = excerpt(typed)));
    let id = ReceiptId::parse(typed).ok_or_else(unknown)?;
    let entry = bot.receipts().await.find(id).await?.ok_or_else(unknown)?;
    // The existence of another person's receipt is not revealed.
    if !may_see(entry.facts.caller, bot) {
        return Err(unknown());
    }
    Ok(entry)
}

/// Shows the receipt, with the answer if it could not be shown in time. Operators see another person's receipt without
/// the answer, which was for its asker alone.
async fn with_answer(entry: &LedgerEntry, bot: &Bot<'_>) -> Result<Reply, CommandError> {
    let call = bot.call;
    let book = bot.receipts().await;
    let answer = match entry.facts.caller == call.caller.id {
        true => book.kept_answer(entry.id).await?,
        false => None,
    };
    let messages = book.messages(entry.id).await?;
    let mut shown = show(entry, bot);
    if book.public_key().is_some() {
        shown.controls.push(vec![proof_button(entry, call.caller.language)]);
    }
    if !messages.is_empty() {
        let language = call.caller.language;
        let lines: Vec<_> = messages.iter().map(|message| sent(message, call)).collect();
        shown.fields.push(Field { name: say!(language, "receipt-messages"), value: lines.join("\n") });
    }
    Ok(Reply { text: answer.unwrap_or_default(), ..shown })
}

async fn of_reply(typed: &str, bot: &Bot<'_>) -> Result<Reply, CommandError> {
    let call = bot.call;
    let Some(message) = message_id(typed) else {
        return Err(CommandError::tell(say!(call.caller.language, "receipt-no-message", typed = excerpt(typed))));
    };
    let turn = bot.turns().turn_of_message(message).await?;
    match turn.filter(|turn| may_see(turn.user, bot)) {
        Some(turn) => Ok(turn::show(&turn, call)),
        None => Err(CommandError::tell(say!(call.caller.language, "receipt-no-turn"))),
    }
}

/// Shows the later of the caller's last receipt and last chat turn in this place.
async fn last(bot: &Bot<'_>) -> Result<Reply, CommandError> {
    let call = bot.call;
    let entry = bot.receipts().await.last(&call.caller, call.place, "/receipt").await?;
    let turn = bot.turns().last_turn(call.caller.id, call.place).await?;
    match (entry, turn) {
        (Some(entry), Some(turn)) if is_of(&entry, &turn) || entry.facts.started < turn.at => {
            Ok(turn::show(&turn, call))
        }
        (Some(entry), _) => with_answer(&entry, bot).await,
        (None, Some(turn)) => Ok(turn::show(&turn, call)),
        (None, None) => Err(CommandError::tell(say!(call.caller.language, "receipt-none"))),
    }
}

fn may_see(user: UserId, bot: &Bot<'_>) -> bool {
    user == bot.call.caller.id || bot.is_operator()
}

/// Whether a turn ran the command of a receipt.
fn is_of(entry: &LedgerEntry, turn: &KeptTurn) -> bool {
    let id = entry.id.to_string();
    turn.record.calls.iter().any(|call| call.receipt.as_ref() == Some(&id))
}

fn sent(message: &MessageOfReceipt, call: &Call) -> String {
    let channel = match call.place {
        Place::Console => message.channel.to_string(),
        Place::Guild { .. } | Place::Direct { .. } => format!("<#{}>", message.channel),
    };
    match message.end {
        Some(MessageEnd::Sent) => say!(call.caller.language, "receipt-message-sent", channel = channel),
        Some(MessageEnd::SentDirectly) => {
            say!(call.caller.language, "receipt-message-sent-directly", channel = channel)
        }
        Some(MessageEnd::GivenUp) => say!(call.caller.language, "receipt-message-given-up", channel = channel),
        None => say!(call.caller.language, "receipt-message-waits", channel = channel),
    }
}

fn show(entry: &LedgerEntry, bot: &Bot<'_>) -> Reply {
    let call = bot.call;
    let facts = &entry.facts;
    let language = call.caller.language;
    let field = |name: String, value: String| Field { name, value };
    let arguments = match entry.has_arguments {
        true => shown_arguments(&facts.arguments, language),
        false => say!(language, "receipt-arguments-taken-out"),
    };
    let mut fields = vec![
        field(say!(language, "receipt-command"), in_code_span(&facts.command)),
        field(say!(language, "receipt-arguments"), arguments),
        field(say!(language, "receipt-outcome"), outcome(facts.outcome, language)),
        field(
            say!(language, "receipt-started"),
            format!("{} ({})", clock_time(facts.started), age_in(facts.started, call.now, language)),
        ),
        field(say!(language, "receipt-took"), took_text(facts.took, language)),
    ];
    let origin = match facts.origin {
        Origin::Person => None,
        Origin::Model => Some(by_model(facts.model.as_ref(), language)),
        Origin::Recovered => Some(say!(language, "receipt-by-recovery")),
        Origin::Refresh => Some(say!(language, "receipt-by-refresh")),
        Origin::Due => Some(say!(language, "receipt-by-due")),
        Origin::Event => Some(say!(language, "receipt-by-event")),
        Origin::Schedule => Some(say!(language, "receipt-by-schedule")),
    };
    fields.extend(origin.map(|origin| field(say!(language, "receipt-called"), origin)));
    if let Some(source) = &facts.source {
        let name = if bot.is_operator() { source.name.as_str() } else { "" };
        let as_of = source.as_of.map(|at| say!(language, "footer-as-of", time = clock_time(at)));
        let value = [name, as_of.as_deref().unwrap_or_default()].join(" ").trim().to_owned();
        fields.extend((!value.is_empty()).then(|| field(say!(language, "receipt-source"), value)));
    }
    fields.extend(facts.code.as_ref().map(|code| field(say!(language, "receipt-code"), in_code_span(code.as_str()))));
    fields.push(field(say!(language, "receipt-digest"), format!("`{}`", entry.digest)));
    Reply { title: Some(say!(language, "receipt-title", id = entry.id.to_string())), fields, ..Reply::default() }
}

fn by_model(call: Option<&ModelCall>, language: Language) -> String {
    let Some(ModelCall { model, confirm }) = call else { return say!(language, "receipt-by-model") };
    let model = in_code_span(model);
    match confirm {
        Some(press) => {
            say!(language, "receipt-by-confirmed-model", model = model, press = press.0.to_string())
        }
        None => say!(language, "receipt-by-named-model", model = model),
    }
}

/// Returns a line for each option: `title: buy milk`. Truncated arguments are shown as stored.
fn shown_arguments(kept: &str, language: Language) -> String {
    match argument_lines(kept) {
        Some(lines) if lines.is_empty() => say!(language, "receipt-arguments-none"),
        Some(lines) => lines.iter().map(|line| in_code_span(line)).collect::<Vec<_>>().join("\n"),
        None => in_code_span(kept),
    }
}

const PER_PAGE: u64 = 10;

/// Shows a page of receipts. Those of `/receipt` itself are left out: otherwise each view of a page would shift all
/// others by one.
async fn list_page(asked: u32, bot: &Bot<'_>) -> Result<Reply, CommandError> {
    let call = bot.call;
    let book = bot.receipts().await;
    let language = call.caller.language;
    let path = CommandPath::new("receipt", None);
    let command = path.to_string();
    let first = Page::of(Some(asked), u64::MAX, PER_PAGE);
    let mut found = book.list(&call.caller, call.place, &command, first.range()).await?;
    let page = Page::of(Some(asked), found.total, PER_PAGE);
    if page.number() != first.number() {
        // The page no longer exists: the last one is shown.
        found = book.list(&call.caller, call.place, &command, page.range()).await?;
    }
    if found.entries.is_empty() {
        return Ok(Reply::text(say!(language, "receipts-none")));
    }
    let mut lines: Vec<_> = found.entries.iter().map(|entry| line(entry, call, language)).collect();
    lines.extend(page.line(&path, &Map::new(), language));
    if found.total == RECEIPTS_LISTED_MAX && page.range().end == RECEIPTS_LISTED_MAX {
        lines.push(say!(language, "receipts-older"));
    }
    Ok(Reply {
        controls: page.controls(&path, &Map::new(), language),
        ..Reply::text(lines.join("\n")).titled(say!(language, "receipts-title"))
    })
}

fn line(entry: &LedgerEntry, call: &Call, language: Language) -> String {
    let facts = &entry.facts;
    say!(
        language,
        "receipts-line",
        id = entry.id.to_string(),
        command = facts.command.clone(),
        outcome = outcome(facts.outcome, language),
        clock = clock_time(facts.started),
        age = age_in(facts.started, call.now, language)
    )
}

fn outcome(outcome: Outcome, language: Language) -> String {
    match outcome {
        Outcome::Done => say!(language, "outcome-done"),
        Outcome::Answered => say!(language, "outcome-answered"),
        Outcome::Asked => say!(language, "outcome-asked"),
        Outcome::Refused => say!(language, "outcome-refused"),
        Outcome::Failed => say!(language, "outcome-failed"),
        Outcome::TimedOut => say!(language, "outcome-timed-out"),
        Outcome::Interrupted => say!(language, "outcome-interrupted"),
        Outcome::Unknown => say!(language, "outcome-unknown"),
    }
}

/// The hosts of links to messages: Discord's own, its two test versions and its old name.
const HOSTS: [&str; 4] = ["discord.com", "ptb.discord.com", "canary.discord.com", "discordapp.com"];

/// Returns the message's id from `https://discord.com/channels/1/2/3`, `3`, or `2-3`. Discord copies the last form as
/// the ids of channel and message.
fn message_id(typed: &str) -> Option<u64> {
    // Angle brackets around a link prevent its unfurling.
    let typed = typed.trim();
    let typed = typed.strip_prefix('<').and_then(|inner| inner.strip_suffix('>')).unwrap_or(typed);
    match typed.split_once("://") {
        Some((scheme, link)) if scheme.eq_ignore_ascii_case("https") => of_link(link),
        Some(_) => None,
        None => match typed.split_once('-') {
            Some((channel, message)) => id(channel).and_then(|_| id(message)),
            None => id(typed),
        },
    }
}

/// Parses `discord.com/channels/GUILD/CHANNEL/MESSAGE`; a direct message has `@me` for the guild.
fn of_link(link: &str) -> Option<u64> {
    let link = link.split(['?', '#']).next()?;
    let parts: Vec<_> = link.trim_end_matches('/').splitn(6, '/').collect();
    let [host, "channels", server, channel, message] = parts[..] else { return None };
    let is_of_discord = HOSTS.iter().any(|known| known.eq_ignore_ascii_case(host));
    let leads_somewhere = (server == "@me" || id(server).is_some()) && id(channel).is_some();
    id(message).filter(|_| is_of_discord && leads_somewhere)
}

fn id(digits: &str) -> Option<u64> {
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|&id| is_number && 0 < id)
}

#[cfg(test)]
mod command_tests {
    use super::shown_arguments;
    use candor_core::language::{Language, say};

    #[test]
    fn each_argument_has_a_line_and_what_was_cut_is_shown_as_it_is_kept() {
        let none = say!(Language::ENGLISH, "receipt-arguments-none");
        for (kept, expected) in [
            ("{}", none.as_str()),
            (r#"{"id":3,"title":"buy \"milk\" and `bread`"}"#, "`id: 3`\n`title: buy \"milk\" and ˋbreadˋ`"),
            (r#"{"title":"buy mi"#, "`{\"title\":\"buy mi`"),
        ] {
            assert_eq!(shown_arguments(kept, Language::ENGLISH), expected, "{kept}");
        }
    }
}

#[cfg(test)]
mod message_id_tests {
    use super::message_id;

    #[test]
    fn a_message_is_named_as_discord_copies_it_and_in_no_other_way() {
        let cases = [
            ("https://discord.com/channels/1/2/3", Some(3)),
            ("https://discord.com/channels/@me/2/3", Some(3)),
            ("https://canary.discord.com/channels/1/2/3/", Some(3)),
            ("https://ptb.discord.com/channels/1/2/3?x=y#z", Some(3)),
            (" <HTTPS://Discordapp.com/channels/1/2/18446744073709551615> ", Some(u64::MAX)),
            ("3", Some(3)),
            ("2-3", Some(3)),
            ("", None),
            ("0", None),
            ("+3", None),
            ("1-2-3", None),
            ("-3", None),
            ("18446744073709551616", None),
            ("٣", None),
            ("http://discord.com/channels/1/2/3", None),
            ("https://example.org/channels/1/2/3", None),
            ("https://discord.com.example.org/channels/1/2/3", None),
            ("https://discord.com/channels/1/2", None),
            ("https://discord.com/channels/1/2/3/4", None),
            ("https://discord.com/users/1/2/3", None),
            ("https://discord.com/channels/x/2/3", None),
            ("7F3K2", None),
        ];
        for (typed, expected) in cases {
            assert_eq!(message_id(typed), expected, "{typed:?}");
        }
    }
}
