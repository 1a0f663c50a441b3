//! `[chat]` with its limits, budget and access, and `[guard]`: conversations, the model's tools, and who may chat.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::time::Duration;

use super::id::IdKind;
use super::locations::SettingLocations;
use super::permissions::ids;
use super::reader::{IdsOrWord, SectionReader, set};
use crate::access::{ChatAccess, DirectMessages};
use crate::agent::{BudgetSettings, ChatSettings, GuardSettings, OwnThreads, TurnLimits, Whose};
use crate::guild::GuildSetting;
use crate::inbound::{ChannelId, GuildId, RoleId, UserId};
use crate::text::{in_code_spans, nearest};

/// The most earlier exchanges shown to the model.
pub(super) const HISTORY_MAX: usize = 200;

/// The longest system text, in bytes: a quarter of most models' context.
const SYSTEM_BYTES_MAX: usize = 32 * 1024;

/// The range of the time to confirm a call, in seconds: long enough to read the question, short enough that the answer
/// still reaches Discord in time.
const CONFIRM_S: RangeInclusive<u64> = 5..=600;

/// The range of the duration of a turn, in seconds. Discord accepts an answer for 15 minutes; see `[commands]
/// deadline_s`.
const TIME_S: RangeInclusive<u64> = 5..=840;

/// The range of a tool result's size shown to the model, in bytes: a smaller size is useless, a larger one exceeds
/// every model's context.
const RESULT_BYTES: RangeInclusive<usize> = 256..=1024 * 1024;

/// The ranges of the daily budgets. Zero is not allowed: to turn chat off, remove the section `[model]`.
pub(super) const DAY_TOKENS: RangeInclusive<u64> = 1..=1_000_000_000_000;
pub(super) const DAY_TURNS: RangeInclusive<u64> = 1..=1_000_000_000;

pub(super) fn read(section: &mut SectionReader<'_>, chat: &mut ChatSettings, places: &mut SettingLocations) {
    set(&mut chat.name, section.name("name"));
    set(&mut chat.system, system(section));
    set(&mut chat.time_zone, section.zone("time_zone"));
    set(&mut chat.history, section.whole("history", 0..=HISTORY_MAX));
    set(&mut chat.summaries, section.boolean("summaries"));
    set(&mut chat.conversation, conversation(section));
    let fallbacks = section.names("fallbacks").unwrap_or_default();
    chat.fallbacks = fallbacks.iter().map(|name| name.value.clone()).collect();
    places.named_models.extend(fallbacks);
    set(&mut chat.thread, section.boolean("thread"));
    set(&mut chat.stream, section.boolean("stream"));
    chat.channels = section.ids("channels", IdKind::Channel).into_iter().map(ChannelId).collect();
    chat.own_threads = section.one_of(
        "own_threads",
        &[("all", OwnThreads::All), ("owner", OwnThreads::Owner), ("mention", OwnThreads::Mention)],
    );
    chat.guild_settings = guild_settings(section);
    let has_write_tools = section.has("write_tools");
    places.write_tools = section.commands("write_tools");
    let write_tools = places.write_tools.iter().map(|command| command.value.clone()).collect();
    chat.write_tools = has_write_tools.then_some(write_tools);
    set(&mut chat.confirm_within, section.whole("confirm_s", CONFIRM_S).map(Duration::from_secs));
    section.section("limits", |section| limits(section, &mut chat.limits));
    section.section("budget", |section| budget(section, &mut chat.budget));
}

/// Reads the settings that a guild's administrators may change. Other names are reported and left out.
fn guild_settings(section: &mut SectionReader<'_>) -> BTreeSet<GuildSetting> {
    let known = || GuildSetting::ALL.into_iter().map(GuildSetting::name);
    let mut settings = BTreeSet::new();
    for name in section.names("server_settings").unwrap_or_default() {
        if let Some(setting) = GuildSetting::named(&name.value) {
            settings.insert(setting);
            continue;
        }
        let help = match nearest(&name.value, known(), 1).first() {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("write some of {}", in_code_spans(known())),
        };
        section.invalid(&name.span, format!("`{}` takes names of settings", section.path_of("server_settings")), help);
    }
    settings
}

/// Reads whether conversations belong to a person or a channel.
pub(super) fn conversation(section: &mut SectionReader<'_>) -> Option<Whose> {
    section.one_of("conversation", &[("person", Whose::Person), ("channel", Whose::Channel)])
}

/// Reads the operator's system text.
pub(super) fn system(section: &mut SectionReader<'_>) -> Option<String> {
    let problem = format!("is longer than {SYSTEM_BYTES_MAX} bytes");
    section.parsed("system", &problem, "write less: the model reads it with every answer", |text| {
        (text.len() <= SYSTEM_BYTES_MAX).then(|| text.to_owned())
    })
}

fn budget(section: &mut SectionReader<'_>, budget: &mut BudgetSettings) {
    let BudgetSettings { person, guild, bot } = budget;
    for (limits, tokens, turns) in [
        (person, "person_tokens", "person_turns"),
        (guild, "guild_tokens", "guild_turns"),
        (bot, "bot_tokens", "bot_turns"),
    ] {
        limits.tokens = section.whole(tokens, DAY_TOKENS);
        limits.turns = section.whole(turns, DAY_TURNS);
    }
}

fn limits(section: &mut SectionReader<'_>, limits: &mut TurnLimits) {
    set(&mut limits.steps, section.whole("steps", 1..=32));
    set(&mut limits.calls_per_step, section.whole("calls_per_step", 1..=16));
    set(&mut limits.time, section.whole("time_s", TIME_S).map(Duration::from_secs));
    set(&mut limits.corrections_per_name, section.whole("corrections_per_name", 0..=16));
    set(&mut limits.corrections, section.whole("corrections", 0..=64));
    set(&mut limits.result_bytes, section.whole("result_bytes", RESULT_BYTES));
}

/// Reads `[chat.access]`: who may talk with the chat model, and how much.
pub(super) fn access(section: &mut SectionReader<'_>, access: &mut ChatAccess) {
    access.users = ids(section, "users", IdKind::User, UserId);
    access.roles = ids(section, "roles", IdKind::Role, RoleId);
    access.channels = ids(section, "channels", IdKind::Channel, ChannelId);
    access.guilds = ids(section, "guilds", IdKind::Guild, GuildId);
    let words = [("everybody", DirectMessages::Everybody), ("nobody", DirectMessages::Nobody)];
    let direct = section.ids_or_word("direct", IdKind::User, &words).map(|direct| match direct {
        IdsOrWord::Ids(ids) => DirectMessages::Listed(ids.into_iter().map(UserId).collect()),
        IdsOrWord::Word(word) => word,
    });
    set(&mut access.direct, direct);
    set(&mut access.per_minute, section.whole("per_minute", 1..=600));
    set(&mut access.turns_at_once, section.whole("turns_at_once", 1..=64));
}

/// Reads `[guard]`: the parts removed from a chat reply.
pub(super) fn guard(section: &mut SectionReader<'_>, guard: &mut GuardSettings) {
    set(&mut guard.tool_text, section.boolean("tool_text"));
    set(&mut guard.made_up_results, section.boolean("made_up_results"));
    for key in ["touched", "command_names", "claims", "grounding", "recover_memory"] {
        section.unused(key);
    }
}
