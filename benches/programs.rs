//! One call of a program: a static one that copies its input, confined and not, and a shell script; beside the
//! same program started by itself, and beside much memory.
#![expect(clippy::print_stdout, reason = "a benchmark prints what it measures")]

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use tokio::io::AsyncWriteExt as _;

use candor_core::contract::SettingSecrets;
use candor_outside::programs::{Containment, ProgramLimits, ProgramSpec, Programs, find};

const WARM: usize = 50;
const CALLS: usize = 500;
const DEADLINE: Duration = Duration::from_secs(10);
const INPUT: &[u8] = b"a line of forty characters, more or less\n";

const COPIES: &str = "#include <unistd.h>\n\
                      int main(void) { char b[4096]; long n; while (0 < (n = read(0, b, 4096))) write(1, b, n); return 0; }\n";

/// How many times longer a call of the confined program may take than the same program started by itself, both as the
/// median of calls that take turns. The bot's binary starts twice in a call, and makes
/// namespaces: 11.6 were measured. Started once and without namespaces, they were 3.6.
const CONFINED_RATIO_MAX: f64 = 16.0;
/// How many times longer it may take beside so much memory: 1.0 were measured, since what starts it is small. A start that
/// copied the table of pages of a large process would take several times as long.
const BESIDE_MEMORY_RATIO_MAX: f64 = 2.0;
/// What a large process holds, in bytes, each page of it written.
const MEMORY: usize = 1 << 30;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let (folder, work) = (tempfile::tempdir()?, tempfile::tempdir()?);
    compile(folder.path())?;
    let script = folder.path().join("copies.sh");
    fs::write(&script, "#!/bin/sh\ncat\n")?;
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755))?;
    let starter = PathBuf::from(env!("CARGO_BIN_EXE_candor"));
    let containment = Containment::of(&starter).await;
    println!("{containment}");
    let programs = Programs::started_by(starter, containment);
    let spec = |program: &str, is_confined| {
        Ok::<_, Box<dyn Error>>(ProgramSpec {
            program: find(program, folder.path())?,
            arguments: Vec::new(),
            folder: folder.path().to_owned(),
            work: work.path().to_owned(),
            env: BTreeMap::new(),
            secrets: SettingSecrets::default(),
            reads: Vec::new(),
            ports: Vec::new(),
            is_confined,
            limits: ProgramLimits {
                cpu_s: Some(10),
                memory_mib: 256,
                file_mib: 16,
                folder_mib: 256,
                open_files: 64,
                processes: 64,
                output_kib: 64,
            },
        })
    };
    let kinds = [
        ("static, confined", spec("copies", true)?),
        ("static, not confined", spec("copies", false)?),
        ("shell, confined", spec("copies.sh", true)?),
    ];
    let alone = folder.path().join("copies");
    let mut times = [const { Vec::new() }; 4];
    for _ in 0..WARM + CALLS {
        times[0].push(started_by_itself(&alone).await?);
        for ((_, spec), times) in kinds.iter().zip(&mut times[1..]) {
            times.push(called(&programs, spec).await?);
        }
    }
    let names = ["static, by itself"].into_iter().chain(kinds.iter().map(|(name, _)| *name));
    let [by_itself, confined, ..] = names.zip(times).map(|(name, times)| shown(name, times)).collect::<Vec<_>>()[..]
    else {
        return Err("nothing was measured".into());
    };
    hold("a confined program", confined, by_itself, CONFINED_RATIO_MAX);

    // The two take turns, some calls at a time.
    let (mut without, mut with) = (Vec::new(), Vec::new());
    while without.len() < WARM + CALLS {
        for _ in 0..WARM {
            without.push(called(&programs, &kinds[0].1).await?);
        }
        let memory = std::hint::black_box(vec![1_u8; MEMORY]);
        for _ in 0..WARM {
            with.push(called(&programs, &kinds[0].1).await?);
        }
        drop(memory);
    }
    let (without, with) = (shown("confined, once more", without), shown("confined, beside 1 GiB", with));
    hold("a program beside 1 GiB", with, without, BESIDE_MEMORY_RATIO_MAX);
    Ok(())
}

/// How long a call takes.
async fn called(programs: &Programs, spec: &ProgramSpec) -> Result<Duration, Box<dyn Error>> {
    let began = Instant::now();
    let printed = programs.run(spec, INPUT, DEADLINE).await?;
    if printed.0 == INPUT { Ok(began.elapsed()) } else { Err("a wrong answer".into()) }
}

/// How long the program takes that is started with nothing around it.
async fn started_by_itself(program: &Path) -> Result<Duration, Box<dyn Error>> {
    let began = Instant::now();
    let mut child = tokio::process::Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    child.stdin.take().ok_or("no standard input")?.write_all(INPUT).await?;
    let printed = child.wait_with_output().await?;
    if printed.stdout == INPUT { Ok(began.elapsed()) } else { Err("a wrong answer".into()) }
}

/// Prints the times without those that warm up, and gives the median.
fn shown(what: &str, mut times: Vec<Duration>) -> Duration {
    times.drain(..WARM);
    times.sort_unstable();
    let [p50, p99] = [50, 99].map(|part| times.get(CALLS * part / 100).copied().unwrap_or_default());
    println!("{what:<22} p50 {p50:>9.1?}  p99 {p99:>9.1?}");
    p50
}

/// Fails if something takes more times as long as something else than it may.
fn hold(what: &str, took: Duration, beside: Duration, ratio_max: f64) {
    let ratio = took.as_secs_f64() / beside.as_secs_f64();
    println!("{what}: {ratio:.2} times of at most {ratio_max}");
    assert!(ratio <= ratio_max, "{what} takes longer than it may");
}

/// A program without a runtime or libraries to load: what is measured is the starting.
fn compile(folder: &Path) -> Result<(), Box<dyn Error>> {
    let source = folder.join("copies.c");
    fs::write(&source, COPIES)?;
    let compiled =
        Command::new("cc").args(["-static", "-O2", "-o"]).arg(folder.join("copies")).arg(&source).status()?;
    if compiled.success() { Ok(()) } else { Err("the C compiler failed".into()) }
}
