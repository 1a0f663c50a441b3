//! `[chat]` and `[chat.limits]`: conversations, the model's tools, and limits of a turn.

use std::ops::RangeInclusive;
use std::time::Duration;

use super::id::IdKind;
use super::locations::SettingLocations;
use super::reader::{Reader, set};
use crate::agent::{ChatSettings, TurnLimits};
use crate::inbound::ChannelId;

/// The most earlier exchanges shown to the model.
const HISTORY_MAX: usize = 200;

/// The range of the time to confirm a call, in seconds: long enough to read the question, short enough that the answer
/// still reaches Discord in time.
const CONFIRM_S: RangeInclusive<u64> = 5..=600;

/// The range of the duration of a turn, in seconds. Discord accepts an answer for 15 minutes; see `[commands]
/// deadline_s`.
const TIME_S: RangeInclusive<u64> = 5..=840;

/// The range of a tool result's size shown to the model, in bytes: less is useless, more fits no model's context.
const RESULT_BYTES: RangeInclusive<usize> = 256..=1024 * 1024;

/// Reads the section over the defaults.
pub(super) fn read(section: &mut Reader<'_>, chat: &mut ChatSettings, places: &mut SettingLocations) {
    set(&mut chat.name, section.name("name"));
    set(&mut chat.system, section.text("system"));
    set(&mut chat.history, section.whole("history", 0..=HISTORY_MAX));
    set(&mut chat.stream, section.boolean("stream"));
    chat.channels = section.ids("channels", IdKind::Channel).into_iter().map(ChannelId).collect();
    places.write_tools = section.commands("write_tools");
    chat.write_tools = places.write_tools.iter().map(|command| command.value.clone()).collect();
    set(&mut chat.confirm_within, section.whole("confirm_s", CONFIRM_S).map(Duration::from_secs));
    section.section("limits", |section| limits(section, &mut chat.limits));
}

fn limits(section: &mut Reader<'_>, limits: &mut TurnLimits) {
    set(&mut limits.steps, section.whole("steps", 1..=32));
    set(&mut limits.calls_per_step, section.whole("calls_per_step", 1..=16));
    set(&mut limits.time, section.whole("time_s", TIME_S).map(Duration::from_secs));
    set(&mut limits.corrections_per_name, section.whole("corrections_per_name", 0..=16));
    set(&mut limits.corrections, section.whole("corrections", 0..=64));
    set(&mut limits.result_bytes, section.whole("result_bytes", RESULT_BYTES));
}
