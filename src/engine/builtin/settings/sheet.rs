//! The sheet of a guild, which is one record of the built-in module: reads and stores it.

use std::time::Duration;

use serde_json::Value;

use crate::builtin::builtins::Bot;
use candor_core::contract::{Call, CommandError, RecordId, ServiceError};
use candor_core::guild::{ChangedBy, GuildSetting, GuildSheet, SheetChange};
use candor_core::inbound::{GuildId, Place};
use candor_core::language::say;

const SHEETS_MAX: usize = 1;

/// How long another person's change counts as possibly unseen by the caller, unless they name the last change they saw.
/// A form that was open for longer can no longer be submitted.
const MEANWHILE: Duration = Duration::from_mins(15);

pub(super) struct Kept {
    pub(super) guild: GuildId,
    pub(super) sheet: GuildSheet,
    record: Option<(RecordId, Value)>,
}

impl Kept {
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

    /// Stores the sheet, with the receipt of this run or not at all. If another run changed it since it was read, this
    /// run starts again, or reports that it changed nothing.
    pub(super) async fn store(&self, call: &Call) -> Result<(), CommandError> {
        let records = call.services.records()?;
        let body = self.sheet.to_json();
        let is_stored = match &self.record {
            Some((id, before)) => records.replace(*id, before, &body).await?,
            None => match records.add(&body, SHEETS_MAX).await {
                Ok(_) => true,
                // Another run was first.
                Err(ServiceError::Full(_)) => false,
                Err(problem) => return Err(problem.into()),
            },
        };
        if is_stored {
            return Ok(());
        }
        Err(CommandError::tell(say!(call.caller.language, "settings-at-once")))
    }

    /// Returns the newest change by another person that the caller may not have seen. That is a change after number
    /// `seen`, or without `seen` a recent one. With a setting, only its changes count.
    pub(super) async fn unseen(
        &self,
        bot: &Bot<'_>,
        setting: Option<GuildSetting>,
        seen: Option<u64>,
    ) -> Result<Option<&SheetChange>, CommandError> {
        let call = bot.call;
        let is_new = |change: &SheetChange| match seen {
            Some(seen) => seen < change.number,
            None => call.now.duration_since(change.by.at).is_ok_and(|age| age <= MEANWHILE) || call.now < change.by.at,
        };
        let is_of = |change: &SheetChange| setting.is_none_or(|setting| change.setting == setting);
        for change in self.sheet.changes().iter().rev().filter(|change| is_of(change) && is_new(change)) {
            let receipt = bot.receipts().await.find(change.by.receipt).await?;
            if receipt.is_none_or(|receipt| receipt.facts.caller != call.caller.id) {
                return Ok(Some(change));
            }
        }
        Ok(None)
    }
}

pub(super) fn by(call: &Call) -> Result<ChangedBy, CommandError> {
    let receipt = call.receipt.ok_or_else(|| ServiceError::Store("this run has no receipt".to_owned()))?;
    Ok(ChangedBy::run(receipt, call.now))
}
