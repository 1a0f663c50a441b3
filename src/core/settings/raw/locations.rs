//! The positions of settings that refer to something outside the file.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;

use crate::contract::TrustedRights;
use crate::diagnostic::spanned::Spanned;
use crate::diagnostic::{Code, Diagnostic, Location, SourceFile};
use crate::inbound::ChannelId;

/// The positions of settings that refer to something outside the file, as far as they are given.
#[derive(Clone, Debug)]
pub struct SettingLocations {
    /// The file, with secrets masked.
    file: Arc<SourceFile>,
    /// The items of `[modules] disabled`.
    pub disabled: Vec<Spanned<String>>,
    /// `[store] path`
    pub store_path: Option<Spanned<PathBuf>>,
    /// `[store] url_file`
    pub url_file: Option<Spanned<PathBuf>>,
    /// `[status] file`
    pub status_file: Option<Spanned<PathBuf>>,
    /// `key_file` of each server of models, with the name of the setting: `model.key_file`.
    pub key_files: Vec<(String, Spanned<PathBuf>)>,
    /// `[admin] page_token_file`
    pub page_token_file: Option<Spanned<PathBuf>>,
    /// The items of `[chat] write_tools`, each as looked up.
    pub write_tools: Vec<Spanned<String>>,
    /// The items of `tools` in all of `[chat.places]`, each as looked up.
    pub place_tools: Vec<Spanned<String>>,
    /// The names of models elsewhere than at their servers: each `model` in `[chat.places]`, and `[chat] fallbacks`.
    pub(super) named_models: Vec<Spanned<String>>,
    /// The names of the tables of `[permissions]`, each as looked up.
    pub permissions: Vec<Spanned<String>>,
    /// The tables of `[modules.settings]`.
    pub module_settings: Vec<GivenTable>,
    /// The tables of `[modules.commands]`.
    pub module_commands: Vec<GivenTable>,
    /// `[modules.send_to]`
    pub send_to: Vec<SendTo>,
    /// The keys of `[modules.http_hosts]`.
    pub http_hosts: Vec<GivenHosts>,
    /// The tables of `[modules.trusted]`.
    pub trusted: Vec<TrustedModule>,
}

/// `[modules.settings.<module>]` or `[modules.commands.<module>]`: what an operator gives for the settings of a module,
/// or for the names of its commands. Nothing is known of them here: what there is stands in the module's manifest.
#[derive(Clone, Debug)]
pub struct GivenTable {
    /// The module's name.
    pub module: Spanned<String>,
    /// Each key with its value; `None` if that has no form in JSON, as a date.
    pub values: Vec<(Spanned<String>, Spanned<Option<Value>>)>,
}

/// An entry of `[modules.send_to]`: the channels that an operator lets a module send to.
#[derive(Clone, Debug)]
pub struct SendTo {
    /// The module's name.
    pub module: Spanned<String>,
    /// The channels.
    pub channels: BTreeSet<ChannelId>,
}

/// `[modules.http_hosts] MODULE = […]`: the hosts from which the operator lets a module read.
#[derive(Clone, Debug)]
pub struct GivenHosts {
    /// The module's name.
    pub module: Spanned<String>,
    /// The hosts, each as [`host_name`](crate::contract::host_name) has it or `*`.
    pub hosts: Vec<Spanned<String>>,
}

/// `[modules.trusted.<module>]`: the rights that an operator grants the program of a module.
#[derive(Clone, Debug)]
pub struct TrustedModule {
    /// The module's name.
    pub module: Spanned<String>,
    /// The rights.
    pub rights: TrustedRights,
}

impl SettingLocations {
    /// No position in this file yet.
    pub(super) fn none_in(file: &Arc<SourceFile>) -> Self {
        Self {
            file: Arc::clone(file),
            disabled: Vec::new(),
            store_path: None,
            url_file: None,
            status_file: None,
            key_files: Vec::new(),
            page_token_file: None,
            write_tools: Vec::new(),
            place_tools: Vec::new(),
            named_models: Vec::new(),
            permissions: Vec::new(),
            module_settings: Vec::new(),
            module_commands: Vec::new(),
            send_to: Vec::new(),
            http_hosts: Vec::new(),
            trusted: Vec::new(),
        }
    }

    /// Sets the copy of the file that problems show.
    pub(super) fn show(&mut self, masked: &Arc<SourceFile>) {
        self.file = Arc::clone(masked);
    }

    /// The path of the settings file.
    pub fn file(&self) -> &str {
        &self.file.path
    }

    /// A problem with a valid setting that does not fit something outside the file.
    pub fn problem(&self, span: Range<usize>, message: String, help: String) -> Diagnostic {
        let place = Location { file: Arc::clone(&self.file), span, label: String::new(), also: None };
        Diagnostic { code: Code::ConfigValueInvalid, message, place, help }
    }
}
