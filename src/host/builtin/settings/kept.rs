//! The sheet of the guild of a call: one record of the built-in module, read and stored.

use std::time::Duration;

use serde_json::Value;

use candor_core::contract::{Call, CommandError, RecordId, ServiceError};
use candor_core::guild::{ChangedBy, GuildSetting, GuildSheet, SheetChange};
use candor_core::inbound::{GuildId, Place};
use candor_core::language::say;

/// The most sheets of a guild.
const SHEETS_MAX: usize = 1;

/// For how long a change of somebody else counts as one that the caller may not have seen, unless they say which one
/// they saw last. A form that is open for longer cannot be answered any more.
const MEANWHILE: Duration = Duration::from_mins(15);

/// The sheet of a guild, as it is stored now.
pub(super) struct Kept {
    pub(super) guild: GuildId,
    pub(super) sheet: GuildSheet,
    record: Option<(RecordId, Value)>,
}

impl Kept {
    /// The sheet of the guild of this call.
    pub(super) async fn read(call: &Call) -> Result<Self, CommandError> {
        let Place::Guild { guild, .. } = call.place else {
            let command = "/settings".to_owned();
            return Err(CommandError::tell(say!(call.caller.language, "denied-servers-only", command = command)));
        };
        let record = call.services.records()?.list().await?.into_iter().next();
        let sheet = match &record {
            None => GuildSheet::default(),
            Some((_, body)) => GuildSheet::from_json(body)
                .ok_or_else(|| ServiceError::Store("the settings of a server cannot be read".to_owned()))?,
        };
        Ok(Self { guild, sheet, record })
    }

    /// Stores it, with the receipt of this run or not at all. If somebody else changed it since it was read, the run
    /// begins anew, or says that nothing was changed.
    pub(super) async fn store(&self, call: &Call) -> Result<(), CommandError> {
        let (records, body) = (call.services.records()?, self.sheet.to_json());
        let is_stored = match &self.record {
            Some((id, before)) => records.replace(*id, before, &body).await?,
            None => match records.add(&body, SHEETS_MAX).await {
                Ok(_) => true,
                // Somebody else was first.
                Err(ServiceError::Full(_)) => false,
                Err(problem) => return Err(problem.into()),
            },
        };
        if is_stored {
            return Ok(());
        }
        Err(CommandError::tell(say!(call.caller.language, "settings-at-once")))
    }

    /// The newest change that the caller may not know of: one of somebody else, made after change number `seen`, or a
    /// moment ago. With a setting, of that one.
    pub(super) async fn unseen(
        &self,
        call: &Call,
        setting: Option<GuildSetting>,
        seen: Option<u64>,
    ) -> Result<Option<&SheetChange>, CommandError> {
        let is_new = |change: &SheetChange| match seen {
            Some(seen) => seen < change.number,
            None => call.now.duration_since(change.by.at).is_ok_and(|age| age <= MEANWHILE) || call.now < change.by.at,
        };
        let is_of = |change: &SheetChange| setting.is_none_or(|setting| change.setting == setting);
        for change in self.sheet.changes().iter().rev().filter(|change| is_of(change) && is_new(change)) {
            let receipt = call.services.receipts()?.find(change.by.receipt).await?;
            if receipt.is_none_or(|receipt| receipt.facts.caller != call.caller.id) {
                return Ok(Some(change));
            }
        }
        Ok(None)
    }
}

/// The run that changes a sheet.
pub(super) fn by(call: &Call) -> Result<ChangedBy, CommandError> {
    let receipt = call.receipt.ok_or_else(|| ServiceError::Store("this run has no receipt".to_owned()))?;
    Ok(ChangedBy::run(receipt, call.now))
}
