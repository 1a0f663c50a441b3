//! How much a program's working folder holds. No limit of the kernel is of a folder, so it is looked at before each start:
//! what one run wrote beyond it keeps the next one from starting.

use std::fs;
use std::path::Path;

use crate::edges::programs::error::ProgramError;

/// The most files and folders of a working folder: so many are counted in milliseconds.
const FILES_MAX: usize = 10_000;

const MIB: u64 = 1_024 * 1_024;

/// Fails if the folder holds more than this, or more files than are counted. What cannot be read holds nothing.
pub(super) fn check(work: &Path, limit_mib: u64) -> Result<(), ProgramError> {
    let limit = limit_mib.saturating_mul(MIB);
    let (mut n_files, mut bytes) = (0, 0_u64);
    let mut folders = vec![work.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            // Of a link, the link counts: it may lead anywhere.
            let Ok(metadata) = entry.metadata() else { continue };
            n_files += 1;
            bytes = bytes.saturating_add(metadata.len());
            if metadata.is_dir() {
                folders.push(entry.path());
            }
            if FILES_MAX < n_files {
                return Err(ProgramError::FolderFull(format!("{FILES_MAX} files")));
            }
            if limit < bytes {
                return Err(ProgramError::FolderFull(format!("{limit_mib} MiB")));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_may_hold_so_much_and_so_many() {
        let folder = tempfile::tempdir().unwrap();
        let below = folder.path().join("below");
        fs::create_dir(&below).unwrap();
        fs::write(below.join("kept"), vec![0; 700_000]).unwrap();
        std::os::unix::fs::symlink("/usr", folder.path().join("link")).unwrap();
        assert_eq!(check(folder.path(), 1), Ok(()));
        fs::write(folder.path().join("more"), vec![0; 400_000]).unwrap();
        assert_eq!(check(folder.path(), 1), Err(ProgramError::FolderFull("1 MiB".to_owned())));
        assert_eq!(check(folder.path(), 2), Ok(()));
        for n in 0..FILES_MAX {
            fs::write(below.join(n.to_string()), "").unwrap();
        }
        assert_eq!(check(folder.path(), 2), Err(ProgramError::FolderFull("10000 files".to_owned())));
    }
}
