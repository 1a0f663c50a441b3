//! The calculator behind `/calculate`: each expression is evaluated in its own process, which can be killed.
//!
//! fend has loops that cannot be interrupted. So this binary is started again as `candor __calculate`, without an
//! environment. It sets limits on itself, and confines itself to no files and no sockets if the kernel can do that. The
//! expression goes in by standard input, and the result comes out by standard output.

use std::ffi::OsString;
use std::io::{self, Read as _, Write as _};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use async_trait::async_trait;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, Command};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::{Instant, timeout};

use rustix::process::{Resource, Rlimit, Signal, set_parent_process_death_signal, setrlimit};

use crate::programs::sandbox::{Rules, confine};
use candor_core::text::{one_line, printable};
use candor_engine::builtin::{Calculated, Calculator, NotCalculated, evaluate};

const COMMAND: &str = "__calculate";

/// The hidden command of the same process once its limits are set.
const LIMITED: &str = "__calculate_limited";

/// The first line that the process prints, before it calculates.
const BEGUN: &str = "begun\n";

/// How long a process lives, its start included.
const WITHIN: Duration = Duration::from_millis(300);

/// A process that begins later than this and is then killed says nothing about its expression: the machine is busy.
const BEGINS_WITHIN: Duration = Duration::from_millis(150);

/// How long an expression waits for a free slot.
const WAITS_AT_MOST: Duration = Duration::from_millis(100);

/// Calculations at once: each may take a processor for [`WITHIN`].
static AT_ONCE: Semaphore = Semaphore::const_new(2);

/// The most bytes of an expression with its date, and of a result.
const PIPED_MAX: u64 = 64 * 1024;

/// The stack of a calculation, in bytes: fend recurses for each bracket and sign. 300 of them, the most that
/// `/calculate` takes, need a fifth of it.
const STACK_BYTES: usize = 32 * 1024 * 1024;

/// The limits of the process: seconds of processor time, bytes of memory for data, bytes of a file, open files, and
/// bytes of a core file.
const LIMITS: [(Resource, u64); 5] = [
    (Resource::Cpu, 1),
    (Resource::Data, 128 * 1024 * 1024),
    (Resource::Fsize, 0),
    (Resource::Nofile, 32),
    (Resource::Core, 0),
];

#[derive(Clone, Debug)]
pub struct ProcessCalculator {
    binary: PathBuf,
}

impl ProcessCalculator {
    /// Creates a calculator that starts this binary, which must know the hidden command.
    pub fn started_by(binary: PathBuf) -> Self {
        Self { binary }
    }

    fn start(&self) -> io::Result<Child> {
        Command::new(&self.binary)
            .arg(COMMAND)
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true)
            .spawn()
    }
}

#[async_trait]
impl Calculator for ProcessCalculator {
    async fn calculate(&self, expression: String, today: String) -> Result<Calculated, NotCalculated> {
        let Ok(Ok(turn)) = timeout(WAITS_AT_MOST, AT_ONCE.acquire()).await else { return Err(NotCalculated::Busy) };
        let input = serde_json::to_vec(&(expression, today)).map_err(failed)?;
        let child = self.start().map_err(failed)?;
        // In a task of its own, which continues after the caller stopped waiting.
        tokio::spawn(worked_out(child, input, turn)).await.map_err(failed)?
    }
}

/// Waits for the process and its answer. The slot is free once the process has ended.
async fn worked_out(
    mut child: Child,
    input: Vec<u8>,
    _turn: SemaphorePermit<'static>,
) -> Result<Calculated, NotCalculated> {
    let stdin = child.stdin.take();
    let stdout = child.stdout.take();
    let stderr = child.stderr.take();
    let (Some(mut stdin), Some(stdout)) = (stdin, stdout) else { return Err(failed("it has no pipes")) };
    let started = Instant::now();
    let mut begun = None;
    let mut printed = Vec::new();
    let answered = async {
        stdin.write_all(&input).await?;
        drop(stdin);
        let mut lines = BufReader::new(stdout.take(PIPED_MAX));
        let mut first = String::new();
        lines.read_line(&mut first).await?;
        begun = (first == BEGUN).then(|| started.elapsed());
        lines.read_to_end(&mut printed).await?;
        child.wait().await
    };
    let ended = timeout(WITHIN, answered).await;
    let Ok(ended) = ended else {
        child.kill().await.map_err(failed)?;
        let is_slow = begun.is_none_or(|begun| BEGINS_WITHIN < begun);
        return Err(if is_slow { NotCalculated::Busy } else { NotCalculated::TooMuch });
    };
    match (ended, serde_json::from_slice(&printed)) {
        (Ok(status), Ok(result)) if status.success() => result,
        // It used up its memory, stack or processor time.
        (Ok(status), _) if begun.is_some() && status.signal().is_some() => Err(NotCalculated::TooMuch),
        (Ok(status), _) => Err(failed(format!("{status}: {}", end_of(stderr).await))),
        (Err(problem), _) => {
            child.kill().await.map_err(failed)?;
            Err(failed(problem))
        }
    }
}

/// Returns the standard error of an ended process, as one line.
async fn end_of(stderr: Option<impl AsyncRead + Unpin>) -> String {
    let mut written = Vec::new();
    if let Some(stderr) = stderr {
        let _broken = stderr.take(PIPED_MAX).read_to_end(&mut written).await;
    }
    one_line(&printable(&String::from_utf8_lossy(&written)), 400)
}

fn failed(why: impl ToString) -> NotCalculated {
    NotCalculated::Failed(why.to_string())
}

/// Evaluates the expression on standard input and returns the exit code, if these are the arguments of a hidden
/// command.
pub fn answer_calculation(arguments: impl IntoIterator<Item = OsString>) -> Option<u8> {
    let answered = match arguments.into_iter().nth(1)?.to_str()? {
        COMMAND => limit_and_restart(),
        LIMITED => answer(),
        _ => return None,
    };
    if let Err(problem) = &answered {
        let _unwritable = writeln!(io::stderr(), "{problem}");
    }
    Some(u8::from(answered.is_err()))
}

/// Sets the limits on this process and executes the binary again in it: the allocator reserved memory before the limits
/// existed. Returns only on failure.
fn limit_and_restart() -> io::Result<()> {
    // The process must not outlive the bot.
    set_parent_process_death_signal(Some(Signal::KILL))?;
    for (resource, most) in LIMITS {
        setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) })?;
    }
    Err(std::process::Command::new("/proc/self/exe").arg(LIMITED).exec())
}

fn answer() -> io::Result<()> {
    // Without kernel support it could see files, but fend does not read any.
    let _cannot = confine(&Rules::default(), Path::new("/"));
    let mut stdout = io::stdout();
    stdout.write_all(BEGUN.as_bytes())?;
    stdout.flush()?;
    let mut input = Vec::new();
    io::stdin().take(PIPED_MAX).read_to_end(&mut input)?;
    let (expression, today): (String, String) = serde_json::from_slice(&input)?;
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
    let result = thread.spawn(move || evaluate(&expression, &today))?.join();
    let result = result.map_err(|_| io::Error::other("it panicked"))?;
    stdout.write_all(&serde_json::to_vec(&result)?)?;
    stdout.flush()
}
