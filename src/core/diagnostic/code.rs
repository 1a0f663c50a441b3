//! The codes of diagnostics: one stable name per rule.

use std::fmt;

use crate::text::names;

macro_rules! codes {
    ($($(#[$doc:meta])+ $variant:ident = $name:literal, $severity:ident;)+) => {
        /// A rule that can be broken. The name never changes once released; each rule has a fixture.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $($(#[$doc])+ $variant,)+
        }

        impl Code {
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }

            pub fn severity(self) -> Severity {
                match self {
                    $(Self::$variant => Severity::$severity,)+
                }
            }
        }
    };
}

codes! {
    /// The settings file cannot be read.
    ConfigUnreadable = "config-unreadable", Error;
    /// The settings file is not TOML.
    ConfigSyntax = "config-syntax", Error;
    /// An unknown key in the settings.
    ConfigUnknownKey = "config-unknown-key", Error;
    /// A setting with the wrong type.
    ConfigWrongType = "config-wrong-type", Error;
    /// A setting whose value is out of range or malformed.
    ConfigValueInvalid = "config-value-invalid", Error;
    /// Settings that contradict each other, where one of them has no effect.
    ConfigContradiction = "config-contradiction", Warning;
    /// The modules folder cannot be read.
    ModulesUnreadable = "modules-unreadable", Error;
    /// A module's manifest cannot be read.
    ManifestUnreadable = "manifest-unreadable", Error;
    /// A folder in the modules folder without a manifest.
    ManifestMissing = "manifest-missing", Error;
    /// A manifest that is not TOML.
    ManifestSyntax = "manifest-syntax", Error;
    /// An unknown key in a manifest.
    ManifestUnknownKey = "manifest-unknown-key", Error;
    /// A value with the wrong type in a manifest.
    ManifestWrongType = "manifest-wrong-type", Error;
    /// A value in a manifest that its key does not accept: an unknown word, no id, a number out of range.
    ManifestValueInvalid = "manifest-value-invalid", Error;
    /// `default_member_permissions` without `contexts`: the rule for use outside of guilds is missing.
    ContextsMissing = "contexts-missing", Error;
    /// `[module] name` is missing, malformed or differs from the folder's name.
    ModuleNameInvalid = "module-name-invalid", Error;
    /// `[module] summary` is missing.
    ModuleSummaryMissing = "module-summary-missing", Error;
    /// A module that declares no command.
    ModuleEmpty = "module-empty", Warning;
    /// A service name that does not exist.
    ServiceUnknown = "service-unknown", Error;
    /// A service that only built-in commands may ask for.
    /// A service that the code calls and the manifest does not ask for.
    ServiceMissing = "service-missing", Error;
    /// A module that sends messages, and that the operator allows no channel.
    SendNowhere = "send-nowhere", Warning;
    /// An event that does not exist.
    EventUnknown = "event-unknown", Error;
    /// An event without a command of its module to run.
    EventCommand = "event-command", Error;
    /// A command with an option that the event cannot fill.
    EventOptions = "event-options", Error;
    /// A schedule without times, or with some that cannot be read or never come.
    ScheduleTimes = "schedule-times", Error;
    /// A schedule without a command of its module to run.
    ScheduleCommand = "schedule-command", Error;
    /// A scheduled command with a required option and no value for it.
    ScheduleOptions = "schedule-options", Error;
    /// An invalid host in `http_hosts`: an address, a path, an unknown form.
    HttpHostInvalid = "http-host-invalid", Error;
    /// The service `http` without hosts to read from.
    HttpHostsMissing = "http-hosts-missing", Error;
    /// Hosts to read from without the service `http`.
    HttpHostsUnused = "http-hosts-unused", Error;
    /// A command's key without its slash.
    CommandMissingSlash = "command-missing-slash", Error;
    /// A command that is only a handler's name instead of a table with description and handler.
    CommandBareHandler = "command-bare-handler", Error;
    /// Two commands with one name.
    CommandDuplicate = "command-duplicate", Error;
    /// A module claims the name of a built-in command.
    CommandReserved = "command-reserved", Error;
    /// Two context-menu commands with one name in the same menu.
    MenuDuplicate = "menu-duplicate", Error;
    /// A context-menu command that does not say whether it is for users or messages.
    MenuTypeMissing = "menu-type-missing", Error;
    /// More context-menu commands than Discord accepts.
    TooManyMenuEntries = "too-many-menu-entries", Error;
    /// A subcommand and a group with one name.
    SubcommandDuplicate = "subcommand-duplicate", Error;
    /// A group without a subcommand.
    GroupEmpty = "group-empty", Error;
    /// A command's texts are larger in total than Discord accepts.
    CommandTooLarge = "command-too-large", Error;
    /// More commands than Discord accepts.
    TooManyCommands = "too-many-commands", Error;
    /// More subcommands or groups than Discord accepts.
    TooManySubcommands = "too-many-subcommands", Error;
    /// More options than Discord accepts.
    TooManyOptions = "too-many-options", Error;
    /// More choices than Discord accepts.
    TooManyChoices = "too-many-choices", Error;
    /// A name that Discord refuses.
    NameInvalid = "name-invalid", Error;
    /// A locale that Discord does not know.
    LocaleUnknown = "locale-unknown", Error;
    /// A localized name that another item of the same list also has.
    LocalizedNameDuplicate = "localized-name-duplicate", Error;
    /// No description.
    DescriptionMissing = "description-missing", Error;
    /// A description that is too long.
    DescriptionLength = "description-length", Error;
    /// A description or summary that contains a line break or another control character.
    TextInvalid = "text-invalid", Error;
    /// A command without a handler.
    HandlerMissing = "handler-missing", Error;
    /// A command with subcommands that also has a handler or options.
    HandlerOnParent = "handler-on-parent", Error;
    /// A handler name that no code implements.
    HandlerNotFound = "handler-not-found", Error;
    /// A handler that no command declares.
    HandlerUnused = "handler-unused", Error;
    /// Manifest and handler signature disagree about the options.
    HandlerSignatureMismatch = "handler-signature-mismatch", Error;
    /// The handler takes a type that Discord has no option for.
    SignatureUnsupported = "signature-unsupported", Error;
    /// A required option after an optional one.
    OptionOrder = "option-order", Error;
    /// Bounds outside Discord's limits, or a minimum above its maximum.
    OptionBounds = "option-bounds", Error;
    /// A choice that is empty, too long or duplicated.
    ChoiceInvalid = "choice-invalid", Error;
    /// An option that a modal cannot ask for, or more options than a modal accepts.
    FormInvalid = "form-invalid", Error;
    /// A private option whose value could be guessed from its digest.
    PrivateInvalid = "private-invalid", Error;
    /// A private option in a module whose scheduled calls are stored with their arguments.
    PrivateKept = "private-kept", Error;
    /// A tool that needs an option no chat model can provide: a user, a channel, a role or a file.
    ToolOptionUnreachable = "tool-option-unreachable", Error;
    /// `tool_options` names an option that the command does not have.
    ToolOptionUnknown = "tool-option-unknown", Error;
    /// A tool name that the chat model's API refuses, or that has a special meaning there.
    ToolNameInvalid = "tool-name-invalid", Error;
    /// Two tools with one name.
    ToolNameDuplicate = "tool-name-duplicate", Error;
    /// A tool key on a command that is not a tool.
    ToolKeyWithoutTool = "tool-key-without-tool", Error;
    /// A tool's description for the model is empty or too long.
    ToolDescriptionLength = "tool-description-length", Error;
    /// A key of an earlier version that has no effect.
    NoLongerUsed = "no-longer-used", Warning;
    /// `autocomplete` together with choices or without a completer, or a completer without `autocomplete`.
    AutocompleteMismatch = "autocomplete-mismatch", Error;
    /// A key that means nothing in a module of this kind.
    KeyOfOtherKind = "key-of-other-kind", Error;
    /// A text module's command without a reply.
    ReplyMissing = "reply-missing", Error;
    /// A placeholder that is neither an option nor known otherwise, or an unmatched brace.
    PlaceholderUnknown = "placeholder-unknown", Error;
    /// An invalid declaration of a setting in a module's manifest.
    SettingInvalid = "setting-invalid", Error;
    /// A required setting of a module without a value.
    SettingMissing = "setting-missing", Error;
    /// A native module whose code reads other settings than its manifest declares.
    SettingMismatch = "setting-mismatch", Error;
    /// `[run]` does not say which program to start.
    RunInvalid = "run-invalid", Error;
    /// A right of a program that the settings file does not grant its module.
    RightNotTrusted = "right-not-trusted", Error;
    /// A program that asks to read the bot's own secrets or data.
    ReadsForbidden = "reads-forbidden", Error;
    /// A command of a program without a probe at start.
    ProbeMissing = "probe-missing", Warning;
    /// A probe of a command that changes something.
    ProbeWrites = "probe-writes", Error;
    /// A module whose program or MCP server was not started, because the check is offline.
    NotStarted = "not-started", Warning;
    /// A program that does not exist or cannot be started.
    ProgramUnusable = "program-unusable", Error;
    /// A program that did not answer its probe, or not with a reply.
    ProbeFailed = "probe-failed", Error;
    /// The sandbox that a program requires is not available.
    SandboxUnavailable = "sandbox-unavailable", Error;
    /// An MCP server that does not start or does not speak the protocol.
    ServerUnusable = "server-unusable", Error;
    /// An imported tool that cannot be a command.
    ToolUnusable = "tool-unusable", Warning;
    /// An argument of a tool that Discord has no option for. It is never sent.
    ArgumentLeftOut = "argument-left-out", Warning;
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

names! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Severity {
        /// Worth knowing; the bot still starts.
        Warning = "warning",
        /// The bot does not start, or starts without the module.
        Error = "error",
    }
}
