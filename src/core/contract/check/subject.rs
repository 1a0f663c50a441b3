//! The subject of a check: a module, one of its commands or subcommands, or an option.

use std::ops::Range;
use std::sync::Arc;

use crate::contract::check::declared_names::Declaration;
use crate::contract::code::given::Given;
use crate::contract::code::native_module::{NativeHandler, NativeModule};
use crate::contract::outside::Started;
use crate::contract::spec::{HandlerKind, OptionKind, Owner};
use crate::diagnostic::SourceFile;
use crate::inbound::CommandPath;

/// A manifest found on disk. It replaces the built-in manifest with the same folder name.
#[derive(Clone, Debug)]
pub struct Manifest {
    /// The folder's name.
    pub folder: String,
    /// The file. `None` if it exists but cannot be read, which is already reported; the module is then rejected.
    pub file: Option<Arc<SourceFile>>,
    /// What came of starting it, if it has a program or a server.
    pub started: Option<Started>,
    /// What the operator gives it.
    pub given: Given,
}

impl Manifest {
    /// A manifest of which nothing more is known.
    pub fn new(folder: impl Into<String>, file: Option<Arc<SourceFile>>) -> Self {
        Self { folder: folder.into(), file, started: None, given: Given::default() }
    }
}

/// A module to be checked: a manifest, and the code behind it.
pub(crate) struct Candidate {
    pub(crate) code: NativeModule,
    /// `None` if it cannot be read.
    pub(crate) file: Option<Arc<SourceFile>>,
    pub(crate) standing: Standing,
    /// What answers its commands.
    pub(crate) kind: HandlerKind,
    /// Its manifest names a kind that it cannot have: nothing follows from its handlers.
    pub(crate) has_wrong_kind: bool,
    /// What came of starting it.
    pub(crate) started: Option<Started>,
    /// What the operator gives it.
    pub(crate) given: Given,
}

/// How a module is provided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// The built-in commands: they may use reserved names and every service.
    Builtin,
    /// A compiled-in module.
    Compiled,
    /// A manifest on disk with no code.
    WithoutCode,
}

impl Candidate {
    pub(crate) fn builtin(code: NativeModule) -> Self {
        Self::new(Some(Arc::new(code.manifest.clone())), code, Standing::Builtin)
    }

    pub(crate) fn compiled(code: NativeModule, on_disk: Option<Manifest>) -> Self {
        let own = || (Some(Arc::new(code.manifest.clone())), code.given.clone());
        let (file, given) = on_disk.map_or_else(own, |manifest| (manifest.file, manifest.given));
        Self { given, ..Self::new(file, code, Standing::Compiled) }
    }

    fn new(file: Option<Arc<SourceFile>>, code: NativeModule, standing: Standing) -> Self {
        let given = Given::default();
        Self { code, file, standing, kind: HandlerKind::Native, has_wrong_kind: false, started: None, given }
    }

    pub(crate) fn without_code(manifest: Manifest) -> Self {
        let code = NativeModule::new(&manifest.folder, "");
        let (started, given) = (manifest.started, manifest.given);
        Self { started, given, ..Self::new(manifest.file, code, Standing::WithoutCode) }
    }

    /// The handler with that name. Of two with one name the first counts; the second is reported as unused.
    pub(crate) fn handler(&self, name: &str) -> Option<&NativeHandler> {
        self.code.handlers.iter().find(|handler| handler.name == name)
    }

    /// A name that this module declares at `span` of `file`.
    pub(crate) fn declaration(&self, file: &Arc<SourceFile>, span: &Range<usize>) -> Declaration {
        Declaration { owner: self.owner(), file: Arc::clone(file), span: span.clone() }
    }

    pub(crate) fn owner(&self) -> Owner {
        match self.standing {
            Standing::Builtin => Owner::Builtin,
            Standing::Compiled | Standing::WithoutCode => Owner::Module(self.code.folder.clone()),
        }
    }
}

/// The command or subcommand that is being checked.
pub(crate) struct Part {
    /// Its full name.
    pub(crate) path: CommandPath,
    /// Its key.
    pub(crate) span: Range<usize>,
}

impl Part {
    /// Its full name in backticks.
    pub(crate) fn title(&self) -> String {
        format!("`{}`", self.path)
    }
}

/// Where an option is declared, for reporting its problems.
pub(crate) struct OptionSite<'a> {
    /// The handler's name.
    pub(crate) handler: &'a str,
    /// The header of the command's table, without brackets.
    pub(crate) path: &'a str,
    /// The option's key in the manifest, or the handler's name if the manifest does not mention the option.
    pub(crate) span: &'a Range<usize>,
}

/// The manifest's word for an option kind.
pub(crate) fn type_word(kind: &OptionKind) -> &'static str {
    match kind {
        OptionKind::String { .. } => "string",
        OptionKind::Integer { .. } => "integer",
        OptionKind::Number { .. } => "number",
        OptionKind::Boolean => "boolean",
        OptionKind::User => "user",
        OptionKind::Channel { .. } => "channel",
        OptionKind::Role => "role",
        OptionKind::Mentionable => "mentionable",
        OptionKind::Attachment => "attachment",
        OptionKind::Message => "message",
    }
}

/// The name in a key of `[commands]`, which should begin with a slash.
pub(crate) fn bare_name(key: &str) -> &str {
    key.strip_prefix('/').unwrap_or(key)
}
