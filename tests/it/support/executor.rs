//! An executor over a store in a folder, for tests of what becomes of single runs.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use candor_core::contract::{NativeModule, Services, check};
use candor_core::registry::Registry;
use candor_engine::executor::{Executor, Flights, LateReceipts, Ledger};
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
    let services = Services::default()
        .with_records(store.clone())
        .with_time(store.clone())
        .with_outbox(store.clone())
        .with_workspaces(Arc::new(WorkspaceFolders::below(folder)));
    Executor {
        registry: Arc::new(InForce::new(Arc::new(Registry::build(checked)))),
        services,
        ledger,
        cooldowns: store.clone(),
        clock: Arc::new(Now),
        deadline: Duration::from_secs(60),
        counters: Arc::default(),
        flights: Flights::default(),
        late: LateReceipts::default(),
        sealer: Sealer::new(&SigningKey::new([7; 32])),
    }
}
