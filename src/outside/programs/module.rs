//! A module with a program: the checked copy of its folder, its read rights, and the program that answers its commands.

use candor_core::record::Digest;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{DirBuilder, File, OpenOptions, Permissions};
use std::hash::{BuildHasher as _, Hasher as _};
use std::io::{ErrorKind, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _, symlink};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use std::{fs, io};

use async_trait::async_trait;
use cap_std::ambient_authority;
use cap_std::fs::{Dir, DirEntry, OpenOptionsExt as _};
use rustix::fs::OFlags;
use sha2::{Digest as _, Sha256};
use tokio::sync::Semaphore;

use crate::programs::error::ProgramError;
use crate::programs::look::find;
use crate::programs::program::Printed;
use crate::programs::spec::{ProgramSpec, Programs};
use crate::programs::starter::ProgramLimits;
use candor_core::contract::outside::{Behind, Fault, FaultAt, OutsideError, Program, RunStart, Started, read_reply};
use candor_core::contract::{OutsideSpec, Probe, TrustedRights};
use candor_core::diagnostic::Code;

/// The limits of a module's folder: environments of Python and Node fit in.
const ENTRIES_MAX: usize = 50_000;
const BYTES_MAX: u64 = 1024 * 1024 * 1024;
const DEPTH_MAX: usize = 64;

/// An immutable copy, named by the digest of its content. The last user removes it, in whichever process.
#[derive(Debug)]
pub struct CheckedCopy {
    folder: PathBuf,
    digest: Digest,
    /// The folder, locked as long as the copy is in use.
    lock: File,
}

impl CheckedCopy {
    /// Copies a module's folder into `copies`, or takes an existing copy. Links are copied as links.
    pub fn of(module: &Path, copies: &Path) -> io::Result<Self> {
        let from = Dir::open_ambient_dir(module, ambient_authority()).map_err(|problem| at(module, &problem))?;
        DirBuilder::new().recursive(true).mode(0o700).create(copies).map_err(|problem| at(copies, &problem))?;
        let copies = copies.canonicalize()?;
        if let Some(copy) = Self::hold(&copies, Walk::default().digest(&from, None)?)? {
            return Ok(copy);
        }
        let draft = copies.join(unguessable());
        let made = Self::make(&from, &draft, &copies);
        if made.is_err() {
            let _gone = remove_copy(&draft);
        }
        made
    }

    /// Returns the folder's absolute path.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub fn digest(&self) -> Digest {
        self.digest
    }

    fn make(from: &Dir, draft: &Path, copies: &Path) -> io::Result<Self> {
        DirBuilder::new().mode(0o700).create(draft)?;
        let lock = File::open(draft)?;
        lock.lock_shared()?;
        // The content may have changed since its digest was taken: the copy is named by its own.
        let digest = Walk::default().digest(from, Some(draft))?;
        let folder = copies.join(digest.to_string());
        rustix::fs::syncfs(&lock)?;
        match fs::rename(draft, &folder) {
            Ok(()) => Ok(Self { folder, digest, lock }),
            // Another process created it meanwhile.
            Err(problem) => {
                let held = Self::hold(copies, digest)?.ok_or(problem)?;
                remove_copy(draft)?;
                Ok(held)
            }
        }
    }

    /// Locks an existing copy.
    fn hold(copies: &Path, digest: Digest) -> io::Result<Option<Self>> {
        let folder = copies.join(digest.to_string());
        let lock = match File::open(&folder) {
            Ok(lock) => lock,
            Err(problem) if problem.kind() == ErrorKind::NotFound => return Ok(None),
            Err(problem) => return Err(at(&folder, &problem)),
        };
        lock.lock_shared()?;
        // It may have been removed before it was locked.
        let held = lock.metadata()?;
        let facts = folder.metadata();
        let is_there = facts.is_ok_and(|facts| (facts.dev(), facts.ino()) == (held.dev(), held.ino()));
        Ok(is_there.then_some(Self { folder, digest, lock }))
    }
}

impl Drop for CheckedCopy {
    fn drop(&mut self) {
        // A trial's folder is gone already; any other remains are removed at the next start.
        let _gone = discard(&self.folder, &self.lock);
    }
}

/// Removes the copies that no process uses: those of killed processes.
pub fn remove_unused_copies(copies: &Path) -> io::Result<()> {
    let entries = match copies.read_dir() {
        Err(problem) if problem.kind() == ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let copy = entry?.path();
        discard(&copy, &File::open(&copy)?)?;
    }
    Ok(())
}

/// Removes a copy, unless another user has it locked.
fn discard(copy: &Path, lock: &File) -> io::Result<()> {
    if lock.try_lock().is_err() {
        return Ok(());
    }
    // The rename is atomic: another process finds the whole copy or no copy.
    let aside = copy.with_file_name(unguessable());
    fs::rename(copy, &aside)?;
    remove_copy(&aside)
}

