//! The start-up check. `candor check` prints its result, and every start runs the same check.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::app::examine::module_files::ModuleFiles;
use crate::app::examine::{http_hosts, operator_values, outside};
use crate::app::wings::outside::{Containment, calculator, start_modules};
use candor_core::contract::outside::Starting;
use candor_core::contract::{Checked, NativeModule, Owner, ServiceName, check};
use candor_core::diagnostic::{Code, Diagnostics, FirstError};
use candor_core::execution;
use candor_core::guild::GuildSetting;
use candor_core::registry::{Reach, Registry, rights};
use candor_core::settings::{LogFormat, OnViolation, ReadSettings, SendTo, SettingLocations, Settings};
use candor_engine::builtin;
use candor_system::files::module_folder::{self, ModuleFolder};
use candor_system::files::{program_digest, settings_file};

/// The compiled-in modules, and the settings file, which names the other modules.
#[derive(Clone, Copy, Debug)]
pub struct Sources<'a> {
    pub natives: fn() -> Vec<NativeModule>,
    /// The settings file. If `None`: config.toml if it exists, else built-in defaults.
    pub config: Option<&'a Path>,
    /// The values of a running bot that only a restart changes. If `None`, the settings decide.
    pub running: Option<Running<'a>>,
}

/// Settings that modules depend on and that only a restart changes.
#[derive(Clone, Copy, Debug)]
pub struct Running<'a> {
    pub talks: bool,
    pub servers_add: bool,
    /// The commands in force. A module that worked before and now fails the check keeps them.
    pub registry: Option<&'a Registry>,
}

impl Running<'_> {
    /// The values of a bot with these settings that has no commands yet.
    pub fn of(settings: &Settings) -> Self {
        Self {
            talks: !settings.model_servers.is_empty(),
            servers_add: settings.chat.guild_settings.contains(&GuildSetting::ModuleChannels),
            registry: None,
        }
    }
}

pub struct Examined {
    pub settings: Option<Settings>,
    /// Whether the bot may start: there are no errors, or it runs without the faulty modules.
    pub may_start: bool,
    pub registry: Option<Arc<Registry>>,
    pub reach: Reach,
    /// One line for each module with its rights.
    pub rights: Vec<String>,
    /// The log format, also if other settings are invalid.
    pub log_format: LogFormat,
    pub diagnostics: Diagnostics,
    /// Number of checked modules, without the built-in commands.
    pub n_modules: usize,
    pub natives: fn() -> Vec<NativeModule>,
    /// The settings file named on the command line, if any.
    pub asked: Option<PathBuf>,
    /// The settings file in use, if any.
    pub config: Option<String>,
    /// The files as they were before they were read.
    pub files: ModuleFiles,
    /// How the programs of modules are confined; `None` if no module has one.
    pub contained: Option<Containment>,
}

