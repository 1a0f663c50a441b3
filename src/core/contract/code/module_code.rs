//! A module's code, looked up by the names its manifest uses.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::contract::code::handler::{BackgroundSource, Completer, Handler};
use crate::contract::code::native_module::NativeModule;
use crate::contract::manifest::CommandNames;
use crate::contract::services::SendPolicy;
use crate::contract::spec::{HandlerKind, ModuleSettings, SettingSpec};

/// A module's code: handlers, completers and background source. Commands are plain data and refer to it by name.
#[derive(Clone, Default)]
pub struct ModuleCode {
    handlers: BTreeMap<String, Handler>,
    /// By handler name, then by option name.
    completers: BTreeMap<String, BTreeMap<String, Completer>>,
    background: Option<BackgroundSource>,
    settings: ModuleSettings,
    per_server: Vec<PerServer>,
    names: CommandNames,
    send_to: Arc<SendPolicy>,
}

/// A setting that guild administrators may set, unless the operator did.
#[derive(Clone, Debug, PartialEq)]
pub struct PerServer {
    /// The setting's declaration.
    pub spec: SettingSpec,
    /// Whether the operator gave a value, which takes precedence.
    pub is_operators: bool,
}

impl ModuleCode {
    /// Returns the handler with that name.
    pub fn handler(&self, name: &str) -> Option<&Handler> {
        self.handlers.get(name)
    }

    /// Returns the completer for that option of that handler.
    pub fn completer(&self, handler: &str, option: &str) -> Option<&Completer> {
        self.completers.get(handler)?.get(option)
    }

    /// Sets the settings. Guilds may override those in `per_server`.
    pub(crate) fn with_settings(self, settings: ModuleSettings, per_server: Vec<PerServer>) -> Self {
        Self { settings, per_server, ..self }
    }

    /// Sets the operator's command names and applies them to handler replies. Replies of text modules already contain
    /// them.
    pub(crate) fn with_names(mut self, names: &CommandNames, kind: HandlerKind) -> Self {
        if !names.is_empty() && kind != HandlerKind::Text {
            let named = |(name, handler): (String, Handler)| (name, handler.saying(names.clone()));
            self.handlers = self.handlers.into_iter().map(named).collect();
        }
        Self { names: names.clone(), ..self }
    }

    /// Returns the operator's names for its commands.
    pub fn names(&self) -> &CommandNames {
        &self.names
    }

    /// Returns the settings in force where administrators set none.
    pub fn settings(&self) -> &ModuleSettings {
        &self.settings
    }

    /// Returns the settings that guild administrators may set.
    pub fn per_server(&self) -> &[PerServer] {
        &self.per_server
    }

    /// Returns the settings in force where administrators wrote these values. Values that they may not set, or that do
    /// not fit, are ignored.
    pub fn settings_where<'a>(&self, written: impl Iterator<Item = (&'a str, &'a str)>) -> ModuleSettings {
        self.settings.with(written.filter_map(|(name, text)| {
            let PerServer { spec, .. } =
                self.per_server.iter().find(|setting| setting.spec.name == name && !setting.is_operators)?;
            Some((name.to_owned(), spec.read(text)?))
        }))
    }

    /// Sets the channels that it may send to.
    pub(crate) fn sending_to(self, policy: SendPolicy) -> Self {
        Self { send_to: Arc::new(policy), ..self }
    }

    /// Returns the channels that the operator lets it send to.
    pub fn send_to(&self) -> &Arc<SendPolicy> {
        &self.send_to
    }

    /// Returns the source of prompt entries about a caller, if the module has one.
    pub fn background(&self) -> Option<&BackgroundSource> {
        self.background.as_ref()
    }
}

impl fmt::Debug for ModuleCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModuleCode").field("handlers", &self.handlers).finish_non_exhaustive()
    }
}

impl FromIterator<Handler> for ModuleCode {
    fn from_iter<I: IntoIterator<Item = Handler>>(handlers: I) -> Self {
        let handlers = handlers.into_iter().map(|handler| (handler.name().to_owned(), handler)).collect();
        Self { handlers, ..Self::default() }
    }
}

impl From<NativeModule> for ModuleCode {
    fn from(module: NativeModule) -> Self {
        let mut code: Self = module.handlers.into_iter().map(|native| native.handler).collect();
        for native in module.completers {
            code.completers.entry(native.handler).or_default().insert(native.option, native.completer);
        }
        Self { background: module.background, ..code }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::contract::spec::SettingKind;

    #[test]
    fn what_administrators_write_counts_where_they_may_write_it_and_it_fits() {
        let setting = |name: &str, is_operators| PerServer {
            spec: SettingSpec {
                name: name.to_owned(),
                kind: SettingKind::Integer { min: 1, max: 9 },
                required: false,
                default: None,
                env: None,
                per_server: true,
            },
            is_operators,
        };
        let of_all = json!({ "days": 3, "hours": 5, "weeks": 1 });
        let code = ModuleCode::default().with_settings(
            ModuleSettings::new(of_all.as_object().unwrap().clone()),
            vec![setting("days", false), setting("hours", true), setting("unset", false)],
        );
        let cases = [
            ([("days", "4"), ("unset", "2")], json!({ "days": 4, "hours": 5, "weeks": 1, "unset": 2 })),
            ([("days", "10"), ("hours", "6")], of_all.clone()),
            ([("weeks", "2"), ("years", "2")], of_all),
        ];
        for (written, expected) in cases {
            let here = code.settings_where(written.into_iter());
            assert_eq!(json!(here.values()), expected, "{written:?}");
        }
        assert_eq!(code.settings_where(std::iter::empty()), *code.settings());
    }
}
