//! Landlock: the files that a program may see, and the ports that it may reach.

use std::path::PathBuf;

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, CompatLevel, Compatible as _, NetPort, Ruleset, RulesetAttr as _,
    RulesetCreatedAttr as _, RulesetError, RulesetStatus, Scope, path_beneath_rules,
};
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
pub(super) fn restrict(reads: &[PathBuf], processes: PathBuf, writes: &[PathBuf], ports: &[u16]) -> Result<(), String> {
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
