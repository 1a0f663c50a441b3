//! The calculator behind `/calculate`: each expression is worked out in a process of its own, which can be ended.
//!
//! fend has loops that nothing interrupts. So the [`starter`](super::starter) starts this binary again as
//! `candor __calculate`, without an environment, within limits, and confined to no files and no ports where the kernel
//! can do that. The expression goes in by the standard input, and the result comes out by the standard output.

use std::ffi::OsString;
use std::io::{self, Read as _, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use async_trait::async_trait;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, Command};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::{Instant, timeout};

use candor_core::text::{one_line, printable};

use crate::edges::programs::sandbox::{Containment, Rules, containment};
use crate::edges::programs::spec::{ProgramLimits, Programs};
use crate::edges::programs::starter::{self, Orders};
use crate::host::builtin::{Calculated, Calculator, NotCalculated, evaluate};

/// The hidden command.
const COMMAND: &str = "__calculate";

/// The first line that the process prints, before it calculates.
const BEGUN: &str = "begun\n";

/// This binary, which the starter becomes. It is the same one also after its file was replaced.
const OWN_BINARY: &str = "/proc/self/exe";

/// How long a process lives, its start included.
const WITHIN: Duration = Duration::from_millis(300);

/// A process that begins later than this says nothing about its expression when it is killed: the machine is busy.
const BEGINS_WITHIN: Duration = Duration::from_millis(150);

/// How long an expression waits while as many as may are worked out.
const WAITS_AT_MOST: Duration = Duration::from_millis(100);

/// Calculations at once: each may take a processor for [`WITHIN`].
static AT_ONCE: Semaphore = Semaphore::const_new(2);

/// The most bytes of an expression with its date, and of a result.
const PIPED_MAX: u64 = 64 * 1024;

/// The stack of a calculation, in bytes: fend calls itself for each bracket and sign. 300 of them, the most that
/// `/calculate` takes, need a fifth of it.
const STACK_BYTES: usize = 32 * 1024 * 1024;

const LIMITS: ProgramLimits =
    ProgramLimits { cpu_s: Some(1), memory_mib: 128, file_mib: 0, folder_mib: 0, open_files: 32, output_kib: 64 };

/// Works out each expression in a process of its own.
#[derive(Clone, Debug)]
pub struct ProcessCalculator {
    starter: PathBuf,
    is_confined: bool,
}

impl ProcessCalculator {
    /// A calculator whose processes are started like these programs.
    pub fn of(programs: &Programs) -> Self {
        Self { starter: programs.starter.clone(), is_confined: containment() != Containment::Nothing }
    }

    fn start(&self) -> io::Result<Child> {
        let rules = self.is_confined.then(|| Rules {
            reads: vec![PathBuf::from(OWN_BINARY)],
            writes: Vec::new(),
            ports: Vec::new(),
        });
        let orders = serde_json::to_string(&Orders { limits: LIMITS, folder: PathBuf::from("/"), rules })?;
        Command::new(&self.starter)
            .args([starter::COMMAND, &orders, OWN_BINARY, COMMAND])
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
        // A task of its own, which goes on when nobody waits for the answer any more.
        tokio::spawn(worked_out(child, input, turn)).await.map_err(failed)?
    }
}

/// Waits for the process and its answer. The turn is over once the process has ended.
async fn worked_out(
    mut child: Child,
    input: Vec<u8>,
    _turn: SemaphorePermit<'static>,
) -> Result<Calculated, NotCalculated> {
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (Some(mut stdin), Some(stdout)) = (stdin, stdout) else { return Err(failed("it has no pipes")) };
    let (started, mut begun, mut printed) = (Instant::now(), None, Vec::new());
    let answered = async {
        stdin.write_all(&input).await?;
        drop(stdin);
        let (mut lines, mut first) = (BufReader::new(stdout.take(PIPED_MAX)), String::new());
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
        // Its memory, its stack or its processor time was used up.
        (Ok(status), _) if begun.is_some() && status.signal().is_some() => Err(NotCalculated::TooMuch),
        (Ok(status), _) => Err(failed(format!("{status}: {}", end_of(stderr).await))),
        (Err(problem), _) => {
            child.kill().await.map_err(failed)?;
            Err(failed(problem))
        }
    }
}

/// What a process that has ended wrote to its standard error, as one line.
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

/// Works out the expression on the standard input, if these are the arguments of the hidden command. Returns the exit
/// code then.
pub fn answer_calculation(arguments: impl IntoIterator<Item = OsString>) -> Option<u8> {
    if arguments.into_iter().nth(1)? != COMMAND {
        return None;
    }
    let answered = answer();
    if let Err(problem) = &answered {
        let _unwritable = writeln!(io::stderr(), "{problem}");
    }
    Some(u8::from(answered.is_err()))
}

fn answer() -> io::Result<()> {
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
