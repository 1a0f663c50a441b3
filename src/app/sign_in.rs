//! Finds the MCP server that a module needs a sign-in for.

use std::path::Path;

use crate::app::exit::Failure;
use candor_core::contract::OutsideSpec;
use candor_core::text::{in_code_spans, nearest};
use candor_outside::mcp::{Authorization, HttpAddress, OAuth};
use candor_outside::{address, tokens_file};
use candor_system::files::{module_folder, settings_file};

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
    let (settings, _) = settings_file::load(config)
        .map_err(|_| Failure::config("the settings cannot be read; `candor check` says why"))?;
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
    let manifest = folder.manifests.swap_remove(at);
    let spec = manifest.file.as_ref().and_then(|file| OutsideSpec::of(file, &manifest.given));
    let spec = spec.ok_or_else(|| {
        Failure::config(format!("the module `{module}` names no server that can be reached; `candor check` says why"))
    })?;
    let address = address(&spec.run, &tokens_file(settings.store.data_folder(), module))
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
