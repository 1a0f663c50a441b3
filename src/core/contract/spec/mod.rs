//! Validated commands: their names, options, handlers and terms.

mod command;
mod event;
mod leaf;
mod option;
mod origin;
mod policy;
mod press;
mod setting;

pub use command::{Command, CommandKind, Group, Subcommand};
pub use event::{EventHook, EventKind, Schedule};
pub use leaf::{HandlerKind, HandlerRef, Leaf, ToolSpec, tool_name};
pub use option::{Choice, Localized, OptionKind, OptionSpec};
pub use origin::{Owner, WrittenAt};
pub use policy::{Cooldowns, Install, InteractionContext, Policy};
pub(crate) use press::press;
pub use press::{MODAL_INPUTS_MAX, Press, RequiredOption};
pub use setting::{
    ModuleSettings, SECRET_ENDINGS, SETTING_LENGTH_MAX, SettingKind, SettingSecrets, SettingSpec, SettingVariables,
    SettingsUnreadable, is_named_like_secret, setting_text,
};
