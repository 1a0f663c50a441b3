//! Confines a program: Landlock, a seccomp filter and, where this machine allows them, namespaces.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, CompatLevel, Compatible as _, NetPort, Ruleset, RulesetAttr as _,
    RulesetCreatedAttr as _, RulesetError, RulesetStatus, Scope, path_beneath_rules,
};
use libc::c_long;
use nix::sched::{CloneFlags, unshare};
use rustix::io::Errno;
use rustix::mount::{MountFlags, MountPropagationFlags, mount, mount_bind_recursive, mount_change, mount_remount};
use rustix::process::{getgid, getuid};
use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, clear_ambient_capability_set, configure_capability_in_ambient_set,
    remove_capability_from_bounding_set, set_capabilities,
};
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen as Length, SeccompCmpOp as Is, SeccompCondition,
    SeccompFilter, SeccompRule, TargetArch, apply_filter, sock_filter,
};
use serde::{Deserialize, Serialize};

/// The paths that every program may read and execute: the system's programs and libraries, and a few files that they
/// use. Not `/opt`, where a bot and its token file may be installed. Not the whole of `/proc`, which shows the
/// environment of other processes of the same user.
const SYSTEM: [&str; 25] = [
    "/usr",
    "/lib",
    "/lib32",
    "/lib64",
    "/bin",
    "/sbin",
    "/nix/store",
    "/etc/alternatives",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/localtime",
    "/etc/ssl",
    "/etc/hosts",
    "/etc/nsswitch.conf",
    "/etc/passwd",
    "/etc/resolv.conf",
    "/proc/cpuinfo",
    "/proc/loadavg",
    "/proc/meminfo",
    "/proc/stat",
    "/proc/uptime",
    "/proc/version",
    "/dev/urandom",
    "/dev/random",
];

/// Devices that every program may write to.
const DEVICES: [&str; 2] = ["/dev/null", "/dev/zero"];

const NO_LANDLOCK: &str = "this kernel has no Landlock, or it is switched off";

/// Restricts this process and its children to these files and ports. Fails if the kernel cannot restrict files; older
/// kernels do not restrict ports and signals. `processes` is the visible part of `/proc`.
fn restrict(reads: &[PathBuf], processes: PathBuf, writes: &[PathBuf], ports: &[u16]) -> Result<(), String> {
    let told = |problem: RulesetError| problem.to_string();
    let newest = ABI::V6;
    let read = AccessFs::from_read(newest);
    let all = AccessFs::from_all(newest);
    let system = SYSTEM.iter().map(PathBuf::from).chain([processes]);
    let status = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(ABI::V1))
        .map_err(|_| NO_LANDLOCK.to_owned())?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(all)
        .map_err(told)?
        .handle_access(AccessNet::from_all(newest))
        .map_err(told)?
        .scope(Scope::from_all(newest))
        .map_err(told)?
        .create()
        .map_err(told)?
        .add_rules(path_beneath_rules(system, read))
        .map_err(told)?
        .add_rules(path_beneath_rules(reads, read))
        .map_err(told)?
        .add_rules(path_beneath_rules(DEVICES, AccessFs::from_file(newest)))
        .map_err(told)?
        .add_rules(path_beneath_rules(writes, all))
        .map_err(told)?
        .add_rules(ports.iter().map(|port| Ok::<_, RulesetError>(NetPort::new(*port, AccessNet::ConnectTcp))))
        .map_err(told)?
        .restrict_self()
        .map_err(told)?;
    match status.ruleset {
        RulesetStatus::NotEnforced => Err(NO_LANDLOCK.to_owned()),
        RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced => Ok(()),
    }
}

/// The kinds of Landlock rules that this machine supports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileRules {
    Nothing,
    Files,
    FilesAndPorts,
    FilesPortsAndSignals,
}

