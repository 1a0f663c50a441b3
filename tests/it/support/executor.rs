//! An executor over a store in a folder, for tests of what becomes of single runs.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use candor_core::contract::{HostServices, NativeModule, check};
use candor_core::registry::Registry;
use candor_engine::executor::{Executor, Ledger, ModuleCalls};
use candor_engine::{Clock, InForce, Sealer, SigningKey};
use candor_store::Database;
use candor_system::workspace::WorkspaceFolders;

/// The clock of this machine.
pub(crate) struct Now;

impl Clock for Now {
    fn now(&self) -> SystemTime {
        SystemTime::now()
    }
}

/// Runs the commands of one module, which may ask for all that is stored, for later calls, messages and files.
pub(crate) fn executor(
    module: NativeModule,
    folder: &Path,
    store: &Arc<Database>,
    ledger: Arc<dyn Ledger>,
) -> Executor {
    let checked = check(candor_engine::builtin::module(), vec![module], Vec::new());
    assert!(!checked.diagnostics.has_errors(), "{:#?}", checked.diagnostics);
    let services = HostServices {
        records: Some(store.clone()),
        time: Some(store.clone()),
        outbox: Some(store.clone()),
        workspaces: Some(Arc::new(WorkspaceFolders::below(folder))),
        ..HostServices::default()
    };
    let calls = ModuleCalls {
        registry: Arc::new(InForce::new(Arc::new(Registry::build(checked)))),
        services: Arc::new(services),
        deadline: Duration::from_secs(60),
    };
    let sealer = Sealer::new(&SigningKey::new([7; 32]));
    Executor { ledger, ..Executor::new(Arc::new(calls), store.clone(), Arc::new(Now), sealer) }
}
