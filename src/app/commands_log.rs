//! Logs commands and the problems of a check, one event each, with the same field names everywhere.

use tracing::{debug, error, info, warn};

use candor_core::access::Access;
use candor_core::diagnostic::{Code, Diagnostic, Diagnostics, FirstError, Severity};
use candor_core::registry::{CommandChange, CommandRow, NotInForce, Registry};

/// Logs each command with its state, for programs. People read the table.
pub(super) fn log_commands(registry: &Registry, access: &Access) {
    for command in registry.all() {
        let CommandRow { name, owner, kind, takes, .. } = CommandRow::of(command);
        let access = access.summary(command);
        let state = "in-force";
        info!(command.name = name, module = owner, handler.kind = kind, options = takes, access, state, "command");
    }
    for (path, command) in registry.not_in_force() {
        log_failed(&path.to_string(), command, None, "command");
    }
}

pub(super) fn log_changes(changes: &[CommandChange], registry: &Registry) {
    for CommandChange { name, owner, kind } in changes {
        let change = kind.name();
        match registry.withdrawn(name) {
            Some(command) => log_failed(name, command, Some(change), "reloaded"),
            None => info!(command.name = name, module = owner, change, "reloaded"),
        }
    }
}

fn log_failed(name: &str, command: &NotInForce, change: Option<&str>, message: &str) {
    let module = &command.module;
    let state = command.state();
    let error = command.error.as_ref();
    let code = command.code().map(Code::name);
    let file = error.map(|error| &error.file);
    let help = error.map(|error| &error.help);
    let line = error.map(|error| error.at.line);
    let column = error.map(|error| error.at.column);
    warn!(command.name = name, module, state, change, code, file, line, column, help, "{message}");
}

/// Logs each problem: at ERROR only if it stopped a start or a reload, at DEBUG if it was logged before.
pub(crate) fn log_problems(found: &Diagnostics, is_refused: bool, is_known: impl Fn(&Diagnostic) -> bool) {
    for diagnostic in found.iter() {
        let Diagnostic { message, help, .. } = diagnostic;
        let FirstError { file, at, .. } = FirstError::from(diagnostic);
        let code = diagnostic.code.name();
        let severity = diagnostic.severity();
        macro_rules! event {
            ($level:ident) => {
                $level!(code, severity = severity.name(), file, line = at.line, column = at.column, help, "{message}")
            };
        }
        match severity {
            _ if is_known(diagnostic) => event!(debug),
            Severity::Error if is_refused => event!(error),
            Severity::Error | Severity::Warning => event!(warn),
        }
    }
}

/// Logs the modules and commands that failed the check, as the last line of a start or a reload.
pub(super) fn log_not_in_force(registry: &Registry) {
    if let Some(line) = registry.summary_of_failures() {
        warn!("{line}");
    }
}