/// Removes a folder of copies. Makes its read-only folders writable first: else only root could remove them.
pub fn remove_copy(folder: &Path) -> io::Result<()> {
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        fs::set_permissions(&folder, Permissions::from_mode(0o700))?;
        for entry in folder.read_dir()? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                folders.push(entry.path());
            }
        }
    }
    fs::remove_dir_all(folder)
}

/// Reads a folder once, and optionally writes a copy at the same time.
#[derive(Default)]
struct Walk {
    hash: Sha256,
    entries: usize,
    bytes: u64,
}

impl Walk {
    fn digest(mut self, from: &Dir, to: Option<&Path>) -> io::Result<Digest> {
        self.folder(from, Path::new(""), to, 0)?;
        Ok(Digest(self.hash.finalize().into()))
    }

    /// `path`: relative to the module's folder.
    fn folder(&mut self, from: &Dir, path: &Path, to: Option<&Path>, depth: usize) -> io::Result<()> {
        let mut entries = from.entries()?.collect::<io::Result<Vec<_>>>().map_err(|problem| at(path, &problem))?;
        self.entries += entries.len();
        if ENTRIES_MAX < self.entries || DEPTH_MAX < depth {
            return Err(too_much());
        }
        entries.sort_by_key(DirEntry::file_name);
        for entry in &entries {
            let path = path.join(entry.file_name());
            self.entry(entry, from, &path, to, depth).map_err(|problem| at(&path, &problem))?;
        }
        self.feed(b"end", &[]);
        if let Some(to) = to {
            fs::set_permissions(to, Permissions::from_mode(0o500))?;
        }
        Ok(())
    }

    fn entry(&mut self, entry: &DirEntry, from: &Dir, path: &Path, to: Option<&Path>, depth: usize) -> io::Result<()> {
        let name = entry.file_name();
        let to = to.map(|to| to.join(&name));
        let kind = entry.file_type()?;
        if kind.is_dir() {
            self.feed(b"folder", name.as_encoded_bytes());
            if let Some(to) = &to {
                DirBuilder::new().mode(0o700).create(to)?;
            }
            return self.folder(&from.open_dir(&name)?, path, to.as_deref(), depth + 1);
        }
        if kind.is_symlink() {
            let leads_to = from.read_link_contents(&name)?;
            self.feed(b"link", name.as_encoded_bytes());
            self.feed(b"to", leads_to.as_os_str().as_encoded_bytes());
            return to.map_or(Ok(()), |to| symlink(leads_to, to));
        }
        let mut options = cap_std::fs::OpenOptions::new();
        // Opening a pipe would wait for its writer.
        let flags = (OFlags::NONBLOCK | OFlags::NOFOLLOW).bits();
        let mut file = from.open_with(&name, options.read(true).custom_flags(flags.cast_signed()))?.into_std();
        let facts = file.metadata()?;
        if !facts.is_file() {
            return Err(io::Error::other(format!("`{}` is neither a file nor a folder nor a link", path.display())));
        }
        let is_program = facts.permissions().mode() & 0o111 != 0;
        let mut copy = match to {
            Some(to) => {
                let mode = if is_program { 0o500 } else { 0o400 };
                Some(OpenOptions::new().write(true).create_new(true).mode(mode).open(to)?)
            }
            None => None,
        };
        let content = self.content(&mut file, copy.as_mut())?;
        if let Some(copy) = copy {
            // Interpreters compare the time with that of their compiled files.
            copy.set_modified(facts.modified()?)?;
        }
        self.feed(if is_program { b"program" } else { b"file" }, name.as_encoded_bytes());
        self.feed(b"content", &content);
        Ok(())
    }

    fn content(&mut self, file: &mut File, mut copy: Option<&mut File>) -> io::Result<Vec<u8>> {
        let mut hash = Sha256::new();
        let mut piece = vec![0; 64 * 1024];
        loop {
            let n = file.read(&mut piece)?;
            let Some(read @ [_, ..]) = piece.get(..n) else { return Ok(hash.finalize().to_vec()) };
            self.bytes = self.bytes.saturating_add(u64::try_from(n).unwrap_or(u64::MAX));
            if BYTES_MAX < self.bytes {
                return Err(too_much());
            }
            hash.update(read);
            if let Some(copy) = &mut copy {
                copy.write_all(read)?;
            }
        }
    }

    /// Adds each part with its length, so that two different folders never have the same input.
    fn feed(&mut self, what: &[u8], bytes: &[u8]) {
        for part in [what, bytes] {
            self.hash.update(part.len().to_le_bytes());
            self.hash.update(part);
        }
    }
}

