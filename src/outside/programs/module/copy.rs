//! The copy of a module's folder that is checked and run: changes of the folder have no effect until the next check.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::hash::{BuildHasher as _, Hasher as _};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use candor_core::record::Digest;
use cap_std::ambient_authority;
use cap_std::fs::{Dir, DirEntry, OpenOptionsExt as _};
use rustix::fs::OFlags;
use sha2::{Digest as _, Sha256};

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
            let _gone = remove(&draft);
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
                remove(draft)?;
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
pub fn remove_unused(copies: &Path) -> io::Result<()> {
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
    remove(&aside)
}

/// Removes a folder of copies. Makes its read-only folders writable first: else only root could remove them.
pub fn remove(folder: &Path) -> io::Result<()> {
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

#[cfg(test)]
mod tests {
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
        remove_unused(&copies).unwrap();
        assert!(folder.join("run.sh").is_file());
        assert_eq!(copies.read_dir().unwrap().count(), 1);
        drop(again);
        assert_eq!(copies.read_dir().unwrap().count(), 0);
        remove_unused(&copies.join("none")).unwrap();
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
