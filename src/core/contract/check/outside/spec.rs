//! The program or server that the host starts for an outside module, read from its manifest.

use std::fmt;
use std::sync::Arc;

use crate::contract::check::findings::Findings;
use crate::contract::check::outside::run;
use crate::contract::check::settings;
use crate::contract::code::Given;
use crate::contract::manifest::{self, WrittenCommandValue, WrittenManifest};
use crate::contract::outside::{RunSpec, trial};
use crate::contract::services::ServiceName;
use crate::contract::spec::{HandlerKind, SettingSecrets, SettingVariables};
use crate::diagnostic::spanned::Spanned;
use crate::diagnostic::{Code, Diagnostics, SourceFile};
use crate::text::{in_code_spans, nearest};

/// Returns the kind that a manifest names, native by default. Returns `None` for an unknown kind.
pub(crate) fn kind(written: &WrittenManifest) -> Option<HandlerKind> {
    let Some(Spanned { value: word, .. }) = &written.kind else { return Some(HandlerKind::Native) };
    HandlerKind::named(word)
}

pub(super) fn check(written: &WrittenManifest, found: &mut Findings) {
    let Some(Spanned { value: word, span }) = &written.kind else { return };
    let names = HandlerKind::ALL.map(HandlerKind::name);
    if names.contains(&word.as_str()) {
        return;
    }
    let help = match nearest(word, names, 1).first() {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("write one of {}", in_code_spans(names)),
    };
    found.at(Code::ManifestValueInvalid, span).report(format!("there is no module of the kind `{word}`"), help);
}

/// The program or server to start for a module, and the probes to try it with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutsideSpec {
    /// The kind of module: exec or mcp.
    pub kind: HandlerKind,
    /// How to start it, and its limits.
    pub run: RunSpec,
    /// The environment variables that carry its settings.
    pub variables: SettingVariables,
    /// The secrets among its settings.
    pub secrets: SettingSecrets,
    /// The inputs to try a program with.
    pub probes: Vec<Probe>,
}

/// A test input for a program at start. The program must give a valid reply.
#[derive(Clone, PartialEq, Eq)]
pub struct Probe {
    /// The full name of the command: `/roll`.
    pub command: String,
    /// The program's standard input. It contains the settings, secrets included.
    pub input: Vec<u8>,
}

impl fmt::Debug for Probe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Probe").field("command", &self.command).finish_non_exhaustive()
    }
}

impl OutsideSpec {
    /// Reads the spec from a manifest and the operator's settings. Returns `None` if there is nothing to start or the
    /// manifest is invalid; the check reports why.
    pub fn of(file: &Arc<SourceFile>, given: &Given) -> Option<Self> {
        let mut written = manifest::read(file, &mut Diagnostics::default());
        written.switch_off(&given.names);
        let kind = kind(&written).filter(|kind| kind.is_outside())?;
        let mut found = Findings::new(Arc::clone(file), Diagnostics::default());
        let run = run::read(kind, &written, &given.trusted, &mut found)?;
        let specs = settings::declared(&written, kind, &mut found);
        let settings = given.settings.over_defaults(&specs);
        if found.finish().has_errors() {
            return None;
        }
        let is_asked = |service: &ServiceName| written.services.iter().any(|asked| asked.value == service.name());
        let services: Vec<_> = ServiceName::ALL.into_iter().filter(is_asked).collect();
        let mut probes = Vec::new();
        for command in &written.commands {
            let WrittenCommandValue::Table(body) = &command.value else { continue };
            for (path, leaf) in body.named_leaves(&command.key.value) {
                if let Some(probe) = &leaf.probe {
                    let input = trial(&path, &probe.value, &settings, &services);
                    probes.push(Probe { command: path, input });
                }
            }
        }
        let variables = settings.variables(&specs);
        let secrets = settings.secrets(&specs);
        Some(Self { kind, run, variables, secrets, probes })
    }
}
