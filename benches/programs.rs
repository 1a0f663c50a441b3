//! One call of a program: a static one that copies its input, with and without Landlock, and a shell script.
#![expect(clippy::print_stdout, reason = "a benchmark prints what it measures")]

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use candor_core::contract::SettingSecrets;

use candor::edges::programs::{ProgramLimits, ProgramSpec, Programs, containment, find};

const WARM: usize = 50;
const CALLS: usize = 500;
const DEADLINE: Duration = Duration::from_secs(10);
const INPUT: &[u8] = b"a line of forty characters, more or less\n";

const COPIES: &str = "#include <unistd.h>\n\
                      int main(void) { char b[4096]; long n; while (0 < (n = read(0, b, 4096))) write(1, b, n); return 0; }\n";

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let (folder, work) = (tempfile::tempdir()?, tempfile::tempdir()?);
    compile(folder.path())?;
    let script = folder.path().join("copies.sh");
    fs::write(&script, "#!/bin/sh\ncat\n")?;
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755))?;
    let programs = Programs::started_by(PathBuf::from(env!("CARGO_BIN_EXE_candor")));
    println!("{}", containment());
    for (what, program, is_confined) in [
        ("static, confined", "copies", true),
        ("static, not confined", "copies", false),
        ("shell, confined", "copies.sh", true),
    ] {
        let spec = ProgramSpec {
            program: find(program, folder.path())?,
            arguments: Vec::new(),
            folder: folder.path().to_owned(),
            work: work.path().to_owned(),
            env: BTreeMap::new(),
            secrets: SettingSecrets::default(),
            reads: Vec::new(),
            ports: Vec::new(),
            is_confined,
            limits: ProgramLimits { cpu_s: Some(10), memory_mib: 256, file_mib: 16, open_files: 64, output_kib: 64 },
        };
        let mut times = Vec::with_capacity(CALLS);
        for call in 0..WARM + CALLS {
            let began = Instant::now();
            let printed = programs.run(&spec, INPUT, DEADLINE).await?;
            if WARM <= call {
                times.push(began.elapsed());
            }
            if printed.0 != INPUT {
                return Err("a wrong answer".into());
            }
        }
        times.sort_unstable();
        for (name, part) in [("p50", 50), ("p99", 99)] {
            println!("{what:<22} {name} {:>9.1?}", times.get(CALLS * part / 100).copied().unwrap_or_default());
        }
    }
    Ok(())
}

/// A program without a runtime or libraries to load: what is measured is the starting.
fn compile(folder: &Path) -> Result<(), Box<dyn Error>> {
    let source = folder.join("copies.c");
    fs::write(&source, COPIES)?;
    let compiled =
        Command::new("cc").args(["-static", "-O2", "-o"]).arg(folder.join("copies")).arg(&source).status()?;
    if compiled.success() { Ok(()) } else { Err("the C compiler failed".into()) }
}
