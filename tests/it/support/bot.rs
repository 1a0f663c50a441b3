//! The real binary in a folder of its own, for tests from the outside.

use std::io::{BufRead as _, BufReader, Read, Write as _};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// How long anything may take on a busy machine. Nothing waits this long when all is well.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// A folder with a settings file in which the binary is run.
pub(crate) struct Folder(TempDir);

impl Folder {
    /// An empty folder: the binary runs on its defaults.
    pub(crate) fn empty() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// A folder with these settings.
    pub(crate) fn with(config: &str) -> Self {
        Self::empty().set_to(config)
    }

    /// The same with these settings. The admin port is chosen by the system, so that tests can run side by side.
    pub(crate) fn set_to(self, config: &str) -> Self {
        let admin = if config.contains("[admin]") { "" } else { "\n[admin]\nlisten = \"127.0.0.1:0\"\n" };
        // People of tests write faster than people, and to the bot alone.
        let open = "\n[chat.access]\nper_minute = 600\ndirect = \"everybody\"\n";
        let access = if config.contains("[chat.access]") { "" } else { open };
        std::fs::write(self.path().join("config.toml"), format!("{config}{admin}{access}")).unwrap();
        self
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// The binary, or the one in `CANDOR_PROGRAM`, to be run here with nothing inherited that could steer it.
    pub(crate) fn candor(&self, arguments: &[&str]) -> Command {
        let program = std::env::var_os("CANDOR_PROGRAM").unwrap_or_else(|| env!("CARGO_BIN_EXE_candor").into());
        let mut command = Command::new(program);
        command.args(arguments).current_dir(self.path());
        for variable in
            ["DISCORD_TOKEN", "DISCORD_TOKEN_FILE", "DISCORD_PROXY", "RUST_LOG", "LC_ALL", "LC_MESSAGES", "LANG"]
        {
            command.env_remove(variable);
        }
        command
    }

    /// Runs it to its end.
    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.candor(arguments).stdin(Stdio::null()).output().unwrap()
    }

    /// Runs the console over piped lines.
    pub(crate) fn console(&self, lines: &str) -> Output {
        let mut command = self.candor(&["console"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
        child.wait_with_output().unwrap()
    }
}

/// The lines that a process writes, as they come.
pub(crate) struct Lines(Arc<(Mutex<Vec<String>>, Condvar)>, JoinHandle<()>);

impl Lines {
    /// Those that can be read here.
    pub(crate) fn of(output: impl Read + Send + 'static) -> Self {
        let lines = Arc::new((Mutex::new(Vec::new()), Condvar::new()));
        let heard = lines.clone();
        let reading = thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                heard.0.lock().unwrap().push(line);
                heard.1.notify_all();
            }
        });
        Self(lines, reading)
    }

    /// The first line that contains all of these, now or soon.
    pub(crate) fn hears(&self, wanted: &[&str]) -> String {
        self.hears_nth(0, wanted)
    }

    /// The same after so many others that do.
    fn hears_nth(&self, n: usize, wanted: &[&str]) -> String {
        let (lines, more) = &*self.0;
        let end = Instant::now() + PATIENCE;
        let mut lines = lines.lock().unwrap();
        loop {
            if let Some(line) = lines.iter().filter(|line| wanted.iter().all(|part| line.contains(part))).nth(n) {
                return line.clone();
            }
            let left = end.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "no line with {wanted:?} in\n{}", lines.join("\n"));
            lines = more.wait_timeout(lines, left).unwrap().0;
        }
    }

    /// All of them, once the process has ended.
    pub(crate) fn all_until_the_end(self) -> String {
        self.1.join().unwrap();
        let lines = self.0.0.lock().unwrap();
        lines.join("\n")
    }

    /// All so far.
    pub(crate) fn all(&self) -> String {
        self.0.0.lock().unwrap().join("\n")
    }
}

/// `candor run`, with its log at hand. Killed when dropped.
pub(crate) struct Bot {
    child: Child,
    log: Lines,
}

impl Bot {
    /// Starts it with a token, pointed at a stand-in.
    pub(crate) fn start(folder: &Folder, proxy: &str) -> Self {
        Self::start_with(folder.candor(&["run"]).env("DISCORD_PROXY", proxy).env("DISCORD_TOKEN", "test.token"))
    }

    pub(crate) fn start_with(command: &mut Command) -> Self {
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let log = Lines::of(child.stderr.take().unwrap());
        Self { child, log }
    }

    /// The first line of the log that contains all of these, now or soon.
    pub(crate) fn hears(&self, wanted: &[&str]) -> String {
        self.log.hears(wanted)
    }

    /// The same after so many others that do.
    pub(crate) fn hears_nth(&self, n: usize, wanted: &[&str]) -> String {
        self.log.hears_nth(n, wanted)
    }

    /// Everything logged so far.
    pub(crate) fn log(&self) -> String {
        self.log.all()
    }

    /// The process's number.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Whether it has ended by itself.
    pub(crate) fn has_ended(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// Asks it to stop, and waits until it has.
    pub(crate) fn stop(mut self) -> ExitStatus {
        let asked = Command::new("kill").args(["-TERM", &self.pid().to_string()]).status().unwrap();
        assert!(asked.success());
        self.wait()
    }

    /// Waits for its own end.
    pub(crate) fn wait(&mut self) -> ExitStatus {
        let end = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(Instant::now() < end, "still running after {PATIENCE:?}:\n{}", self.log());
            thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Bot {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _gone = self.child.kill();
        let _reaped = self.child.wait();
    }
}
