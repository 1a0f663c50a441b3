//! The subject of a check: a module, one of its commands or subcommands, or an option.

use std::ops::Range;
use std::sync::Arc;

use crate::contract::check::declared_names::Declaration;
use crate::contract::code::Given;
use crate::contract::code::{NativeHandler, NativeModule};
use crate::contract::outside::Started;
use crate::contract::spec::{HandlerKind, OptionKind, Owner};
use crate::diagnostic::SourceFile;
use crate::inbound::CommandPath;

/// A manifest found on disk. It replaces the built-in manifest with the same folder name.
#[derive(Clone, Debug)]
pub struct Manifest {
    /// The folder's name.
    pub folder: String,
    /// The file. `None` if it exists but cannot be read. The reader already reported that, and the module is rejected.
    pub file: Option<Arc<SourceFile>>,
    /// The result of starting its program or server, if it has one.
    pub started: Option<Started>,
    /// The operator's settings for it.
    pub given: Given,
}

impl Manifest {
    /// Creates a manifest without a started program or operator settings.
    pub fn new(folder: impl Into<String>, file: Option<Arc<SourceFile>>) -> Self {
        Self { folder: folder.into(), file, started: None, given: Given::default() }
    }
}

pub(crate) struct Candidate {
    pub(crate) code: NativeModule,
    /// `None` if the file cannot be read.
    pub(crate) file: Option<Arc<SourceFile>>,
    pub(crate) standing: Standing,
    pub(crate) kind: HandlerKind,
    /// Whether its manifest names a kind that it cannot have. Its handlers are then not checked.
    pub(crate) has_wrong_kind: bool,
    pub(crate) started: Option<Started>,
    pub(crate) given: Given,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// The built-in commands. They may use reserved names and every service.
    Builtin,
    Compiled,
    /// A manifest on disk without compiled-in code.
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
        let started = manifest.started;
        let given = manifest.given;
        Self { started, given, ..Self::new(manifest.file, code, Standing::WithoutCode) }
    }

    /// Returns the handler with that name. If two share a name, the first counts, and the second is reported as unused.
    pub(crate) fn handler(&self, name: &str) -> Option<&NativeHandler> {
        self.code.handlers.iter().find(|handler| handler.name == name)
    }

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

pub(crate) struct Part {
    pub(crate) path: CommandPath,
    /// The position of its key.
    pub(crate) span: Range<usize>,
}

impl Part {
    pub(crate) fn title(&self) -> String {
        format!("`{}`", self.path)
    }
}

/// The place of an option, for reporting its problems.
pub(crate) struct OptionSite<'a> {
    pub(crate) handler: &'a str,
    /// The header of the command's table, without brackets.
    pub(crate) path: &'a str,
    /// The option's key in the manifest. If the manifest does not mention the option, the handler's name.
    pub(crate) span: &'a Range<usize>,
}

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

/// Returns a key of `[commands]` without its slash.
pub(crate) fn bare_name(key: &str) -> &str {
    key.strip_prefix('/').unwrap_or(key)
}
