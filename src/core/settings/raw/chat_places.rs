//! `[chat.places]`: overrides for chat in single places.
//!
//! Each table is named by the id of a guild, a category, a channel or a thread: `[chat.places."1122334455667788990"]`.

use super::chat::{DAY_TOKENS, DAY_TURNS, HISTORY_MAX, conversation, system};
use super::id::digits;
use super::locations::SettingLocations;
use super::reader::SectionReader;
use crate::agent::{ChatSettings, DayLimits, PlaceChat};
use crate::diagnostic::spanned::{Section, Spanned, TomlValue};
use crate::diagnostic::{Code, Diagnostics};

/// The most places: an operator writes them manually.
const PLACES_MAX: usize = 1_000;

pub(super) fn read(
    mut table: Section,
    chat: &mut ChatSettings,
    places: &mut SettingLocations,
    found: &mut Diagnostics,
) {
    for at in table.keys() {
        let Some((at, value)) = table.take(&at.value) else { continue };
        let mut problem = |message: String, help: &str| {
            found.push(table.problem(Code::ConfigValueInvalid, &at.span, message, help.to_owned()));
        };
        let (Some(id), TomlValue::Table(section)) = (digits(&at.value).filter(|&id| 0 < id), value.value) else {
            let help = "write `[chat.places.\"1122334455667788990\"]` on a line of its own, with the id of a server, a \
                        category, a channel or a thread, and its settings below";
            problem(format!("`[chat.places]` holds a table for each id, and `{}` is not one", at.value), help);
            continue;
        };
        if PLACES_MAX <= chat.places.len() {
            return problem(format!("`[chat.places]` has more than {PLACES_MAX} places"), "take some out");
        }
        let mut section = SectionReader::new(section, found);
        let here = place(&mut section, places);
        section.finish();
        chat.places.insert(id, here);
    }
}

fn place(section: &mut SectionReader<'_>, places: &mut SettingLocations) -> PlaceChat {
    let model = section.spanned_name("model");
    places.named_models.extend(model.clone());
    let has_tools = section.has("tools");
    let tools = section.commands("tools");
    let names = tools.iter().map(|Spanned { value, .. }| value.clone()).collect();
    places.place_tools.extend(tools);
    PlaceChat {
        system: system(section),
        model: model.map(|model| model.value),
        tools: has_tools.then_some(names),
        history: section.whole("history", 0..=HISTORY_MAX),
        summaries: section.boolean("summaries"),
        time_zone: section.zone("time_zone"),
        language: section.language("language"),
        conversation: conversation(section),
        thread: section.boolean("thread"),
        // Only a guild's administrators set this per guild: the operator has `[chat] write_tools`.
        write_tools: None,
        day: DayLimits {
            tokens: section.whole("day_tokens", DAY_TOKENS),
            turns: section.whole("day_turns", DAY_TURNS),
        },
    }
}
