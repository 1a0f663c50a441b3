//! Validated commands: their names, options, handlers and terms.

mod availability;
mod command;
mod event;
mod leaf;
mod localized;
mod narrowed;
mod option;
mod owner;
mod policy;
mod press;
mod schedule;
mod setting;
mod written_at;

pub use availability::{Install, InteractionContext};
pub use command::{Command, CommandKind, Group, Subcommand};
pub use event::{EventHook, EventKind};
pub use leaf::{HandlerKind, HandlerRef, Leaf, ToolSpec, tool_name};
pub use localized::Localized;
pub use option::{Choice, OptionKind, OptionSpec};
pub use owner::Owner;
pub use policy::{Cooldowns, Policy};
pub(crate) use press::press;
pub use press::{MODAL_INPUTS_MAX, Press, RequiredOption};
pub use schedule::Schedule;
pub use setting::{
    ModuleSettings, SECRET_ENDINGS, SETTING_LENGTH_MAX, SettingKind, SettingSecrets, SettingSpec, SettingVariables,
    SettingsUnreadable, is_named_like_secret, setting_text,
};
pub use written_at::WrittenAt;