/// Returns the kinds of Landlock rules that this machine supports. Does not confine this process.
pub(in crate::programs) fn file_rules() -> FileRules {
    let hard = || Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    let holds = |rules: Result<Ruleset, RulesetError>| rules.and_then(Ruleset::create).is_ok();
    if !holds(hard().handle_access(AccessFs::from_all(ABI::V1))) {
        FileRules::Nothing
    } else if !holds(hard().handle_access(AccessNet::from_all(ABI::V4))) {
        FileRules::Files
    } else if !holds(hard().scope(Scope::from_all(ABI::V6))) {
        FileRules::FilesAndPorts
    } else {
        FileRules::FilesPortsAndSignals
    }
}

/// Leaves the user, process and other namespaces of the bot, except its mounts: [`own_mounts`] follows in the process
/// that this one starts next, which may mount.
pub(in crate::programs) fn leave(has_ports: bool) -> Result<(), String> {
    let user = getuid().as_raw();
    let group = getgid().as_raw();
    let network = if has_ports { CloneFlags::empty() } else { CloneFlags::CLONE_NEWNET };
    let others = CloneFlags::CLONE_NEWUSER | CloneFlags::CLONE_NEWPID | CloneFlags::CLONE_NEWIPC;
    unshare(others | network).map_err(|problem| format!("no namespaces: {problem}"))?;
    for (file, text) in [
        ("setgroups", "deny".to_owned()),
        ("uid_map", format!("{user} {user} 1")),
        ("gid_map", format!("{group} {group} 1")),
    ] {
        fs::write(Path::new("/proc/self").join(file), text).map_err(|problem| format!("{file}: {problem}"))?;
    }
    let may_mount = || {
        let own = capabilities(None)?;
        set_capabilities(None, CapabilitySets { inheritable: CapabilitySet::SYS_ADMIN, ..own })?;
        configure_capability_in_ambient_set(CapabilitySet::SYS_ADMIN, true)
    };
    may_mount().map_err(|problem: Errno| format!("capabilities: {problem}"))
}

/// Makes everything except these folders read-only, and shows in `/proc` only the processes of this namespace.
fn own_mounts(writes: &[PathBuf]) -> Result<(), String> {
    unshare(CloneFlags::CLONE_NEWNS).map_err(|problem| format!("no mounts: {problem}"))?;
    let at = |path: &Path, problem: Errno| format!("mount `{}`: {problem}", path.display());
    let root = Path::new("/");
    mount_change(root, MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)
        .map_err(|problem| at(root, problem))?;
    for folder in writes {
        mount_bind_recursive(folder, folder).map_err(|problem| at(folder, problem))?;
    }
    let mounts = fs::read("/proc/self/mountinfo").map_err(|problem| problem.to_string())?;
    for (point, flags) in mounts.split(|byte| *byte == b'\n').filter_map(mount_point) {
        if writes.iter().any(|folder| point.starts_with(folder)) {
            continue;
        }
        match mount_remount(&point, MountFlags::BIND | MountFlags::RDONLY | flags, "") {
            // Another mount hides it, or this user cannot reach it; then the program cannot either.
            Ok(()) | Err(Errno::INVAL | Errno::NOENT | Errno::ACCESS) => {}
            Err(problem) => return Err(at(&point, problem)),
        }
    }
    let flags = MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    mount("proc", "/proc", "proc", flags, None).map_err(|problem| at(Path::new("/proc"), problem))
}

/// Gives up all capabilities, for good.
fn drop_capabilities() -> Result<(), Errno> {
    clear_ambient_capability_set()?;
    // Only root would get them again by executing the next program.
    if getuid().is_root() {
        for capability in CapabilitySet::all().iter() {
            match remove_capability_from_bounding_set(capability) {
                // The kernel is older than this capability.
                Ok(()) | Err(Errno::INVAL) => {}
                Err(problem) => return Err(problem),
            }
        }
    }
    let none = CapabilitySet::empty();
    set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none })
}

/// Parses the mount point of a line of `mountinfo`, and the flags that a new mount must keep: see
/// `proc_pid_mountinfo(5)`.
fn mount_point(line: &[u8]) -> Option<(PathBuf, MountFlags)> {
    let mut words = line.split(|byte| *byte == b' ').skip(4);
    let point = PathBuf::from(OsString::from_vec(unescaped(words.next()?)));
    let flags = words.next()?.split(|byte| *byte == b',').map(|option| match option {
        b"nosuid" => MountFlags::NOSUID,
        b"nodev" => MountFlags::NODEV,
        b"noexec" => MountFlags::NOEXEC,
        _ => MountFlags::empty(),
    });
    Some((point, flags.collect()))
}

