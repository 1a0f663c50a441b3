//! Namespaces: a program sees no other process and has no network unless its manifest names ports. Everything except
//! its working folder is mounted read-only.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

use nix::sched::{CloneFlags, unshare};
use rustix::io::Errno;
use rustix::mount::{MountFlags, MountPropagationFlags, mount, mount_bind_recursive, mount_change, mount_remount};
use rustix::process::{getgid, getuid};
use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, clear_ambient_capability_set, configure_capability_in_ambient_set,
    remove_capability_from_bounding_set, set_capabilities,
};

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
pub(super) fn own_mounts(writes: &[PathBuf]) -> Result<(), String> {
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
pub(super) fn drop_capabilities() -> Result<(), Errno> {
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