/// Reads settings and modules, starts the programs and servers of modules, and checks everything.
pub async fn examine(Sources { natives: compiled, config, running }: Sources<'_>, starting: Starting) -> Examined {
    let asked = config.map(Path::to_owned);
    let mut of_settings = Diagnostics::default();
    let (reading, config) = match settings_file::load_leniently(config) {
        Ok((reading, file)) => (Some(reading), Some(file.path.clone()).filter(|_| !file.text.is_empty())),
        Err(found) => {
            of_settings.append(found);
            (None, None)
        }
    };
    let (settings, places) = match reading {
        Some(ReadSettings { settings, places, problems }) => {
            of_settings.append(problems);
            (settings, Some(places))
        }
        None => (Settings::default(), None),
    };
    let mut files = ModuleFiles::of(asked.as_deref(), &settings);
    files.look().await;
    let running = running.unwrap_or(Running::of(&settings));
    // One invalid setting must neither hide the problems of the modules nor change which modules are checked.
    let rules = &settings.modules;
    let mut folder = module_folder::load(rules.path.as_deref(), &rules.disabled);
    let mut natives = compiled();
    if let Some(places) = &places {
        outside::check_distinct(&settings, places, &mut of_settings);
        outside::check_keys(places, &mut of_settings);
        outside::check_page_token(places, &mut of_settings);
        outside::check_address(places, &mut of_settings);
        if !is_unreadable(&folder) {
            outside::check_disabled(places, &names(&natives, &folder), &mut of_settings);
        }
    }
    let is_unreadable = is_unreadable(&folder);
    let names = names(&natives, &folder);
    natives.retain(|module| !rules.disabled.iter().any(|name| name == module.folder()));
    if let Some(places) = places.as_ref().filter(|_| !is_unreadable) {
        let manifests = std::mem::take(&mut folder.manifests);
        (natives, folder.manifests) =
            operator_values::give(places, running.servers_add, &names, natives, manifests, &mut of_settings);
    }
    let mut of_modules = folder.diagnostics;
    let path = folder.path;
    let (manifests, contained) = start_modules(folder.manifests, &settings, places.as_ref(), &path, starting).await;
    let mut checked = check(builtin::module_with(calculator()), natives, manifests);
    let n_modules = checked.accepted.len() + checked.rejected.len() - 1;
    for module in checked.rejected.iter_mut().filter(|module| module.error.is_none()) {
        // The manifest could not be read; this was found before the check.
        let folder = path.join(&module.name);
        let mut unread = of_modules.iter().filter(|unread| Path::new(&unread.place.file.path).starts_with(&folder));
        module.error = unread.next().map(FirstError::from);
    }
    of_modules.append(std::mem::take(&mut checked.diagnostics));
    if let Some(places) = places.filter(|_| !is_unreadable) {
        http_hosts::give(&places, &mut checked, &mut of_settings);
        outside::check_write_tools(&places, &checked, &mut of_settings);
        outside::check_place_tools(&places, &checked, &mut of_settings);
        outside::check_permissions(&places, &checked, &mut of_settings);
        check_send_to(&places, &checked, &mut of_settings);
    }

    let settings_hold = !of_settings.has_errors();
    let leaves_out = rules.on_violation == OnViolation::Quarantine || starting == Starting::Author;
    let quarantines = leaves_out && !is_unreadable;
    let may_start = settings_hold && (quarantines || !of_modules.has_errors());
    let mut diagnostics = of_settings;
    diagnostics.append(of_modules);
    // Without a chat model, commands that need one are not offered. Settings may name them: those were checked above.
    let checked = if running.talks { checked } else { checked.without_chat() };
    let program = if starting == Starting::Offline { None } else { program_digest().await };
    let checked = match program {
        Some(digest) => checked.of_program(env!("CARGO_PKG_VERSION"), digest),
        None => checked,
    };
    let registry = may_start.then(|| match running.registry {
        Some(before) => Arc::new(Registry::after(before, checked)),
        None => Arc::new(Registry::build(checked)),
    });
    let reach = registry.as_ref().map(execution::probe).unwrap_or_default();
    let rights = registry.as_deref().map(rights).unwrap_or_default();
    // With `Offline`, no program or server was started, so the commands must never be in force.
    let registry = registry.filter(|_| starting != Starting::Offline);
    Examined {
        may_start,
        log_format: settings.log_format,
        settings: settings_hold.then_some(settings),
        registry,
        reach,
        rights,
        diagnostics,
        n_modules,
        natives: compiled,
        asked,
        config,
        files,
        contained,
    }
}

fn names(natives: &[NativeModule], folder: &ModuleFolder) -> BTreeSet<String> {
    let compiled = natives.iter().map(NativeModule::folder);
    let on_disk = folder.manifests.iter().map(|manifest| &manifest.folder).chain(&folder.disabled);
    compiled.chain(on_disk.map(String::as_str)).map(str::to_owned).collect()
}

/// Returns whether the list of modules could not be read. Even quarantine does not start without it.
fn is_unreadable(folder: &ModuleFolder) -> bool {
    folder.diagnostics.iter().any(|diagnostic| diagnostic.code == Code::ModulesUnreadable)
}

/// Checks that the channels in the settings file are for modules that send messages.
fn check_send_to(places: &SettingLocations, checked: &Checked, found: &mut Diagnostics) {
    for SendTo { module, .. } in &places.send_to {
        let name = &module.value;
        // For a module that failed the check or is disabled, this is unknown until it is back.
        let accepted = checked.accepted.iter().find(|accepted| accepted.owner == Owner::Module(name.clone()));
        if accepted.is_some_and(|accepted| !accepted.services.contains(&ServiceName::Send)) {
            let message = format!("`modules.send_to` names `{name}`, which sends no messages");
            let help = format!("take it out, or write `send` into the `services` of `{name}` if it is to send some");
            found.push(places.problem(module.span.clone(), message, help));
        }
    }
}
