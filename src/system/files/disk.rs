//! Free disk space.

use std::path::Path;

/// Returns the free bytes on the file system of this folder, or of its nearest existing ancestor. `None` if the system
/// does not say.
pub fn free_bytes(folder: &Path) -> Option<u64> {
    let absolute = std::path::absolute(folder).ok()?;
    let room = absolute.ancestors().find_map(|folder| rustix::fs::statvfs(folder).ok())?;
    room.f_bavail.checked_mul(room.f_frsize)
}

#[cfg(test)]
mod tests {
    use super::free_bytes;

    #[test]
    fn a_folder_that_is_not_there_yet_has_the_room_of_the_one_above_it() {
        let folder = tempfile::tempdir().unwrap();
        assert!(free_bytes(folder.path()).is_some_and(|free| free > 0));
        assert!(free_bytes(&folder.path().join("not/yet")).is_some());
        // A file system that holds nothing has no room.
        assert_eq!(free_bytes("/proc/self".as_ref()), Some(0));
    }
}
