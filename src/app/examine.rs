//! The start-up check. `candor check` prints what it finds; every start begins with it. There is one.

use std::path::Path;
use std::sync::Arc;

use crate::config::{OnViolation, Settings};
use crate::contract::check;
use crate::diagnostic::Diagnostics;
use crate::registry::{Reach, Registry};
use crate::{harness, module_folder, modules, settings_file};

/// What the check found.
pub struct Examined {
    /// The settings, if they can be read.
    pub settings: Option<Settings>,
    /// The commands in force, if the bot may start.
    pub registry: Option<Arc<Registry>>,
    /// What the probe reached of them.
    pub reach: Reach,
    /// Every problem in the settings and the modules.
    pub diagnostics: Diagnostics,
    /// How many modules were checked, the harness left out.
    pub n_modules: usize,
    /// The settings file, if there is one.
    pub config: Option<String>,
}

/// Reads settings and modules and checks everything. Touches nothing but files.
pub fn examine(config: Option<&Path>) -> Examined {
    let mut diagnostics = Diagnostics::default();
    let (settings, config) = match settings_file::load(config) {
        Ok((settings, file)) => (Some(settings), Some(file.path.clone()).filter(|_| !file.text.is_empty())),
        Err(found) => {
            diagnostics.append(found);
            (None, None)
        }
    };
    // Broken settings must not hide what is wrong with the modules.
    let rules = settings.clone().unwrap_or_default().modules;
    let (mut on_disk, found) = module_folder::load(rules.path.as_deref());
    let folder_is_bad = found.has_errors();
    diagnostics.append(found);
    on_disk.retain(|manifest| !rules.disabled.contains(&manifest.folder));
    let mut natives = modules::all();
    natives.retain(|module| !rules.disabled.iter().any(|name| name == module.folder()));

    let mut checked = check(harness::module(), natives, on_disk);
    let n_modules = checked.accepted.len() + checked.rejected.len() - 1;
    let modules_are_bad = folder_is_bad || checked.diagnostics.has_errors();
    diagnostics.append(std::mem::take(&mut checked.diagnostics));

    let may_start = settings.is_some() && (!modules_are_bad || rules.on_violation == OnViolation::Quarantine);
    let registry = may_start.then(|| Arc::new(Registry::build(checked)));
    let reach = registry.as_ref().map(Registry::probe).unwrap_or_default();
    Examined { settings, registry, reach, diagnostics, n_modules, config }
}
