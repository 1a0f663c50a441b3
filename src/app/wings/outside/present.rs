//! Starts the programs and MCP servers of modules, and finds the server that a module needs a sign-in for.

use std::env;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::app::exit::Failure;
use candor_core::contract::outside::Starting;
use candor_core::contract::{Manifest, OutsideSpec};
use candor_core::settings::{ReadSettings, SettingLocations, Settings, StoreSettings};
use candor_core::text::{in_code_spans, nearest};
use candor_engine::builtin::Calculator;
use candor_outside::mcp::{Authorization, HttpAddress, OAuth};
use candor_outside::programs::starter::become_program;
use candor_outside::programs::{Forbidden, ProcessCalculator, answer_calculation, token_files};
use candor_outside::{Disk, own_binary, server_address, start_all};
use candor_system::files::{module_folder, settings_file};

pub(crate) use candor_outside::programs::Containment;
pub(crate) use candor_outside::remove_unused;

/// Starts the modules in this folder. Returns them, and how programs are confined if there are any.
pub(crate) async fn start_modules(
    manifests: Vec<Manifest>,
    settings: &Settings,
    places: Option<&SettingLocations>,
    folder: &Path,
    starting: Starting,
) -> (Vec<Manifest>, Option<Containment>) {
    let forbidden = forbidden(settings, places);
    let disk = Disk { modules: folder, data: settings.store.data_folder(), forbidden: &forbidden };
    start_all(manifests, disk, starting).await
}

pub(crate) fn calculator() -> Arc<dyn Calculator> {
    Arc::new(ProcessCalculator::started_by(own_binary()))
}

/// Runs this process as what the bot started it for: a program's supervisor, a program, or an expression. `None` if it
/// is the bot itself.
pub(crate) fn run_as_child() -> Option<u8> {
    become_program(env::args_os()).or_else(|| answer_calculation(env::args_os()))
}

/// Returns the paths that no setting lets a program of a module read.
fn forbidden(settings: &Settings, places: Option<&SettingLocations>) -> Vec<Forbidden> {
    let named = |what: &'static str| move |path: PathBuf| Forbidden { what, path };
    let tokens = token_files(|name| env::var_os(name)).into_iter().map(named("the file of Discord's token"));
    let (StoreSettings::File(store) | StoreSettings::Server(store)) = &settings.store;
    let keys = places.into_iter().flat_map(key_files).chain(settings.receipts.key_file.clone());
    let keys = keys.chain(settings.admin.page_token_file.clone());
    let own = [
        Forbidden { what: "the store", path: store.clone() },
        Forbidden { what: "the bot's data folder", path: settings.store.data_folder().to_owned() },
        Forbidden { what: "what the system says of processes", path: PathBuf::from("/proc") },
    ];
    tokens.chain(keys.map(named("a key of the settings"))).chain(own).collect()
}

/// Returns the files of the providers' keys and of the modules' secrets.
fn key_files(places: &SettingLocations) -> Vec<PathBuf> {
    let of_modules = places.module_settings.iter().flat_map(|table| &table.values);
    let secrets = of_modules.filter(|(key, _)| key.value.ends_with("_file"));
    let secrets = secrets.filter_map(|(_, file)| file.value.as_ref()?.as_str().map(PathBuf::from));
    places.key_files.iter().map(|(_, key)| key.value.clone()).chain(secrets).collect()
}

pub struct SignInPlace {
    pub address: HttpAddress,
    /// The bot's client id there, and where its tokens are kept.
    pub oauth: OAuth,
}

/// Returns the sign-in place of the module in this folder.
///
/// # Errors
/// Settings or manifest cannot be read, the module does not exist, or its server takes no sign-in.
pub fn sign_in_place(config: Option<&Path>, module: &str) -> Result<SignInPlace, Failure> {
    let unreadable = || Failure::config("the settings cannot be read; `candor check` says why");
    let (read, _) = settings_file::load_leniently(config).map_err(|_| unreadable())?;
    if read.problems.has_errors() {
        return Err(unreadable());
    }
    let ReadSettings { settings, places, .. } = read;
    let mut folder = module_folder::load(settings.modules.path.as_deref(), &[]);
    let names: Vec<_> = folder.manifests.iter().map(|manifest| manifest.folder.clone()).collect();
    let Some(at) = names.iter().position(|name| name == module) else {
        let near = nearest(module, names.iter().map(String::as_str), 1)
            .first()
            .map(|near| format!("; did you mean `{near}`?"));
        let all = || format!("; there are {}", in_code_spans(&names));
        let help = near.unwrap_or_else(|| if names.is_empty() { String::new() } else { all() });
        return Err(Failure::config(format!("`{}` has no module `{module}`{help}", folder.path.display())));
    };
    let mut manifest = folder.manifests.swap_remove(at);
    if let Some(trusted) = places.trusted.iter().find(|trusted| trusted.module.value == module) {
        manifest.given.trusted = trusted.rights.clone();
    }
    let spec = manifest.file.as_ref().and_then(|file| OutsideSpec::of(file, &manifest.given));
    let spec = spec.ok_or_else(|| {
        Failure::config(format!("the module `{module}` names no server that can be reached; `candor check` says why"))
    })?;
    let forbidden = forbidden(&settings, Some(&places));
    let disk = Disk { modules: &folder.path, data: settings.store.data_folder(), forbidden: &forbidden };
    let address = server_address(&manifest, &spec, disk)
        .map_err(|fault| Failure::config(format!("the module `{module}`: {}", fault.message)))?;
    match address.authorization.clone() {
        Authorization::OAuth(oauth) => Ok(SignInPlace { address, oauth }),
        Authorization::Machine(_) => Err(Failure::config(format!(
            "the bot signs in to the server of the module `{module}` by itself, with the secret of its client"
        ))),
        Authorization::None | Authorization::Bearer(_) => Err(Failure::config(format!(
            "the server of the module `{module}` takes no sign-in: write `[run.oauth]` in its manifest if it does"
        ))),
    }
}