/// Reads escapes such as `\040` for a space.
fn unescaped(path: &[u8]) -> Vec<u8> {
    let mut pieces = path.split(|byte| *byte == b'\\');
    let mut read = pieces.next().unwrap_or_default().to_vec();
    for piece in pieces {
        let (digits, rest) = piece.split_at(piece.len().min(3));
        let byte = std::str::from_utf8(digits).ok().and_then(|digits| u8::from_str_radix(digits, 8).ok());
        read.extend(byte);
        read.extend(rest);
    }
    read
}

#[derive(Debug, Default, Serialize, Deserialize)]
pub(in crate::programs) struct Rules {
    /// Files and folders that it may read and execute, beside the system's.
    pub(in crate::programs) reads: Vec<PathBuf>,
    pub(in crate::programs) writes: Vec<PathBuf>,
    /// The TCP ports that it may connect to.
    pub(in crate::programs) ports: Vec<u16>,
    /// Whether it has namespaces of its own.
    pub(in crate::programs) is_alone: bool,
}

/// Enforces the rules for this process and its children, and changes to this folder.
pub(in crate::programs) fn confine(rules: &Rules, folder: &Path) -> Result<(), String> {
    if rules.is_alone {
        own_mounts(&rules.writes)?;
        // The current folder still refers to the old mount.
        std::env::set_current_dir(folder).map_err(|problem| format!("{}: {problem}", folder.display()))?;
    }
    drop_capabilities().map_err(|problem| format!("capabilities: {problem}"))?;
    let processes = match rules.is_alone {
        true => PathBuf::from("/proc"),
        false => PathBuf::from(format!("/proc/{}", std::process::id())),
    };
    restrict(&rules.reads, processes, &rules.writes, &rules.ports)?;
    refuse_calls(!rules.ports.is_empty(), rules.is_alone)
}

const EPERM: u32 = 1;
const ENOSYS: u32 = 38;

#[cfg(target_arch = "x86_64")]
const MACHINE: (TargetArch, u32) = (TargetArch::x86_64, 0xC000_003E);
#[cfg(target_arch = "aarch64")]
const MACHINE: (TargetArch, u32) = (TargetArch::aarch64, 0xC000_00B7);

/// The call numbers of the x32 ABI start here. They would bypass rules that compare numbers.
const X32_FIRST: u32 = 0x4000_0000;

/// Answered as if the kernel did not have them: programs then use an older call, or do without. `clone3` hides its
/// flags from a filter; memory of `memfd_create` belongs to no process, so no limit counts it.
const UNKNOWN: [c_long; 3] = [libc::SYS_clone3, libc::SYS_io_uring_setup, libc::SYS_memfd_create];

/// Refused in every program: servers, other processes, namespaces and mounts, memory that outlives its process, and
/// rarely used parts of the kernel.
const REFUSED: [c_long; 37] = [
    libc::SYS_listen,
    libc::SYS_accept,
    libc::SYS_accept4,
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_process_mrelease,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_migrate_pages,
    libc::SYS_move_pages,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_open_by_handle_at,
    libc::SYS_shmget,
    libc::SYS_msgget,
    libc::SYS_semget,
    libc::SYS_mq_open,
    libc::SYS_memfd_secret,
    libc::SYS_add_key,
    libc::SYS_keyctl,
    libc::SYS_request_key,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_fanotify_init,
];

/// Change the mode, owner, times or attributes of a file by its path. A read-only mount restricts them to the working
/// folder; without mounts they are refused. By a file descriptor they are allowed: Landlock rules which files can be
/// opened.
const CHANGE_BY_PATH: [c_long; 10] = [
    libc::SYS_fchmodat,
    libc::SYS_fchownat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    452, // fchmodat2, setxattrat, removexattrat and file_setattr: the same number on every processor
    463,
    466,
    469,
];

