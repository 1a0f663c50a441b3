//! Detects whether a file is a mount point of its own, as single-file bind mounts in containers are.
//!
//! A container that mounts a single file keeps the file from its start. When another file takes the name outside,
//! processes inside cannot see it.

use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

pub(super) fn is_mount_point(path: &Path) -> bool {
    let Ok(resolved) = fs::canonicalize(path) else { return false };
    // Only Linux has this list; single-file mounts are not used elsewhere.
    fs::read("/proc/self/mountinfo").is_ok_and(|list| lists(&list, &resolved))
}

/// Returns whether the kernel's list of mounts names this path. The mount point is the fifth field of a line. See
/// `proc_pid_mountinfo(5)`.
fn lists(mountinfo: &[u8], path: &Path) -> bool {
    mountinfo
        .split(|&byte| byte == b'\n')
        .filter_map(|line| line.split(|&byte| byte == b' ').nth(4))
        .any(|point| unescape(point) == path.as_os_str().as_bytes())
}

/// Decodes special characters, which are written as a backslash and three octal digits.
fn unescape(mut field: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(field.len());
    while let [first, rest @ ..] = field {
        match field {
            [b'\\', a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', behind @ ..] => {
                plain.push((a - b'0') * 64 + (b - b'0') * 8 + (c - b'0'));
                field = behind;
            }
            _ => {
                plain.push(*first);
                field = rest;
            }
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{is_mount_point, lists};

    #[test]
    fn a_mount_point_is_the_fifth_field() {
        let list = b"22 27 0:21 / /proc rw,relatime - proc proc rw\n\
            40 27 254:0 /host/metrics.json /data/metrics.json rw - ext4 /dev/vda rw\n\
            41 27 254:0 / /data/with\\040a\\134blank rw - ext4 /dev/vda rw\n";
        let cases = [
            ("/data/metrics.json", true),
            ("/host/metrics.json", false),
            ("/data/with a\\blank", true),
            ("/data", false),
            ("", false),
        ];
        for (path, expected) in cases {
            assert_eq!(lists(list, Path::new(path)), expected, "{path}");
        }
    }

    #[test]
    fn an_ordinary_file_is_none() {
        let file = tempfile::NamedTempFile::new().unwrap();
        assert!(!is_mount_point(file.path()));
        assert!(!is_mount_point(Path::new("/does/not/exist")));
    }
}
