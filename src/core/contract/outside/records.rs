//! The records of a program: each request contains them, and its answer edits them.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::contract::code::{Call, CommandError};
use crate::contract::outside::start::{Misshapen, OutsideError};
use crate::contract::services::{OwnRecords, RecordId, ServiceError};

/// The most records of a program in a place, shared ones and each person's counted separately. Each request contains
/// all of them.
const RECORDS_MAX: usize = 100;
/// The largest record, in bytes of its JSON.
const RECORD_BYTES_MAX: usize = 1_000;
const EDITS_MAX: usize = 20;

#[derive(Debug, Default, PartialEq)]
pub(super) struct GivenRecords {
    shared: BTreeMap<RecordId, Value>,
    own: BTreeMap<RecordId, Value>,
}

/// A program's edits of its records.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RecordEdits {
    shared: Edits,
    /// Edits of the caller's own records in this place.
    own: Edits,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Edits {
    add: Vec<Value>,
    replace: BTreeMap<RecordId, Value>,
    remove: Vec<RecordId>,
}

impl GivenRecords {
    /// Loads the module's records at this call's place. Returns `None` if its manifest does not ask for them.
    pub(super) async fn of(call: &Call) -> Result<Option<Self>, ServiceError> {
        let Ok(shared) = call.services.records() else { return Ok(None) };
        // A run for the guild itself has no caller, so there are no own records.
        let own = match call.caller.is_guild(call.place) {
            true => Vec::new(),
            false => call.services.caller_records()?.list().await?,
        };
        Ok(Some(Self { shared: shared.list().await?.into_iter().collect(), own: own.into_iter().collect() }))
    }

    pub(super) fn json(&self) -> Value {
        let list = |records: &BTreeMap<RecordId, Value>| -> Vec<_> {
            records.iter().map(|(id, value)| json!({ "id": id, "value": value })).collect()
        };
        json!({ "shared": list(&self.shared), "own": list(&self.own) })
    }
}

impl RecordEdits {
    /// Checks the number of edits and the size of each record.
    pub(super) fn check(&self) -> Result<(), Misshapen> {
        let n = self.shared.len() + self.own.len();
        if EDITS_MAX < n {
            return Err(Misshapen::new(format!(
                "it edits records {n} times, and a run does {EDITS_MAX} times at most"
            )));
        }
        let bodies =
            [&self.shared, &self.own].into_iter().flat_map(|edits| edits.add.iter().chain(edits.replace.values()));
        match bodies.map(|body| body.to_string().len()).find(|&size| RECORD_BYTES_MAX < size) {
            Some(size) => Err(Misshapen::new(format!("a record has {size} bytes, and {RECORD_BYTES_MAX} are kept"))),
            None => Ok(()),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Stages the edits. They are stored with the run's receipt if the run succeeds.
    pub(super) async fn make(
        self,
        given: Option<&GivenRecords>,
        changes: bool,
        call: &Call,
    ) -> Result<(), CommandError> {
        if self.is_empty() {
            return Ok(());
        }
        let shared = call.services.records()?;
        let nothing = GivenRecords::default();
        let given = given.unwrap_or(&nothing);
        if !changes {
            return Err(failed("it edits records, and its command says `writes = false`".to_owned()));
        }
        self.shared.make(&given.shared, &shared).await?;
        if self.own != Edits::default() {
            if call.caller.is_guild(call.place) {
                return Err(failed("it edits records of its caller, and has none".to_owned()));
            }
            self.own.make(&given.own, &call.services.caller_records()?).await?;
        }
        Ok(())
    }
}

impl Edits {
    fn len(&self) -> usize {
        self.add.len() + self.replace.len() + self.remove.len()
    }

    async fn make(self, given: &BTreeMap<RecordId, Value>, records: &OwnRecords<'_>) -> Result<(), CommandError> {
        let known = |id: &RecordId| given.get(id).ok_or_else(|| failed(format!("it was given no record {id}")));
        for (id, body) in &self.replace {
            if !records.replace(*id, known(id)?, body).await? {
                return Err(changed());
            }
        }
        for id in &self.remove {
            known(id)?;
            if records.remove(*id).await?.is_none() {
                return Err(changed());
            }
        }
        for body in &self.add {
            records.add(body, RECORDS_MAX).await?;
        }
        Ok(())
    }
}

fn failed(why: String) -> CommandError {
    CommandError::from(OutsideError::Failed(why))
}

fn changed() -> CommandError {
    failed("somebody else changed a record while it ran; nothing of its edits is kept".to_owned())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::UNIX_EPOCH;

    use futures_util::FutureExt as _;

    use super::*;
    use crate::contract::services::{HostServices, ServiceName};
    use crate::inbound::{Caller, ChannelId, GuildId, Place, UserId};
    use crate::testing::{self, InMemory};

    const HERE: Place = Place::Guild { guild: GuildId(1), channel: ChannelId(5) };

    /// A program that prints these edits, one call after the other. Returns what it is given last, or why a call failed.
    fn after(edits: &[Value], changes: bool, caller: u64, services: &[ServiceName]) -> Result<Option<Value>, String> {
        let host = HostServices { records: Some(Arc::new(InMemory::default())), ..HostServices::default() };
        let call = || testing::call("notes", &host, services, Caller::new(UserId(caller), "ann"), HERE, UNIX_EPOCH);
        let run = async {
            for edits in edits {
                let edits: RecordEdits = serde_json::from_value(edits.clone()).unwrap();
                edits.check().map_err(|misshapen| misshapen.to_string())?;
                let call = call();
                let told = |problem: CommandError| format!("{problem:?}");
                let given = GivenRecords::of(&call).await.unwrap();
                edits.make(given.as_ref(), changes, &call).await.map_err(told)?;
            }
            Ok(GivenRecords::of(&call()).await.unwrap().map(|given| given.json()))
        };
        run.now_or_never().unwrap()
    }

    #[test]
    fn a_program_has_records_of_everybody_and_of_its_caller_and_edits_both() {
        let records = [ServiceName::Records];
        let begun = json!({ "shared": { "add": ["rules"] }, "own": { "add": ["milk", { "n": 1 }] } });
        let edited = json!({ "own": { "replace": { "2": { "n": 2 } }, "remove": [1] } });
        let given = after(&[begun.clone(), edited.clone()], true, 7, &records).unwrap().unwrap();
        assert_eq!(given["shared"][0]["value"], "rules");
        assert_eq!(
            given["own"].as_array().unwrap().iter().map(|it| &it["value"]).collect::<Vec<_>>(),
            [&json!({ "n": 2 })]
        );
        assert_eq!(after(&[], true, 7, &[]), Ok(None), "it does not ask for them");

        let why =
            |edits: Value, changes, caller, services: &[_]| after(&[edits], changes, caller, services).unwrap_err();
        for (problem, part) in [
            (why(begun.clone(), false, 7, &records), "`writes = false`"),
            (why(edited, true, 7, &records), "it was given no record 2"),
            (why(begun.clone(), true, 7, &[]), "NotGranted(\"records\")"),
            (why(begun, true, 0, &records), "it edits records of its caller, and has none"),
            (why(json!({ "own": { "add": vec![1; EDITS_MAX + 1] } }), true, 7, &records), "it edits records 21 times"),
            (why(json!({ "own": { "add": ["a".repeat(999)] } }), true, 7, &records), "a record has 1001 bytes"),
        ] {
            assert!(problem.contains(part), "{part}: {problem}");
        }
    }
}