#[cfg(target_arch = "x86_64")]
const CHANGE_BY_PATH_OF_OLD: &[c_long] =
    &[libc::SYS_chmod, libc::SYS_chown, libc::SYS_lchown, libc::SYS_utime, libc::SYS_utimes, libc::SYS_futimesat];
#[cfg(target_arch = "aarch64")]
const CHANGE_BY_PATH_OF_OLD: &[c_long] = &[];

/// Set the scheduling of a process; the first argument is its number.
const SCHEDULE: [c_long; 4] =
    [libc::SYS_sched_setaffinity, libc::SYS_sched_setscheduler, libc::SYS_sched_setparam, libc::SYS_sched_setattr];

/// Values of the first argument: the second is a process, not a group or a user.
const PRIO_PROCESS: u64 = 0;
const IOPRIO_WHO_PROCESS: u64 = 1;

/// The flags of `clone` that make a namespace, from `CLONE_NEWNS` to `CLONE_NEWNET`.
const NEW_NAMESPACES: [u64; 7] =
    [0x0002_0000, 0x0200_0000, 0x0400_0000, 0x0800_0000, 0x1000_0000, 0x2000_0000, 0x4000_0000];

const AF_UNIX: u64 = 1;
const AF_INET: u64 = 2;
const AF_INET6: u64 = 10;
const SOCK_STREAM: u64 = 1;
const SOCK_DGRAM: u64 = 2;
const SOCK_SEQPACKET: u64 = 5;
/// `SOCK_NONBLOCK`, `SOCK_CLOEXEC` and both.
const SOCK_FLAGS: [u64; 4] = [0, 0x800, 0x8_0000, 0x8_0800];
const IPPROTO_TCP: u64 = 6;
const IPPROTO_UDP: u64 = 17;
/// Connects without `connect`, which Landlock does not see.
const MSG_FASTOPEN: u64 = 0x2000_0000;
/// `TCP_FASTOPEN`, `TCP_FASTOPEN_CONNECT`, and `TCP_ULP`, which puts another protocol over a connection.
const TCP_OPTIONS: [u64; 3] = [23, 30, 31];

/// Sets the filter for this process and its children. `is_alone`: it has namespaces of its own. Then it cannot name
/// other processes, and only its working folder is writable.
fn refuse_calls(has_ports: bool, is_alone: bool) -> Result<(), String> {
    let program = compiled(has_ports, is_alone).map_err(|problem| problem.to_string())?;
    apply_filter(&program).map_err(|problem| format!("this kernel has no seccomp filter: {problem}"))
}

fn compiled(has_ports: bool, is_alone: bool) -> Result<BpfProgram, seccompiler::Error> {
    let mut rules = SystemCallRules::default();
    rules.refuse(&REFUSED);
    if has_ports {
        rules.refuse_where(libc::SYS_socket, not_in(0, &[AF_INET, AF_INET6]));
        rules.refuse_where(libc::SYS_socket, other_type(&[SOCK_STREAM, SOCK_DGRAM]));
        rules.refuse_where(libc::SYS_socket, not_in(2, &[0, IPPROTO_TCP, IPPROTO_UDP]));
    } else {
        rules.refuse(&[libc::SYS_socket]);
    }
    rules.refuse_where(libc::SYS_socketpair, not_in(0, &[AF_UNIX]));
    // A pair of datagram sockets could still send to any path.
    rules.refuse_where(libc::SYS_socketpair, other_type(&[SOCK_STREAM, SOCK_SEQPACKET]));
    for (call, flags) in [(libc::SYS_sendto, 3), (libc::SYS_sendmsg, 2), (libc::SYS_sendmmsg, 3)] {
        rules.refuse_where(call, [word(flags, Is::MaskedEq(MSG_FASTOPEN), MSG_FASTOPEN)]);
    }
    for option in TCP_OPTIONS {
        rules.refuse_where(libc::SYS_setsockopt, [word(1, Is::Eq, IPPROTO_TCP), word(2, Is::Eq, option)]);
    }
    for flag in NEW_NAMESPACES {
        rules.refuse_where(libc::SYS_clone, [word(0, Is::MaskedEq(flag), flag)]);
    }
    if !is_alone {
        rules.refuse(&CHANGE_BY_PATH);
        rules.refuse(CHANGE_BY_PATH_OF_OLD);
        rules.refuse_where(libc::SYS_utimensat, [points(1)]);
        let others = |argument| not_in(argument, &[0, u64::from(std::process::id())]);
        for call in SCHEDULE {
            rules.refuse_where(call, others(0));
        }
        // Without new limits, the call only reads the current ones.
        rules.refuse_where(libc::SYS_prlimit64, others(0).into_iter().chain([points(2)]));
        for (call, process) in [(libc::SYS_setpriority, PRIO_PROCESS), (libc::SYS_ioprio_set, IOPRIO_WHO_PROCESS)] {
            rules.refuse_where(call, not_in(0, &[process]));
            rules.refuse_where(call, others(1));
        }
    }
    let (machine, audit) = MACHINE;
    let refused = SeccompAction::Errno(EPERM);
    let rules = rules.0.into_iter().map(|(call, any)| Ok((call, any.into_iter().collect::<Result<_, _>>()?)));
    let rules = rules.collect::<Result<BTreeMap<_, _>, BackendError>>()?;
    let program: BpfProgram = SeccompFilter::new(rules, SeccompAction::Allow, refused, machine)?.try_into()?;
    Ok(unknown_calls(audit).into_iter().chain(program).collect())
}