fn too_much() -> io::Error {
    io::Error::other(format!(
        "the folder holds more than {ENTRIES_MAX} files or {} MiB, or is deeper than {DEPTH_MAX}",
        BYTES_MAX / 1024 / 1024
    ))
}

/// Adds the path to a problem, once.
fn at(path: &Path, problem: &io::Error) -> io::Error {
    match problem.get_ref() {
        Some(_) => io::Error::new(problem.kind(), problem.to_string()),
        None => io::Error::new(problem.kind(), format!("`{}`: {problem}", path.display())),
    }
}

fn unguessable() -> String {
    format!(".{:016x}", std::collections::hash_map::RandomState::new().build_hasher().finish())
}

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

/// A file or folder that no program may read.
#[derive(Clone, Debug)]
pub struct Forbidden {
    /// Its name in messages.
    pub what: &'static str,
    pub path: PathBuf,
}

/// The read rights that a module requests, and the data that decides about them.
#[derive(Clone, Copy, Debug)]
pub struct AskedReads<'a> {
    pub module: &'a str,
    /// The module's folder, the base of relative paths.
    pub folder: &'a Path,
    /// `reads` of its manifest.
    pub reads: &'a [String],
    pub trusted: &'a TrustedRights,
    /// Paths that no program may read.
    pub forbidden: &'a [Forbidden],
}

impl AskedReads<'_> {
    /// Returns the paths outside the module's folder that the program may read, with links resolved. A path inside the
    /// folder is part of the copy. A missing path is left out: a link could be put in its place later.
    pub fn granted(&self) -> Result<Vec<PathBuf>, Vec<Fault>> {
        let folder = real(self.folder);
        let outside = |path: &&String| !real(&self.folder.join(path)).starts_with(&folder);
        let asked: Vec<_> = self.reads.iter().filter(outside).collect();
        let faults: Vec<_> = asked.iter().filter_map(|path| self.fault(path)).collect();
        if !faults.is_empty() {
            return Err(faults);
        }
        Ok(asked.iter().filter_map(|path| self.folder.join(path).canonicalize().ok()).collect())
    }

    fn fault(&self, path: &str) -> Option<Fault> {
        let wanted = real(&self.folder.join(path));
        let module = self.module;
        let shared = |forbidden: &&Forbidden| {
            let forbidden = real(&forbidden.path);
            wanted.starts_with(&forbidden) || forbidden.starts_with(&wanted)
        };
        let fault = |code, message, help| Some(Fault { code, at: FaultAt::Reads(path.to_owned()), message, help });
        if let Some(Forbidden { what, path: forbidden }) = self.forbidden.iter().find(shared) {
            return fault(
                Code::ReadsForbidden,
                format!("`{module}` asks to read {what}, `{}`", forbidden.display()),
                "name a path that neither holds it nor lies in it: no setting allows this".to_owned(),
            );
        }
        if is_granted(&wanted, self.folder, self.trusted) {
            return None;
        }
        let line = format!("reads = [{:?}]", wanted.display().to_string());
        fault(
            Code::RightNotTrusted,
            format!("the settings file does not let `{module}` read `{}`", wanted.display()),
            TrustedRights::help(module, &line),
        )
    }
}

/// Returns whether a module may read this path: in its folder, or as the operator grants.
pub fn is_granted(path: &Path, folder: &Path, trusted: &TrustedRights) -> bool {
    let wanted = real(path);
    let granted = trusted.reads.iter().map(|trusted| real(Path::new(trusted)));
    granted.chain([real(folder)]).any(|granted| wanted.starts_with(granted))
}

/// Returns the bot's own secret that `path` names, if a module wants to send it to its server.
pub fn own_secret<'a>(path: &str, forbidden: &'a [Forbidden]) -> Option<&'a Forbidden> {
    let wanted = real(Path::new(path));
    forbidden.iter().find(|forbidden| wanted.starts_with(real(&forbidden.path)))
}

/// Returns the path with links resolved as far as it exists; the rest without `.` and `..`.
fn real(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let there = absolute.ancestors().find_map(|above| Some((above.canonicalize().ok()?, above)));
    let Some((mut real, above)) = there else { return absolute };
    for component in absolute.strip_prefix(above).into_iter().flat_map(Path::components) {
        match component {
            Component::ParentDir => _ = real.pop(),
            other => real.push(other),
        }
    }
    real
}

/// Returns the files that may hold Discord's token.
pub fn token_files(env: impl Fn(&str) -> Option<OsString>) -> Vec<PathBuf> {
    env("DISCORD_TOKEN_FILE")
        .map(PathBuf::from)
        .into_iter()
        .chain([PathBuf::from("/run/secrets/discord_token")])
        .collect()
}

#[cfg(test)]
mod copy_tests {
    use super::*;

