//! A build without programs and MCP servers.

use std::convert::Infallible;
use std::path::Path;
use std::sync::Arc;

use candor_core::contract::outside::{Fault, FaultAt, Started, Starting};
use candor_core::contract::{Manifest, OutsideSpec};
use candor_core::diagnostic::Code;
use candor_core::settings::{SettingLocations, Settings, StoreSettings};
use candor_engine::builtin::{Calculator, NoCalculator};

/// No program is confined, because none is started.
pub(crate) type Containment = Infallible;

/// Refuses each module that needs a program or a server.
pub(crate) async fn start_modules(
    mut manifests: Vec<Manifest>,
    _: &Settings,
    _: Option<&SettingLocations>,
    _: &Path,
    _: Starting,
) -> (Vec<Manifest>, Option<Containment>) {
    for manifest in &mut manifests {
        let spec = manifest.file.as_ref().and_then(|file| OutsideSpec::of(file, &manifest.given));
        manifest.started = spec.map(|_| Started { faults: vec![refusal()], ..Started::default() });
    }
    (manifests, None)
}

fn refusal() -> Fault {
    Fault {
        code: Code::ProgramUnusable,
        at: FaultAt::Run,
        message: "this build of the bot starts no programs and asks no servers".to_owned(),
        help: "build it with the feature `outside`, or name the module in `[modules] disabled`".to_owned(),
    }
}

pub(crate) async fn remove_unused(_: &StoreSettings) {}

/// No process of the bot runs as anything else.
pub(crate) fn run_as_child() -> Option<u8> {
    None
}

pub(crate) fn calculator() -> Arc<dyn Calculator> {
    Arc::new(NoCalculator)
}
