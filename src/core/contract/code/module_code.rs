//! A module's code, looked up by the names its manifest uses.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::contract::code::handler::{BackgroundSource, Completer, Handler};
use crate::contract::code::native_module::NativeModule;
use crate::contract::manifest::CommandNames;
use crate::contract::spec::{HandlerKind, ModuleSettings};
use crate::inbound::ChannelId;

/// A module's code: handlers, completers and background source. Commands are plain data and refer to it by name.
#[derive(Clone, Debug, Default)]
pub struct ModuleCode {
    handlers: BTreeMap<String, Handler>,
    /// By handler, then by option.
    completers: BTreeMap<String, BTreeMap<String, Completer>>,
    background: Option<BackgroundSource>,
    settings: ModuleSettings,
    names: CommandNames,
    send_to: Arc<BTreeSet<ChannelId>>,
}

impl ModuleCode {
    /// The handler with that name.
    pub fn handler(&self, name: &str) -> Option<&Handler> {
        self.handlers.get(name)
    }

    /// The completer for that option of that handler.
    pub fn completer(&self, handler: &str, option: &str) -> Option<&Completer> {
        self.completers.get(handler)?.get(option)
    }

    /// The same code with these settings.
    pub(crate) fn with_settings(self, settings: ModuleSettings) -> Self {
        Self { settings, ..self }
    }

    /// The same code with these names for its commands: its handlers' replies say them. Those of text modules were made
    /// with them.
    pub(crate) fn with_names(mut self, names: &CommandNames, kind: HandlerKind) -> Self {
        if !names.is_empty() && kind != HandlerKind::Text {
            let named = |(name, handler): (String, Handler)| (name, handler.saying(names.clone()));
            self.handlers = self.handlers.into_iter().map(named).collect();
        }
        Self { names: names.clone(), ..self }
    }

    /// What the operator calls its commands.
    pub fn names(&self) -> &CommandNames {
        &self.names
    }

    /// The settings that it runs with.
    pub fn settings(&self) -> &ModuleSettings {
        &self.settings
    }

    /// The same code, which may send to these channels.
    pub(crate) fn sending_to(self, channels: BTreeSet<ChannelId>) -> Self {
        Self { send_to: Arc::new(channels), ..self }
    }

    /// The channels that it may send to.
    pub fn send_to(&self) -> &Arc<BTreeSet<ChannelId>> {
        &self.send_to
    }

    /// What tells the chat model about a caller, if the module does.
    pub fn background(&self) -> Option<&BackgroundSource> {
        self.background.as_ref()
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
