//! A running program: its pipes, and its end.

use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::task::JoinHandle;

use crate::programs::error::ProgramError;
use crate::programs::look::PATH;
use crate::programs::quota;
use crate::programs::sandbox::Rules;
use crate::programs::spec::{ProgramSpec, Programs};
use crate::programs::starter::{COMMAND, FAILED, MARK, Orders};
use candor_core::contract::SettingSecrets;
use candor_core::text::{first_characters, visible_line};

/// How long reading the rest of a program's standard error may take after its end.
const PIPE_CLOSES_WITHIN: Duration = Duration::from_millis(250);

/// How much of the end of a program's standard error is kept, in bytes.
const STDERR_MAX: usize = 4 * 1024;
/// How much of it is shown, in characters.
const STDERR_SHOWN: usize = 400;

/// How long a killed program and its descendants may take to end.
const KILLED_WITHIN: Duration = Duration::from_secs(5);

/// A program below its supervisor. Dropping it kills the program with all its descendants: see `Stderr`.
#[derive(Debug)]
pub struct Running {
    child: Child,
    stderr: Stderr,
    secrets: SettingSecrets,
    work: PathBuf,
    folder_mib: u64,
}

impl Programs {
    pub async fn start(&self, spec: &ProgramSpec) -> Result<Running, ProgramError> {
        quota::check_before_start(spec.work.clone(), spec.limits.folder_mib).await?;
        let rules = spec.is_confined.then(|| Rules {
            reads: spec.reads.iter().cloned().chain([spec.folder.clone()]).collect(),
            writes: vec![spec.work.clone()],
            ports: spec.ports.clone(),
            is_alone: self.containment.has_namespaces,
        });
        let orders = Orders { limits: spec.limits, folder: spec.folder.clone(), rules };
        let orders = serde_json::to_string(&orders).map_err(|problem| ProgramError::NotStarted(problem.to_string()))?;
        let mut command = Command::new(&self.starter);
        command
            .arg(COMMAND)
            .arg(orders)
            .arg(&spec.program.0)
            .args(&spec.arguments)
            .env_clear()
            .env("PATH", PATH)
            .env("LANG", "C.UTF-8")
            .env("HOME", &spec.work)
            .env("TMPDIR", &spec.work)
            .envs(&spec.env)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        let not_started = |problem: std::io::Error| ProgramError::NotStarted(problem.to_string());
        let mut child = command.spawn().map_err(not_started)?;
        let stderr = Stderr::of(child.stderr.take());
        let work = spec.work.clone();
        let folder_mib = spec.limits.folder_mib;
        Ok(Running { child, stderr, secrets: spec.secrets.clone(), work, folder_mib })
    }
}

impl Running {
    /// Takes its standard input, once.
    pub fn stdin(&mut self) -> Option<ChildStdin> {
        self.child.stdin.take()
    }

    /// Takes its standard output, once.
    pub fn stdout(&mut self) -> Option<ChildStdout> {
        self.child.stdout.take()
    }

    /// Waits until its working folder exceeds the limit. Does not kill it.
    pub fn outgrown(&self) -> impl Future<Output = ProgramError> + Send + 'static {
        quota::outgrown(self.work.clone(), self.folder_mib)
    }

    /// Waits for its end and that of all its descendants.
    pub async fn ended(&mut self) -> Result<(), ProgramError> {
        let status = self.child.wait().await.map_err(|problem| ProgramError::NotStarted(problem.to_string()))?;
        self.stderr.finished().await;
        if status.success() { Ok(()) } else { Err(self.failure(status)) }
    }

    pub async fn kill(&mut self) {
        self.stderr.close();
        if tokio::time::timeout(KILLED_WITHIN, self.child.wait()).await.is_err() {
            let _killed = self.child.kill().await;
        }
    }

    /// Returns the end of its standard error so far, as one line, with its secrets masked.
    pub fn stderr(&self) -> String {
        self.stderr.told(&self.secrets)
    }

    fn failure(&self, status: ExitStatus) -> ProgramError {
        use std::os::unix::process::ExitStatusExt as _;
        let stderr = self.stderr();
        if let (Some(FAILED), Some((_, why))) = (status.code(), stderr.rsplit_once(MARK)) {
            return match why.split_once(": ") {
                Some(("sandbox", why)) => ProgramError::Sandbox(why.to_owned()),
                Some(("limit", why)) => ProgramError::OverLimit(why.to_owned()),
                Some((_, why)) => ProgramError::NotStarted(why.to_owned()),
                None => ProgramError::NotStarted(why.to_owned()),
            };
        }
        let how = match (status.code(), status.signal()) {
            (Some(code), _) => format!("exit code {code}"),
            (None, Some(signal)) => format!("signal {signal}"),
            (None, None) => "no exit code".to_owned(),
        };
        ProgramError::Ended { how, stderr }
    }
}

/// The end of a program's standard error, which is read so that the program never blocks on it. The supervisor ends the
/// program when this reader is gone.
#[derive(Debug)]
struct Stderr {
    tail: Arc<Mutex<Vec<u8>>>,
    reader: Option<JoinHandle<()>>,
}

impl Stderr {
    fn of(pipe: Option<impl AsyncRead + Unpin + Send + 'static>) -> Self {
        let tail = Arc::new(Mutex::new(Vec::new()));
        let kept = tail.clone();
        let reader = pipe.map(|mut pipe| {
            tokio::spawn(async move {
                let mut chunk = [0; 4096];
                while let Ok(n @ 1..) = pipe.read(&mut chunk).await {
                    let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                    kept.extend(chunk.iter().take(n));
                    let over = kept.len().saturating_sub(STDERR_MAX);
                    kept.drain(..over);
                }
            })
        });
        Self { tail, reader }
    }

    /// Waits for the rest of the pipe, after its writers have ended.
    async fn finished(&mut self) {
        if let Some(reader) = &mut self.reader {
            let _late = tokio::time::timeout(PIPE_CLOSES_WITHIN, reader).await;
        }
    }

    fn close(&self) {
        if let Some(reader) = &self.reader {
            reader.abort();
        }
    }

    fn told(&self, secrets: &SettingSecrets) -> String {
        let tail = self.tail.lock().unwrap_or_else(PoisonError::into_inner);
        // Mask before cutting: a cut might leave a part of a secret.
        let text = secrets.masked(&String::from_utf8_lossy(&tail));
        let lines: Vec<_> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let line = visible_line(first_characters(&lines.join(" / "), STDERR_MAX));
        // The error is at the end.
        match line.char_indices().rev().nth(STDERR_SHOWN) {
            Some((cut, _)) => format!("…{}", line.get(cut..).unwrap_or_default()),
            None => line,
        }
    }
}

impl Drop for Stderr {
    fn drop(&mut self) {
        self.close();
    }
}