/// Returns the instructions that answer "no such call": for calls of another architecture, and those of [`UNKNOWN`].
fn unknown_calls(machine: u32) -> BpfProgram {
    let step = |code, k, jt, jf| sock_filter { code, jt, jf, k };
    let load = |offset| step(0x20, offset, 0, 0);
    let jump_if_equal = |k, jt, jf| step(0x15, k, jt, jf);
    let answer = || step(0x06, u32::from(SeccompAction::Errno(ENOSYS)), 0, 0);
    let mut program = vec![load(4), jump_if_equal(machine, 1, 0), answer()];
    program.extend([load(0), step(0x35, X32_FIRST, 0, 1), answer()]);
    for call in UNKNOWN {
        program.extend([jump_if_equal(u32::try_from(call).unwrap_or(u32::MAX), 0, 1), answer()]);
    }
    program
}

type Condition = Result<SeccompCondition, BackendError>;

/// Compares an argument of 32 bits.
fn word(argument: u8, is: Is, value: u64) -> Condition {
    SeccompCondition::new(argument, Length::Dword, is, value)
}

/// Matches a pointer that is not null.
fn points(argument: u8) -> Condition {
    SeccompCondition::new(argument, Length::Qword, Is::Ne, 0)
}

fn not_in(argument: u8, allowed: &[u64]) -> Vec<Condition> {
    allowed.iter().map(|value| word(argument, Is::Ne, *value)).collect()
}

fn other_type(allowed: &[u64]) -> Vec<Condition> {
    let with_flags: Vec<_> = allowed.iter().flat_map(|value| SOCK_FLAGS.map(|flags| value | flags)).collect();
    not_in(1, &with_flags)
}

/// Refused calls and their conditions: a call is refused if any of its rules holds, or always if it has none.
#[derive(Default)]
struct SystemCallRules(BTreeMap<c_long, Vec<Result<SeccompRule, BackendError>>>);

impl SystemCallRules {
    fn refuse(&mut self, calls: &[c_long]) {
        self.0.extend(calls.iter().map(|call| (*call, Vec::new())));
    }

    /// Refuses a call if all of these conditions hold.
    fn refuse_where(&mut self, call: c_long, all: impl IntoIterator<Item = Condition>) {
        let rule = all.into_iter().collect::<Result<Vec<_>, _>>().and_then(SeccompRule::new);
        self.0.entry(call).or_default().push(rule);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mount_point_is_read_with_the_flags_that_it_keeps() {
        let line = br"36 35 98:0 /mnt1 /a\040b\134c rw,nosuid,noexec,noatime shared:1 - ext3 /dev/root rw";
        let flags = MountFlags::NOSUID | MountFlags::NOEXEC;
        assert_eq!(mount_point(line), Some((PathBuf::from(r"/a b\c"), flags)));
        assert_eq!(mount_point(b""), None);
    }
}
