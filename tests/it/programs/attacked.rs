//! A module that attacks the bot: run by a real bot of an unprivileged user, with namespaces and without.

use std::fs;
use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;

use super::modules::folder;
use super::{are_gone, containment, has, processes_with};
use crate::support::bot::Folder;

/// The user of the bot where the tests run as root: that of its image.
const USER: u32 = 65_532;

const MANIFEST: &str = r#"
[module]
name = "NAME"
summary = "Attacks the bot"
kind = "exec"

[run]
program = "attacks.py"
PORTS

[commands."/NAME"]
description = "Attack"
writes = false
probe = {}
"#;

const HOG: &str = r#"
[module]
name = "hog"
summary = "Uses more than it may"
kind = "exec"

[run]
program = "hog.py"
memory_mib = 128
time_s = 60

[commands."/hog"]
description = "Use much"
writes = false
probe = { what = "nothing" }

[commands."/hog".options.what]
description = "What to use"
required = true
"#;

/// A bot of an unprivileged user.
struct Bot {
    folder: Folder,
    _bin: tempfile::TempDir,
    binary: PathBuf,
    user: Option<u32>,
}

impl Bot {
    fn with(files: &[(&str, &str)]) -> Self {
        let folder = folder(files);
        let user = rustix::process::geteuid().is_root().then_some(USER);
        // The folder of the sources may be closed to others.
        let bin = tempfile::tempdir().unwrap();
        fs::set_permissions(bin.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let (built, binary) = (env!("CARGO_BIN_EXE_candor"), bin.path().join("candor"));
        fs::hard_link(built, &binary).or_else(|_| fs::copy(built, &binary).map(drop)).unwrap();
        fs::write(folder.path().join("without_call.py"), include_str!("without_call.py")).unwrap();
        Self { folder, _bin: bin, binary, user }
    }

    fn give(&self, path: &Path) {
        if let Some(user) = self.user {
            chown(path, Some(user), Some(user)).unwrap();
        }
        if path.is_dir() {
            fs::read_dir(path).unwrap().for_each(|entry| self.give(&entry.unwrap().path()));
        }
    }

    /// A command of this user.
    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        if let Some(user) = self.user {
            command.uid(user).gid(user);
        }
        let path = std::env::var_os("PATH").unwrap();
        command.env_clear().env("PATH", path).current_dir(self.folder.path()).stdin(Stdio::null());
        command
    }

