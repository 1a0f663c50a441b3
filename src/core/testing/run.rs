//! Runs a command that does nothing, for tests of how answers are shown.

use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use futures_util::FutureExt as _;
use serde_json::Map;

use crate::access::{Access, authorize};
use crate::contract::{Call, HostServices, NativeModule, NoArguments};
use crate::execution::{Effect, End, open};
use crate::inbound::{CallMethod, Caller, CommandPath, EventId, Place, UserId};
use crate::record::{Receipt, ReceiptId};
use crate::registry::Registry;
use crate::reply::{Answer, Provenance, Reply};
use crate::router::Invocation;
use crate::testing::call::call;
use crate::testing::checked::checked;

/// Really runs a command with this name, `status` or `tasks list`, whose handler returns nothing. Its receipt has this
/// number.
///
/// # Panics
///
/// If no such command can exist: the test is wrong.
pub fn ran(number: u64, command: &str) -> Arc<Receipt> {
    ran_by(number, command, UserId(7))
}

/// Does the same as a call by this person.
///
/// # Panics
///
/// If no such command can exist: the test is wrong.
pub fn ran_by(number: u64, command: &str, person: UserId) -> Arc<Receipt> {
    match answered_to(number, command, person, Reply::default()).into_parts().provenance {
        Provenance::Command(receipt) => receipt,
        Provenance::Turn(_) | Provenance::Host => panic!("a run without a receipt"),
    }
}

/// Does the same with a handler that returns this reply.
///
/// # Panics
///
/// If no such command can exist: the test is wrong.
pub fn answered(number: u64, command: &str, reply: Reply) -> Answer {
    answered_to(number, command, UserId(7), reply)
}

fn answered_to(number: u64, command: &str, person: UserId, reply: Reply) -> Answer {
    let names: Vec<_> = command.split(' ').collect();
    let declared = match names.as_slice() {
        [name] => format!("[commands.\"/{name}\"]\ndescription = \"A command\"\nhandler = \"nothing\"\n"),
        [name, subcommand] => format!(
            "[commands.\"/{name}\"]\ndescription = \"A command\"\n\
             [commands.\"/{name}\".subcommands.{subcommand}]\ndescription = \"A subcommand\"\nhandler = \"nothing\"\n"
        ),
        _ => panic!("`{command}` is no command for a test"),
    };
    let manifest = format!("[module]\nname = \"example\"\nsummary = \"An example\"\n{declared}");
    let nothing = move |_: NoArguments, _: Call| std::future::ready(Ok(reply.clone()));
    let registry = Registry::build(checked(vec![NativeModule::new("example", &manifest).handler("nothing", nothing)]));
    let caller = Caller::new(person, "somebody");
    let place = Place::Console;
    let path = CommandPath::at(crate::inbound::CommandType::Slash, &names);
    let invocation = Invocation {
        event: EventId(number),
        caller: caller.clone(),
        place,
        method: CallMethod::Picked,
        path,
        arguments: Map::new(),
    };
    let Ok(permit) = authorize(invocation, &registry, &Access::default()) else { panic!("`{command}` may not run") };
    let call = call("example", &HostServices::default(), &[], caller, place, UNIX_EPOCH);
    let (running, ticket) = open(permit, ReceiptId::from_number(number), || None, call);
    let Some(returned) = running.now_or_never() else { panic!("a handler that does nothing waits") };
    ticket.close(End::Returned(returned), Effect::Change, Duration::from_millis(1)).answer(true)
}
