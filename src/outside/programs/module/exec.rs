//! An exec module: its program is found, tried, and called.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::Semaphore;

use crate::programs::error::ProgramError;
use crate::programs::look::find;
use crate::programs::module::copy::CheckedCopy;
use crate::programs::program::Printed;
use crate::programs::spec::{ProgramSpec, Programs};
use crate::programs::starter::ProgramLimits;
use candor_core::contract::outside::{Behind, Fault, FaultAt, OutsideError, Program, RunStart, Started, read_reply};
use candor_core::contract::{OutsideSpec, Probe};
use candor_core::diagnostic::Code;

/// The folders that a program sees beside the system's programs.
#[derive(Debug)]
pub struct ModuleFolders {
    pub copy: CheckedCopy,
    /// Its working folder, created if missing.
    pub work: PathBuf,
    /// Other paths that it may read.
    pub reads: Vec<PathBuf>,
}

/// A program that can be started, from a copy that cannot change meanwhile.
pub struct Prepared {
    pub spec: ProgramSpec,
    _copy: CheckedCopy,
}

/// Finds the program of an exec module and tries it with each of its probes.
pub async fn start_module(
    programs: &Programs,
    spec: &OutsideSpec,
    folders: ModuleFolders,
    env: impl Fn(&str) -> Option<OsString>,
) -> Started {
    let program = match prepared(spec, folders, env) {
        Ok(program) => program,
        Err(fault) => return Started { faults: vec![fault], ..Started::default() },
    };
    let mut faults = Vec::new();
    for probe in &spec.probes {
        let tried = programs.run(&program.spec, &probe.input, spec.run.start_within).await;
        faults.extend(fault_of_probe(probe, tried));
        if faults.iter().any(|fault| fault.at == FaultAt::Run) {
            break;
        }
    }
    let asked = ExecModule {
        programs: programs.clone(),
        program,
        deadline: spec.run.answer_within,
        turns: Turns::new(spec.run.at_once),
    };
    // If one command fails its trial, the others may still work.
    let is_usable = faults.iter().all(|fault| fault.at != FaultAt::Run);
    let behind = is_usable.then(|| Behind::Program(Arc::new(asked)));
    Started { behind, faults, ..Started::default() }
}

/// Prepares the program of a module, with its working folder.
pub fn prepared(
    OutsideSpec { run, variables, secrets, .. }: &OutsideSpec,
    ModuleFolders { copy, work, reads }: ModuleFolders,
    env: impl Fn(&str) -> Option<OsString>,
) -> Result<Prepared, Fault> {
    let RunStart::Program { program, arguments, env: names, ports, is_confined, .. } = &run.start else {
        return Err(unusable("nothing is started here", "write `program = \"…\"` under `[run]`"));
    };
    let folder = copy.folder().to_owned();
    let found = find(program, &folder).map_err(|problem| unusable(problem.to_string(), help(&problem)))?;
    make_folder(&work)?;
    let mut environment = environment(names, env)?;
    environment.extend(variables.iter().map(|(name, value)| (name.clone(), value.clone())));
    let spec = ProgramSpec {
        program: found,
        arguments: arguments.clone(),
        work: work.canonicalize().unwrap_or(work),
        env: environment,
        secrets: secrets.clone(),
        reads,
        folder,
        ports: ports.clone(),
        is_confined: *is_confined,
        limits: ProgramLimits {
            cpu_s: run.cpu_s,
            memory_mib: run.memory_mib,
            file_mib: run.file_mib,
            folder_mib: run.folder_mib,
            open_files: run.open_files,
            processes: run.processes,
            output_kib: run.output_kib,
        },
    };
    Ok(Prepared { spec, _copy: copy })
}

fn make_folder(work: &Path) -> Result<(), Fault> {
    let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(work);
    made.map_err(|problem| {
        let message = format!("its working folder `{}` cannot be made: {problem}", work.display());
        unusable(message, "let the bot write to its data folder")
    })
}

fn environment(names: &[String], env: impl Fn(&str) -> Option<OsString>) -> Result<BTreeMap<String, String>, Fault> {
    let value = |name: &String| {
        let value = env(name).and_then(|value| value.into_string().ok());
        let unset = || {
            let message = format!("it needs the environment variable `{name}`, which the bot does not have");
            unusable(message, format!("start the bot with `{name}`, or take it out of `env`"))
        };
        Ok((name.clone(), value.ok_or_else(unset)?))
    };
    names.iter().map(value).collect()
}

