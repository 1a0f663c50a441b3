//! Outside programs: real processes, started by the real binary, within real limits.

mod attacked;
mod authors;
mod calculator;
mod contained;
mod fault;
pub(crate) mod modules;
mod names;
mod reload;
mod rights;
mod servers;
mod services;
mod settings;
mod sign_in;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::Duration;

use candor_core::contract::SettingSecrets;
use candor_outside::programs::{Containment, Printed, ProgramError, ProgramLimits, ProgramSpec, Programs, find};

/// Longer than any program here needs, unless it hangs.
const LONG: Duration = Duration::from_secs(30);

const STARTER: &str = env!("CARGO_BIN_EXE_candor");

fn programs() -> Programs {
    Programs::started_by(PathBuf::from(STARTER), containment())
}

/// How this machine confines programs.
fn containment() -> Containment {
    static FOUND: LazyLock<Containment> = LazyLock::new(|| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        // A thread of its own: most tests have a runtime already.
        std::thread::spawn(move || runtime.block_on(Containment::of(Path::new(STARTER)))).join().unwrap()
    });
    *FOUND
}

/// A module's folder with a shell script in it, and its working folder.
struct Script {
    folder: tempfile::TempDir,
    work: tempfile::TempDir,
    spec: ProgramSpec,
    programs: Programs,
}

/// The same script with namespaces, where this machine has them, and without.
fn in_every_mode(body: &str) -> impl Iterator<Item = Script> {
    let without = Containment { has_namespaces: false, ..containment() };
    let modes = if containment() == without { vec![without] } else { vec![containment(), without] };
    modes
        .into_iter()
        .map(move |mode| Script { programs: Programs::started_by(PathBuf::from(STARTER), mode), ..script(body) })
}

fn script(body: &str) -> Script {
    let (folder, work) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write_script(&folder.path().join("run.sh"), body);
    let spec = ProgramSpec {
        program: find("run.sh", folder.path()).unwrap(),
        arguments: Vec::new(),
        folder: folder.path().to_owned(),
        work: work.path().to_owned(),
        env: BTreeMap::new(),
        secrets: SettingSecrets::default(),
        reads: Vec::new(),
        ports: Vec::new(),
        is_confined: is_confined(),
        limits: ProgramLimits {
            cpu_s: Some(10),
            memory_mib: 256,
            file_mib: 1,
            folder_mib: 2,
            open_files: 64,
            processes: 64,
            output_kib: 64,
        },
    };
    Script { folder, work, spec, programs: programs() }
}

/// Whether this kernel can confine a program. If not, that is said where nobody overlooks it, and programs are started
/// without: what a test says of files and ports then does not hold.
fn is_confined() -> bool {
    let can = containment().confines();
    if !can {
        let said = format!("SKIPPED what is said of confined programs: {}\n", containment());
        std::io::stderr().write_all(said.as_bytes()).unwrap();
    }
    can
}

/// Whether there is an interpreter of this name. Without it, what needs it says loudly that it is skipped, and fails under
/// CI.
fn has(interpreter: &str, what: &str) -> bool {
    let has = std::process::Command::new(interpreter).arg("--version").output().is_ok();
    if !has {
        assert!(std::env::var_os("CI").is_none(), "under CI there is {interpreter}");
        std::io::stderr().write_all(format!("SKIPPED {what}: there is no {interpreter}\n").as_bytes()).unwrap();
    }
    has
}

/// The manifest, for a kernel that may have no Landlock.
pub(crate) fn for_this_kernel(manifest: &str) -> String {
    match is_confined() {
        true => manifest.to_owned(),
        false => manifest.replace("[run]\n", "[run]\nsandbox = \"off\"\n"),
    }
}

fn write_script(path: &Path, body: &str) {
    fs::write(path, format!("#!/bin/sh\n{body}\n")).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

impl Script {
    async fn run(&self, input: &str) -> Result<String, ProgramError> {
        self.run_within(input, LONG).await
    }

    async fn run_within(&self, input: &str, deadline: Duration) -> Result<String, ProgramError> {
        let printed = self.programs.run(&self.spec, input.as_bytes(), deadline).await;
        printed.map(|Printed(bytes)| String::from_utf8(bytes).unwrap().trim_end().to_owned())
    }
}

/// Waits until no process has this text in its command line: a signal is sent at once, and takes effect soon.
async fn are_gone(mark: &str) {
    for _ in 0..500 {
        if processes_with(mark) == 0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("{} processes with `{mark}` are still there", processes_with(mark));
}

/// The processes whose command line holds this text.
fn processes_with(mark: &str) -> usize {
    let running = fs::read_dir("/proc").unwrap().filter_map(|entry| fs::read(entry.ok()?.path().join("cmdline")).ok());
    running.filter(|line| String::from_utf8_lossy(line).replace('\0', " ").contains(mark)).count()
}