    fn bot(&self, with_namespaces: bool, arguments: &[&str]) -> Command {
        let mut command = match with_namespaces {
            true => self.command(&self.binary),
            false => {
                let mut python = self.command(Path::new("python3"));
                python.args(["without_call.py", "unshare"]).arg(&self.binary);
                python
            }
        };
        command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn tries(&self, with_namespaces: bool, arguments: &[&str]) -> String {
        let output = self.bot(with_namespaces, arguments).output().unwrap();
        String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap()
    }
}

/// Ends a process with the test.
struct Decoy(Child);

impl Drop for Decoy {
    fn drop(&mut self) {
        let _gone = self.0.kill();
        let _waited = self.0.wait();
    }
}

/// The modes of this machine: with namespaces, if the bot's user may make some, and without. Root may make some where
/// others may not.
fn modes() -> impl Iterator<Item = bool> {
    static HAS_NAMESPACES: LazyLock<bool> = LazyLock::new(|| {
        // CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWPID and CLONE_NEWNET.
        let unshare = "import ctypes, sys; sys.exit(ctypes.CDLL(None).unshare(0x70020000) != 0)";
        let bot = Bot::with(&[]);
        let status = bot.command(Path::new("python3")).args(["-c", unshare]).status();
        containment().has_namespaces && status.is_ok_and(|status| status.success())
    });
    [true, false].into_iter().filter(|with| !with || *HAS_NAMESPACES)
}

fn can_attack() -> bool {
    let can = containment().confines() && has("python3", "what is said of attacks");
    if !can {
        assert!(std::env::var_os("CI").is_none(), "under CI, programs are confined: {}", containment());
    }
    can
}

/// How each attack ends: without ports and with one, in namespaces and without. The file of another folder, the other
/// process and the sockets are those of the same user.
const ENDS: &[(&str, [&str; 4])] = &[
    ("tcp", ["EPERM", "EPERM", "EACCES", "EACCES"]),
    ("mptcp", ["EPERM"; 4]),
    ("fast-open", ["EPERM"; 4]),
    ("fast-open-message", ["EPERM"; 4]),
    ("fast-open-option", ["EPERM"; 4]),
    ("tcp-layer", ["EPERM"; 4]),
    ("unix-path", ["EPERM"; 4]),
    ("unix-abstract", ["EPERM"; 4]),
    ("unix-datagram", ["EPERM"; 4]),
    ("bind", ["EPERM", "EPERM", "EACCES", "EACCES"]),
    ("listen", ["EPERM"; 4]),
    ("accept", ["EPERM"; 4]),
    ("raw", ["EPERM"; 4]),
    ("netlink", ["EPERM"; 4]),
    ("packet", ["EPERM"; 4]),
    ("vsock", ["EPERM"; 4]),
    ("sctp", ["EPERM"; 4]),
    ("io-uring", ["ENOSYS"; 4]),
    ("limit-files", ["ESRCH", "EPERM", "ESRCH", "EPERM"]),
    ("limit-descriptors", ["ESRCH", "EPERM", "ESRCH", "EPERM"]),
    ("limit-processor", ["ESRCH", "EPERM", "ESRCH", "EPERM"]),
    ("priority", ["ESRCH", "EPERM", "ESRCH", "EPERM"]),
    ("affinity", ["ESRCH", "EPERM", "ESRCH", "EPERM"]),
    ("scheduler", ["ESRCH", "EPERM", "ESRCH", "EPERM"]),
    ("scheduling", ["ESRCH", "EPERM", "ESRCH", "EPERM"]),
    ("io-priority", ["ESRCH", "EPERM", "ESRCH", "EPERM"]),
    ("signal", ["ESRCH", "EPERM", "ESRCH", "EPERM"]),
    ("ptrace", ["EPERM"; 4]),
    ("memory", ["EPERM"; 4]),
    ("descriptor", ["EPERM"; 4]),
    ("read", ["EACCES"; 4]),
    ("write", ["EROFS", "EACCES", "EROFS", "EACCES"]),
    ("chmod", ["EROFS", "EPERM", "EROFS", "EPERM"]),
    ("chmod-of-link", ["EROFS", "EPERM", "EROFS", "EPERM"]),
    ("chmod-of-path", ["EROFS", "EPERM", "EROFS", "EPERM"]),
    ("chown", ["EROFS", "EPERM", "EROFS", "EPERM"]),
    ("utime", ["EROFS", "EPERM", "EROFS", "EPERM"]),
    ("attribute", ["EROFS", "EPERM", "EROFS", "EPERM"]),
    ("unshare", ["EPERM"; 4]),
    ("clone", ["EPERM"; 4]),
    ("mount", ["EPERM"; 4]),
    ("memory-file", ["ENOSYS"; 4]),
    ("shared-memory", ["EPERM"; 4]),
    ("x32", ["ENOSYS"; 4]),
    ("localhost", ["EPERM", "EPERM", "done", "done"]),
    ("stream-pair", ["done"; 4]),
    ("own-affinity", ["done"; 4]),
    ("own-limit", ["done"; 4]),
    ("own-file", ["done"; 4]),
    ("own-path", ["done", "EPERM", "done", "EPERM"]),
];

#[test]
fn what_it_attacks_stays_as_it_is_and_it_gets_an_error() {
    if !can_attack() {
        return;
    }
    let (attacked, allowed) = (TcpListener::bind("127.0.0.1:0").unwrap(), TcpListener::bind("127.0.0.1:0").unwrap());
    let port_of = |listener: &TcpListener| listener.local_addr().unwrap().port();
    let manifest = |name: &str, ports: &str| MANIFEST.replace("NAME", name).replace("PORTS", ports);
    let (plain, with_port) = (manifest("plain", ""), manifest("net", &format!("ports = [{}]", port_of(&allowed))));
    let attacks = include_str!("attacks.py");
    let bot = Bot::with(&[
        ("plain/module.toml", &plain),
        ("plain/attacks.py", attacks),
        ("net/module.toml", &with_port),
        ("net/attacks.py", attacks),
    ]);
    let trusted = format!("[modules.trusted.net]\nports = [{}]\n", port_of(&allowed));
    fs::write(bot.folder.path().join("config.toml"), trusted).unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let at = |name: &str| elsewhere.path().join(name);
    fs::write(at("settings"), "kept").unwrap();
    fs::set_permissions(at("settings"), fs::Permissions::from_mode(0o600)).unwrap();
    let (unix, datagrams) = (UnixListener::bind(at("unix")).unwrap(), UnixDatagram::bind(at("datagrams")).unwrap());
    let name = format!("candor-{}", std::process::id());
    let hidden = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
    bot.give(elsewhere.path());
    let decoy = Decoy(bot.command(Path::new("sleep")).arg("600").spawn().unwrap());
    let targets = serde_json::json!({
        "process": decoy.0.id(), "file": at("settings"), "port": port_of(&attacked), "open_port": port_of(&allowed),
        "unix": at("unix"), "datagrams": at("datagrams"), "abstract": name,
    });
    for module in ["plain", "net"] {
        fs::write(bot.folder.path().join("modules").join(module).join("targets.json"), targets.to_string()).unwrap();
    }
    bot.give(bot.folder.path());
    let state = || {
        let metadata = at("settings").metadata().unwrap();
        let of_process = |file: &str| fs::read_to_string(format!("/proc/{}/{file}", decoy.0.id())).unwrap();
        let scheduled = of_process("stat").split(' ').skip(17).take(2).map(str::to_owned).collect::<Vec<_>>();
        (metadata.permissions().mode(), metadata.modified().unwrap(), of_process("limits"), scheduled)
    };
    let before = state();
    let mut wrong = Vec::new();
    for with_namespaces in modes() {
        for (n, command) in ["/plain", "/net"].into_iter().enumerate() {
            let said = bot.tries(with_namespaces, &["try", command]);
            for (attack, ends) in ENDS {
                let expected = format!("{attack}={};", ends[2 * n + usize::from(!with_namespaces)]);
                if !said.split_whitespace().any(|word| word == expected) {
                    wrong.push(format!("{command}, namespaces {with_namespaces}: not {expected} in {said}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(state(), before);
    attacked.set_nonblocking(true).unwrap();
    unix.set_nonblocking(true).unwrap();
    hidden.set_nonblocking(true).unwrap();
    datagrams.set_nonblocking(true).unwrap();
    assert!(attacked.accept().is_err() && unix.accept().is_err() && hidden.accept().is_err());
    assert!(datagrams.recv(&mut [0; 8]).is_err());
}

#[test]
fn what_it_uses_counts_with_all_that_it_starts() {
    if !can_attack() {
        return;
    }
    let bot = Bot::with(&[("hog/module.toml", HOG), ("hog/hog.py", include_str!("hog.py"))]);
    bot.give(bot.folder.path());
    for with_namespaces in modes() {
        let said = bot.tries(with_namespaces, &["try", "/hog what: memory"]);
        assert!(said.contains("it used more than 128 MiB of memory in all"), "{with_namespaces}: {said}");
        assert!(said.contains("module=hog"), "{said}");
        let said = bot.tries(with_namespaces, &["try", "/hog what: processes"]);
        let expected = if with_namespaces { "fork EAGAIN after 6" } else { "it ran more than 64 processes" };
        assert!(said.contains(expected), "{with_namespaces}: {said}");
    }
}

#[test]
fn what_is_refused_fails_its_call_is_logged_with_its_module_and_stops_no_other_call() {
    if !can_attack() {
        return;
    }
    let bot = Bot::with(&[("hog/module.toml", HOG), ("hog/hog.py", include_str!("hog.py"))]);
    bot.give(bot.folder.path());
    for with_namespaces in modes() {
        for (what, error) in [
            ("socket", "Operation not permitted"),
            ("path", "Permission denied: '/etc/shadow'"),
            ("mode", if with_namespaces { "Read-only file system" } else { "Operation not permitted" }),
        ] {
            let said = bot.tries(with_namespaces, &["try", &format!("/hog what: {what}")]);
            let logged = said.lines().find(|line| line.contains("handler failed")).unwrap_or_default();
            assert!(logged.contains("module=hog") && logged.contains(error), "{what}, {with_namespaces}: {said}");
            let told = said.lines().find(|line| line.contains("✗ /hog")).unwrap_or_default();
            assert!(!told.is_empty() && !told.contains(error), "{what}, {with_namespaces}: {said}");
        }
        let said = bot.tries(with_namespaces, &["try", "/hog what: nothing", "/tasks add title: milk"]);
        assert!(said.contains("fine") && said.contains("/tasks add"), "{with_namespaces}: {said}");
    }
}

#[tokio::test]
async fn nothing_outlives_a_bot_that_is_killed() {
    if !can_attack() {
        return;
    }
    let bot = Bot::with(&[("hog/module.toml", HOG), ("hog/hog.py", include_str!("hog.py"))]);
    bot.give(bot.folder.path());
    for with_namespaces in modes() {
        let mut running = bot.bot(with_namespaces, &["try", "/hog what: leave"]).spawn().unwrap();
        while processes_with("sleep 454545") == 0 {
            assert!(running.try_wait().unwrap().is_none(), "it ended");
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
        running.kill().unwrap();
        running.wait().unwrap();
        are_gone("sleep 454545").await;
    }
}

#[test]
fn a_machine_that_cannot_hold_a_promise_says_so() {
    use candor_outside::programs::{Containment, FileRules};

    let whole = Containment { landlock: FileRules::FilesPortsAndSignals, has_seccomp: true, has_namespaces: true };
    let cases = [
        (whole, "Landlock and seccomp, with namespaces of their own"),
        (Containment { has_namespaces: false, ..whole }, "without namespaces: a program can change mode"),
        (Containment { landlock: FileRules::Files, ..whole }, "lets a program with `ports` reach every port"),
        (
            Containment { landlock: FileRules::FilesAndPorts, has_namespaces: false, ..whole },
            "lets a program send signals to the bot",
        ),
        (Containment { has_seccomp: false, ..whole }, "nothing: this kernel has no seccomp filter"),
        (Containment { landlock: FileRules::Nothing, ..whole }, "nothing: this kernel has no Landlock"),
    ];
    for (containment, expected) in cases {
        let said = containment.to_string();
        assert!(said.contains(expected), "{said}");
        assert_eq!(containment.confines(), !said.starts_with("nothing"), "{said}");
    }
}