fn fault_of_probe(probe: &Probe, tried: Result<Printed, ProgramError>) -> Option<Fault> {
    let problem = match tried {
        Ok(Printed(printed)) => match read_reply(&printed) {
            Ok(_) => return None,
            Err(misshapen) => {
                let message = format!("the probe of `{}` got an answer that is none: {misshapen}", probe.command);
                return Some(Fault {
                    code: Code::ProbeFailed,
                    at: FaultAt::Probe(probe.command.clone()),
                    message,
                    help: "print text, or one JSON object with `text`, to the standard output".to_owned(),
                });
            }
        },
        Err(problem) => problem,
    };
    Some(match &problem {
        ProgramError::Sandbox(_) => Fault {
            code: Code::SandboxUnavailable,
            at: FaultAt::Run,
            message: problem.to_string(),
            help: help(&problem).to_owned(),
        },
        ProgramError::NotStarted(_) => unusable(problem.to_string(), help(&problem)),
        _ => Fault {
            code: Code::ProbeFailed,
            at: FaultAt::Probe(probe.command.clone()),
            message: format!("the probe of `{}` failed: {problem}", probe.command),
            help: help(&problem).to_owned(),
        },
    })
}

fn help(problem: &ProgramError) -> &'static str {
    match problem {
        ProgramError::Missing(_) => "correct `program`, or put the file into the module's folder",
        ProgramError::NotExecutable(_) => "make it executable: `chmod +x`",
        ProgramError::InterpreterMissing { .. } => "install what it names, or correct the first line of the script",
        ProgramError::Sandbox(_) => {
            "write `sandbox = \"off\"` under `[run]`, and under `[modules.trusted.NAME]` in the settings file, if you trust \
             this program with all that the bot may do"
        }
        ProgramError::NotStarted(_) => "start it by hand to see what is wrong",
        ProgramError::Ended { .. } => "start it by hand with the same input to see what is wrong",
        ProgramError::TimedOut { .. } => {
            "raise `start_s` under `[run]`, or find out what it waits for; a program whose output is buffered has to flush it"
        }
        ProgramError::OverLimit(_) => {
            "find out what it does, or raise the limit under `[run]`: `memory_mib`, `processes`"
        }
        ProgramError::FolderFull(_) => "find out what it keeps there",
        ProgramError::TooLong { .. } => "print less, or raise `output_kib` under `[run]`",
    }
}

fn unusable(message: impl Into<String>, help: impl Into<String>) -> Fault {
    Fault { code: Code::ProgramUnusable, at: FaultAt::Run, message: message.into(), help: help.into() }
}

/// The program of a module that passed its probes.
struct ExecModule {
    programs: Programs,
    program: Prepared,
    deadline: Duration,
    turns: Turns,
}

#[async_trait]
impl Program for ExecModule {
    async fn run(&self, input: Vec<u8>) -> Result<Vec<u8>, OutsideError> {
        let _turn = self.turns.take().await?;
        match self.programs.run(&self.program.spec, &input, self.deadline).await {
            Ok(Printed(printed)) => Ok(printed),
            Err(problem) => Err(OutsideError::Failed(problem.to_string())),
        }
    }
}

/// Limits running and waiting calls.
#[derive(Debug)]
pub struct Turns {
    under_way: Semaphore,
    waiting: AtomicUsize,
    waiting_max: usize,
}

impl Turns {
    /// Allows this many calls at once, and as many waiting.
    pub fn new(at_once: usize) -> Self {
        Self { under_way: Semaphore::new(at_once), waiting: AtomicUsize::new(0), waiting_max: at_once }
    }

    /// Waits for a turn, which ends when the permit is dropped.
    pub async fn take(&self) -> Result<tokio::sync::SemaphorePermit<'_>, OutsideError> {
        if let Ok(turn) = self.under_way.try_acquire() {
            return Ok(turn);
        }
        let _waits = Waits::one(self)?;
        self.under_way.acquire().await.map_err(|_| OutsideError::Busy)
    }
}

struct Waits<'a>(&'a AtomicUsize);

impl<'a> Waits<'a> {
    fn one(turns: &'a Turns) -> Result<Self, OutsideError> {
        let waits = Self(&turns.waiting);
        match turns.waiting.fetch_add(1, Ordering::Relaxed) < turns.waiting_max {
            true => Ok(waits),
            false => Err(OutsideError::Busy),
        }
    }
}

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[test]
    fn as_many_wait_as_are_under_way_and_no_more() {
        let turns = Turns::new(1);
        let first = turns.take().now_or_never().unwrap().unwrap();
        let mut second = Box::pin(turns.take());
        assert!(second.as_mut().now_or_never().is_none());
        assert_eq!(turns.take().now_or_never().unwrap().unwrap_err(), OutsideError::Busy);
        drop(first);
        assert!(second.now_or_never().unwrap().is_ok());
        assert!(turns.take().now_or_never().unwrap().is_ok());
    }
}
