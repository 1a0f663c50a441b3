//! Landlock: which files a program may see, and which ports it may reach.

use std::fmt;
use std::path::PathBuf;

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, CompatLevel, Compatible as _, NetPort, Ruleset, RulesetAttr as _,
    RulesetCreatedAttr as _, RulesetStatus, Scope, path_beneath_rules,
};
use serde::{Deserialize, Serialize};

/// What every program may read and execute: the system's programs and libraries, and a few files that they look into.
/// Neither `/opt` is among them, where a bot may stand with its token beside it, nor `/proc` as a whole, which shows
/// the environment of other processes of the same user.
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

/// The rules of one program.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Rules {
    /// What it may read and execute beside the system.
    pub(super) reads: Vec<PathBuf>,
    /// What it may change.
    pub(super) writes: Vec<PathBuf>,
    /// The TCP ports that it may connect to.
    pub(super) ports: Vec<u16>,
}

/// Puts this process, and what it starts, under the rules. Fails if the kernel cannot hold those about files; what it
/// can hold of the others depends on its version.
pub(super) fn confine(rules: &Rules) -> Result<(), String> {
    let told = |problem: landlock::RulesetError| problem.to_string();
    let newest = ABI::V6;
    let read = AccessFs::from_read(newest);
    let all = AccessFs::from_all(newest);
    let system = SYSTEM.iter().map(PathBuf::from).chain([PathBuf::from(format!("/proc/{}", std::process::id()))]);
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
        .add_rules(path_beneath_rules(&rules.reads, read))
        .map_err(told)?
        .add_rules(path_beneath_rules(DEVICES, AccessFs::from_file(newest)))
        .map_err(told)?
        .add_rules(path_beneath_rules(&rules.writes, all))
        .map_err(told)?
        .add_rules(
            rules.ports.iter().map(|port| Ok::<_, landlock::RulesetError>(NetPort::new(*port, AccessNet::ConnectTcp))),
        )
        .map_err(told)?
        .restrict_self()
        .map_err(told)?;
    match status.ruleset {
        RulesetStatus::NotEnforced => Err(NO_LANDLOCK.to_owned()),
        RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced => Ok(()),
    }
}

/// How programs can be confined on this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Containment {
    /// Files, TCP ports and signals.
    FilesNetworkAndSignals,
    /// Files and TCP ports.
    FilesAndNetwork,
    /// Files alone.
    Files,
    /// Not at all.
    Nothing,
}

/// How programs can be confined on this machine. Nothing is confined by asking.
pub fn containment() -> Containment {
    let hard = || Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    let holds = |rules: Result<Ruleset, landlock::RulesetError>| rules.and_then(Ruleset::create).is_ok();
    if !holds(hard().handle_access(AccessFs::from_all(ABI::V1))) {
        Containment::Nothing
    } else if !holds(hard().handle_access(AccessNet::from_all(ABI::V4))) {
        Containment::Files
    } else if !holds(hard().scope(Scope::from_all(ABI::V6))) {
        Containment::FilesAndNetwork
    } else {
        Containment::FilesNetworkAndSignals
    }
}

impl fmt::Display for Containment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::FilesNetworkAndSignals => "Landlock: files, TCP ports and signals",
            Self::FilesAndNetwork => "Landlock: files and TCP ports",
            Self::Files => "Landlock: files; this kernel cannot confine the network",
            Self::Nothing => "none: this kernel has no Landlock, and a program needs `sandbox = \"off\"`",
        })
    }
}
