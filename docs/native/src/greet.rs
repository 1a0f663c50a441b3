//! `/greet`: says hello, and how often it has said so here.

use schemars::JsonSchema;
use serde::Deserialize;

use candor_core::contract::{Call, CommandError, NativeModule};
use candor_core::reply::Reply;
use candor_core::text::escaped;

/// Returns the module: the manifest declares the command, and `greet` answers it.
pub(crate) fn module() -> NativeModule {
    NativeModule::new("greet", include_str!("greet.toml")).handler("greet", greet).settings::<OwnSettings>()
}

/// What the operator may set. The check at the start compares it with the manifest, too.
#[derive(Deserialize, JsonSchema)]
struct OwnSettings {
    hello: String,
}

/// What the command takes. The check at the start compares it with the manifest and with what Discord is told.
#[derive(Deserialize, JsonSchema)]
struct OfGreet {
    /// Whom to greet
    #[schemars(length(min = 1, max = 80))]
    name: String,
}

/// The most records kept, one for each greeting. The oldest go first.
const KEPT_MAX: usize = 100;

async fn greet(of: OfGreet, call: Call) -> Result<Reply, CommandError> {
    let OwnSettings { hello } = call.services.settings()?;
    // Records are committed together with the receipt, or not at all.
    let records = call.services.records()?;
    let greeted = records.list().await?;
    if let [(oldest, _), ..] = greeted[..]
        && KEPT_MAX <= greeted.len()
    {
        records.remove(oldest).await?;
    }
    let number = records.add(&of.name.as_str().into(), KEPT_MAX).await?;
    Ok(Reply::text(format!("{hello}, {}! That was greeting {number}.", escaped(&of.name))))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::UNIX_EPOCH;

    use super::{OfGreet, greet, module};
    use candor_core::contract::{Call, HostServices, ModuleSettings, ServiceName};
    use candor_core::inbound::{Caller, Place, UserId};
    use candor_core::testing::{InMemory, call, checked, said};

    #[test]
    fn the_check_finds_nothing() {
        let found = checked(vec![module()]).diagnostics;
        assert!(!found.has_errors(), "{found:?}");
    }

    #[tokio::test]
    async fn each_greeting_has_the_next_number() {
        let settings = ModuleSettings::new([("hello".to_owned(), "Ahoy".into())].into_iter().collect());
        let host = HostServices { records: Some(Arc::new(InMemory::default())), ..HostServices::default() };
        for number in 1..=2 {
            let ann = Caller::new(UserId(7), "Ann");
            let call = call("greet", &host, &[ServiceName::Records], ann, Place::Console, UNIX_EPOCH);
            let call = Call { services: call.services.with_settings(settings.clone()), ..call };
            let answer = greet(OfGreet { name: "*Bob*".to_owned() }, call).await;
            assert_eq!(said(answer), format!("Ahoy, \\*Bob\\*! That was greeting {number}."));
        }
    }
}
