//! The rules, each with a stable code.

use std::fmt;

use crate::diagnostic::Severity;

macro_rules! codes {
    ($($(#[$doc:meta])+ $variant:ident = $name:literal, $severity:ident;)+) => {
        /// A rule that can be broken. The name never changes once released; each has a fixture.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $($(#[$doc])+ $variant,)+
        }

        impl Code {
            /// Every code.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The stable name.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }

            /// How bad it is to break this rule.
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
    /// A key of the settings that nobody reads.
    ConfigUnknownKey = "config-unknown-key", Error;
    /// A setting of a wrong type.
    ConfigWrongType = "config-wrong-type", Error;
    /// A setting outside its range or form.
    ConfigValueInvalid = "config-value-invalid", Error;
    /// The modules folder cannot be read.
    ModulesUnreadable = "modules-unreadable", Error;
    /// A module's manifest cannot be read.
    ManifestUnreadable = "manifest-unreadable", Error;
    /// A folder in the modules folder without a manifest.
    ManifestMissing = "manifest-missing", Error;
    /// A manifest that is not TOML.
    ManifestSyntax = "manifest-syntax", Error;
    /// A key of a manifest that nobody reads.
    ManifestUnknownKey = "manifest-unknown-key", Error;
    /// A value of a wrong type in a manifest.
    ManifestWrongType = "manifest-wrong-type", Error;
    /// A value in a manifest that its key does not take: an unknown word, no id, a number out of range.
    ManifestValueInvalid = "manifest-value-invalid", Error;
    /// `[module] name` is missing, malformed or not the folder's name.
    ModuleNameInvalid = "module-name-invalid", Error;
    /// `[module] summary` is missing.
    ModuleSummaryMissing = "module-summary-missing", Error;
    /// A module that declares no command.
    ModuleEmpty = "module-empty", Warning;
    /// A service that does not exist.
    ServiceUnknown = "service-unknown", Error;
    /// A service that only the harness may ask for.
    ServiceReserved = "service-reserved", Error;
    /// A service that the code calls and the manifest does not ask for.
    ServiceMissing = "service-missing", Error;
    /// A command's key without its slash.
    CommandMissingSlash = "command-missing-slash", Error;
    /// A command that is a bare handler instead of a table with description and handler.
    CommandBareHandler = "command-bare-handler", Error;
    /// Two owners of one name.
    CommandDuplicate = "command-duplicate", Error;
    /// A module claims a harness command.
    CommandReserved = "command-reserved", Error;
    /// Two entries of one name in one menu.
    MenuDuplicate = "menu-duplicate", Error;
    /// An entry that does not say in whose menu it stands.
    MenuTypeMissing = "menu-type-missing", Error;
    /// More entries in a menu than Discord takes.
    TooManyMenuEntries = "too-many-menu-entries", Error;
    /// A subcommand and a group of one name.
    SubcommandDuplicate = "subcommand-duplicate", Error;
    /// A group without a subcommand.
    GroupEmpty = "group-empty", Error;
    /// A command or its whole text is larger than Discord takes.
    CommandTooLarge = "command-too-large", Error;
    /// More commands than Discord takes.
    TooManyCommands = "too-many-commands", Error;
    /// More subcommands or groups than Discord takes.
    TooManySubcommands = "too-many-subcommands", Error;
    /// More options than Discord takes.
    TooManyOptions = "too-many-options", Error;
    /// More choices than Discord takes.
    TooManyChoices = "too-many-choices", Error;
    /// A name that Discord refuses.
    NameInvalid = "name-invalid", Error;
    /// A language that Discord does not know.
    LocaleUnknown = "locale-unknown", Error;
    /// A name in another language that something beside it has as well.
    LocalizedNameDuplicate = "localized-name-duplicate", Error;
    /// No description.
    DescriptionMissing = "description-missing", Error;
    /// A description that is too long.
    DescriptionLength = "description-length", Error;
    /// A description or a summary with a line break or another control character in it.
    TextInvalid = "text-invalid", Error;
    /// A command without a handler.
    HandlerMissing = "handler-missing", Error;
    /// A command with subcommands that also has a handler or options of its own.
    HandlerOnParent = "handler-on-parent", Error;
    /// A handler that no code implements.
    HandlerNotFound = "handler-not-found", Error;
    /// A handler that no command declares.
    HandlerUnused = "handler-unused", Error;
    /// Manifest and handler disagree about the options.
    HandlerSignatureMismatch = "handler-signature-mismatch", Error;
    /// The handler takes something that Discord has no option for.
    SignatureUnsupported = "signature-unsupported", Error;
    /// A required option behind an optional one.
    OptionOrder = "option-order", Error;
    /// Bounds outside Discord's, or a minimum above its maximum.
    OptionBounds = "option-bounds", Error;
    /// A choice that is empty, too long or given twice.
    ChoiceInvalid = "choice-invalid", Error;
    /// An option that no form can ask for, or more of them than a form takes.
    FormInvalid = "form-invalid", Error;
    /// A tool that needs what no chat model can give: a user, a channel, a role or a file.
    ToolOptionUnreachable = "tool-option-unreachable", Error;
    /// A tool's name that the chat model's API refuses, or that means something else there.
    ToolNameInvalid = "tool-name-invalid", Error;
    /// Two tools of one name.
    ToolNameDuplicate = "tool-name-duplicate", Error;
    /// A key about tools on a command that is none.
    ToolKeyWithoutTool = "tool-key-without-tool", Error;
    /// Words that no reply is searched for, or too many of them.
    ClaimInvalid = "claim-invalid", Error;
    /// Autocomplete beside choices, or without a completer, or a completer without it.
    AutocompleteMismatch = "autocomplete-mismatch", Error;
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
