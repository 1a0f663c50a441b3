//! The positions of settings in their file.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;

use crate::contract::TrustedRights;
use crate::diagnostic::spanned::Spanned;
use crate::diagnostic::{Code, Diagnostic, Location, SourceFile};
use crate::inbound::ChannelId;

/// The positions of settings that refer to something outside the file, if they are given.
#[derive(Clone, Debug)]
pub struct SettingLocations {
    /// The file, with secrets masked.
    file: Arc<SourceFile>,
    /// The items of `[modules] disabled`.
    pub disabled: Vec<Spanned<String>>,
    pub store_path: Option<Spanned<PathBuf>>,
    /// `[store] url_file`
    pub url_file: Option<Spanned<PathBuf>>,
    pub status_file: Option<Spanned<PathBuf>>,
    /// `key_file` of each provider, with the name of the setting: `model.key_file`.
    pub key_files: Vec<(String, Spanned<PathBuf>)>,
    pub receipt_key_file: Option<Spanned<PathBuf>>,
    /// `[admin] page_token_file`
    pub page_token_file: Option<Spanned<PathBuf>>,
    /// The items of `[chat] write_tools`, normalized for look-up.
    pub write_tools: Vec<Spanned<String>>,
    /// The items of `tools` in all of `[chat.places]`, normalized for look-up.
    pub place_tools: Vec<Spanned<String>>,
    /// References to models outside the providers' sections: each `model` in `[chat.places]`, and `[chat] fallbacks`.
    pub(super) named_models: Vec<Spanned<String>>,
    /// The names of the tables of `[permissions]`, normalized for look-up.
    pub permissions: Vec<Spanned<String>>,
    pub module_settings: Vec<GivenTable>,
    pub module_commands: Vec<GivenTable>,
    /// `[modules.send_to]`
    pub send_to: Vec<SendTo>,
    /// The keys of `[modules.http_hosts]`.
    pub http_hosts: Vec<GivenHosts>,
    /// The tables of `[modules.trusted]`.
    pub trusted: Vec<TrustedModule>,
}

/// `[modules.settings.<module>]` or `[modules.commands.<module>]`: the operator's values for a module's settings, or
/// for the names of its commands. They are not checked here, because only the module's manifest defines the valid keys.
#[derive(Clone, Debug)]
pub struct GivenTable {
    pub module: Spanned<String>,
    /// Each key with its value; `None` for a value without a JSON form, such as a date.
    pub values: Vec<(Spanned<String>, Spanned<Option<Value>>)>,
}

/// An entry of `[modules.send_to]`: the channels that an operator lets a module send to.
#[derive(Clone, Debug)]
pub struct SendTo {
    pub module: Spanned<String>,
    pub channels: BTreeSet<ChannelId>,
}

/// `[modules.http_hosts] MODULE = […]`: the hosts from which the operator lets a module read.
#[derive(Clone, Debug)]
pub struct GivenHosts {
    pub module: Spanned<String>,
    /// The hosts, each in the form of [`host_name`](crate::contract::host_name) or `*`.
    pub hosts: Vec<Spanned<String>>,
}

/// `[modules.trusted.<module>]`: the rights that an operator grants the program of a module.
#[derive(Clone, Debug)]
pub struct TrustedModule {
    pub module: Spanned<String>,
    pub rights: TrustedRights,
}

impl SettingLocations {
    pub(super) fn none_in(file: &Arc<SourceFile>) -> Self {
        Self {
            file: Arc::clone(file),
            disabled: Vec::new(),
            store_path: None,
            url_file: None,
            status_file: None,
            key_files: Vec::new(),
            receipt_key_file: None,
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

    /// Sets the copy of the file that diagnostics show.
    pub(super) fn show(&mut self, masked: &Arc<SourceFile>) {
        self.file = Arc::clone(masked);
    }

    pub fn file(&self) -> &str {
        &self.file.path
    }

    /// Builds a diagnostic for a valid setting that does not fit something outside the file.
    pub fn problem(&self, span: Range<usize>, message: String, help: String) -> Diagnostic {
        let place = Location { file: Arc::clone(&self.file), span, label: String::new(), also: None };
        Diagnostic { code: Code::ConfigValueInvalid, message, place, help }
    }
}
