//! A finding of a check, and what follows from it.

use std::ops::Range;

use serde_json::{Map, Value};

use crate::agent::tools::OfferedTool;
use crate::record::{GuardFinding, OfferedRun, StrippedKind};

/// The most calls of a reply that are compared with what ran and offered, and the most made-up results: each compiles
/// schemas. All of them are taken out.
pub(super) const CALLS_MAX: usize = 64;

/// One thing that a check found, and what follows from it.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Finding {
    /// What is counted.
    pub(super) counted: Option<GuardFinding>,
    /// The piece that is taken out, in bytes, and as what it is kept. What belongs to a piece before it is not kept
    /// once more.
    pub(super) cut: Option<(Range<usize>, Option<StrippedKind>)>,
    /// The host's line under the reply.
    pub(super) line: Option<String>,
    /// The command that the person may run.
    pub(super) offer: Option<OfferedRun>,
}

impl Finding {
    /// Something that is counted.
    pub(super) fn counted(finding: GuardFinding) -> Self {
        Self { counted: Some(finding), ..Self::default() }
    }

    /// A line of the host.
    pub(super) fn line(line: String) -> Self {
        Self { line: Some(line), ..Self::default() }
    }

    /// A command that the person may run. Its arguments fit the tool: see [`fitting`].
    pub(super) fn offer(tool: &OfferedTool, arguments: Map<String, Value>) -> Self {
        let offer = OfferedRun { command: tool.path.to_string(), arguments, writes: tool.writes };
        Self { offer: Some(offer), ..Self::default() }
    }

    /// The same, and this piece is taken out.
    pub(super) fn cutting(self, span: Range<usize>, kind: Option<StrippedKind>) -> Self {
        Self { cut: Some((span, kind)), ..self }
    }
}

/// The arguments that the tool knows and that are what it takes. A person fills in the others.
pub(super) fn fitting(tool: &OfferedTool, arguments: Map<String, Value>) -> Map<String, Value> {
    let known = tool.schema.get("properties").and_then(Value::as_object);
    let fits = |key: &str, value: &Value| {
        let schema = known.and_then(|known| known.get(key));
        schema.and_then(|schema| jsonschema::validator_for(schema).ok()).is_some_and(|schema| schema.is_valid(value))
    };
    let arguments = tool.coerced(arguments);
    arguments.into_iter().filter(|(key, value)| fits(key, value)).collect()
}
