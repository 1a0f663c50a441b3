//! The operators' log of changes that guild administrators make by `/settings`.

use tracing::info;

use crate::dispatch::dispatcher::Dispatcher;
use candor_core::guild::GuildValue;
use candor_core::inbound::{Place, UserId};
use candor_core::record::Outcome;
use candor_core::reply::{Answer, Provenance};
use candor_core::text::excerpt;

impl Dispatcher {
    /// Logs the change that this run of `/settings` stored, and applies the channels of modules from now on.
    pub(super) async fn audit(&self, answer: &Answer, user: UserId, place: Place) {
        let Provenance::Command(receipt) = &answer.provenance else { return };
        let (Place::Guild { guild, .. }, facts) = (place, receipt.facts()) else { return };
        if facts.outcome != Outcome::Done || !facts.command.starts_with("/settings") {
            return;
        }
        let Some(sheet) = self.chat.talker.places().sheet(place).await else { return };
        let Some(change) = sheet.changes().iter().find(|change| change.by.receipt == receipt.id()) else { return };
        // The text of a persona is personal, and the log is kept longer than personal data.
        let shown = |value: Option<&GuildValue>| {
            value.map(|value| match value {
                GuildValue::Persona(persona) => format!("{} characters", persona.as_str().chars().count()),
                value => excerpt(&value.to_string()),
            })
        };
        // If the setting was changed again, the next change holds the value that this one set.
        let later =
            sheet.changes().iter().find(|other| change.number < other.number && other.setting == change.setting);
        let now = match later {
            Some(later) => shown(later.before.as_ref()),
            None => shown(sheet.values().get(change.setting)),
        };
        info!(
            guild.id = %guild,
            user.id = %user,
            receipt.id = %receipt.id(),
            setting = change.setting.name(),
            before = shown(change.before.as_ref()),
            now,
            change = change.number,
            undoes = change.undoes,
            "a server's setting was changed"
        );
    }
}