    fn module() -> (tempfile::TempDir, PathBuf, PathBuf) {
        let place = tempfile::tempdir().unwrap();
        let module = place.path().join("module");
        let copies = place.path().join("copies");
        fs::create_dir_all(module.join("lib")).unwrap();
        fs::write(module.join("lib/words"), "words").unwrap();
        fs::write(module.join("run.sh"), "#!/bin/sh").unwrap();
        fs::set_permissions(module.join("run.sh"), Permissions::from_mode(0o755)).unwrap();
        symlink("run.sh", module.join("run")).unwrap();
        symlink("/etc/passwd", module.join("outside")).unwrap();
        (place, module, copies)
    }

    #[test]
    fn a_copy_is_whole_and_read_only_and_its_links_stay_links() {
        let (_place, module, copies) = module();
        let copy = CheckedCopy::of(&module, &copies).unwrap();
        let mode = |name: &str| fs::symlink_metadata(copy.folder().join(name)).unwrap().permissions().mode() & 0o777;
        assert_eq!([mode(""), mode("lib"), mode("lib/words"), mode("run.sh")], [0o500, 0o500, 0o400, 0o500]);
        assert_eq!(fs::read_to_string(copy.folder().join("lib/words")).unwrap(), "words");
        assert_eq!(fs::read_link(copy.folder().join("run")).unwrap(), Path::new("run.sh"));
        assert_eq!(fs::read_link(copy.folder().join("outside")).unwrap(), Path::new("/etc/passwd"));
        let times =
            [&module, copy.folder()].map(|folder| folder.join("run.sh").metadata().unwrap().modified().unwrap());
        assert_eq!(times[0], times[1]);
    }

    #[test]
    fn what_is_the_same_has_one_copy_and_every_difference_another() {
        let (_place, module, copies) = module();
        let first = CheckedCopy::of(&module, &copies).unwrap();
        assert_eq!(CheckedCopy::of(&module, &copies).unwrap().folder(), first.folder());
        let mut seen = vec![first.folder().to_owned()];
        let mut held = Vec::new();
        let file = module.join("lib/words");
        let changes: [&dyn Fn(); 5] = [
            &|| fs::write(&file, "other").unwrap(),
            &|| fs::set_permissions(&file, Permissions::from_mode(0o755)).unwrap(),
            &|| fs::rename(&file, module.join("words")).unwrap(),
            &|| fs::remove_dir(module.join("lib")).unwrap(),
            &|| symlink("words", module.join("lib")).unwrap(),
        ];
        for change in changes {
            change();
            let copy = CheckedCopy::of(&module, &copies).unwrap();
            assert!(!seen.iter().any(|known| known == copy.folder()), "{seen:?}");
            seen.push(copy.folder().to_owned());
            held.push(copy);
        }
        assert_eq!(fs::read_to_string(first.folder().join("lib/words")).unwrap(), "words");
    }

    #[test]
    fn a_copy_is_removed_with_the_last_that_uses_it_and_what_a_crash_left_at_the_next_start() {
        let (_place, module, copies) = module();
        let first = CheckedCopy::of(&module, &copies).unwrap();
        let again = CheckedCopy::of(&module, &copies).unwrap();
        let folder = again.folder().to_owned();
        drop(first);
        assert!(folder.join("run.sh").is_file());
        fs::create_dir_all(copies.join(".left/by/a/crash")).unwrap();
        fs::set_permissions(copies.join(".left/by"), Permissions::from_mode(0o500)).unwrap();
        remove_unused_copies(&copies).unwrap();
        assert!(folder.join("run.sh").is_file());
        assert_eq!(copies.read_dir().unwrap().count(), 1);
        drop(again);
        assert_eq!(copies.read_dir().unwrap().count(), 0);
        remove_unused_copies(&copies.join("none")).unwrap();
    }

    #[test]
    fn pipes_and_folders_without_end_are_refused_and_nothing_is_left() {
        let (_place, module, copies) = module();
        let pipe = module.join("lib/pipe");
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        let problem = CheckedCopy::of(&module, &copies).unwrap_err().to_string();
        assert!(problem.contains("`lib/pipe` is neither a file"), "{problem}");
        fs::remove_file(pipe).unwrap();
        let deep = (0..=DEPTH_MAX).fold(module.clone(), |folder, _| folder.join("a"));
        fs::create_dir_all(deep).unwrap();
        let problem = CheckedCopy::of(&module, &copies).unwrap_err().to_string();
        assert!(problem.contains("is deeper than 64"), "{problem}");
        assert_eq!(copies.read_dir().unwrap().count(), 0);
        let missing = CheckedCopy::of(&module.join("none"), &copies).unwrap_err().to_string();
        assert!(missing.contains("none`: "), "{missing}");
    }
}

#[cfg(test)]
mod exec_tests {
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
