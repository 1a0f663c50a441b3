//! The tokens of a sign-in, in a file that only its owner may read.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use async_trait::async_trait;
use rmcp::transport::auth::{AuthError, CredentialRefreshGuard, CredentialStore, StoredCredentials};
use tokio::task::spawn_blocking;

/// The token file. Several processes on one machine may share it: one renews at a time, and the others use its result.
#[derive(Clone)]
pub(super) struct Kept(pub(super) PathBuf);

impl Kept {
    /// Removes the tokens. Returns whether there were any.
    pub(super) fn remove(&self) -> io::Result<bool> {
        match fs::remove_file(&self.0) {
            Ok(()) => Ok(true),
            Err(problem) if problem.kind() == ErrorKind::NotFound => Ok(false),
            Err(problem) => Err(problem),
        }
    }

    fn read(&self) -> io::Result<Option<StoredCredentials>> {
        match fs::read(&self.0) {
            Ok(bytes) => Ok(Some(serde_json::from_slice(&bytes)?)),
            Err(problem) if problem.kind() == ErrorKind::NotFound => Ok(None),
            Err(problem) => Err(problem),
        }
    }

    fn write(&self, credentials: &StoredCredentials) -> io::Result<()> {
        self.make_folder()?;
        let new = self.beside("new");
        let mut file = private().truncate(true).open(&new)?;
        file.write_all(&serde_json::to_vec(credentials)?)?;
        file.sync_all()?;
        fs::rename(&new, &self.0)
    }

    fn lock(&self) -> io::Result<File> {
        self.make_folder()?;
        let file = private().open(self.beside("lock"))?;
        file.lock()?;
        Ok(file)
    }

    fn make_folder(&self) -> io::Result<()> {
        let folder = self.0.parent().unwrap_or(Path::new("."));
        DirBuilder::new().recursive(true).mode(0o700).create(folder)
    }

    fn beside(&self, ending: &str) -> PathBuf {
        self.0.with_added_extension(ending)
    }

    /// Runs file access on a blocking thread.
    async fn done<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Self) -> io::Result<T> + Send + 'static,
    ) -> Result<T, AuthError> {
        let kept = self.clone();
        let failed = |problem: io::Error| {
            AuthError::CredentialStoreError(format!("the tokens in `{}`: {problem}", self.0.display()))
        };
        spawn_blocking(move || work(&kept)).await.unwrap_or_else(|ended| Err(io::Error::other(ended))).map_err(failed)
    }
}

#[async_trait]
impl CredentialStore for Kept {
    async fn load(&self) -> Result<Option<StoredCredentials>, AuthError> {
        self.done(Self::read).await
    }

    async fn save(&self, credentials: StoredCredentials) -> Result<(), AuthError> {
        self.done(move |kept| kept.write(&credentials)).await
    }

    async fn clear(&self) -> Result<(), AuthError> {
        self.done(|kept| kept.remove().map(drop)).await
    }

    async fn acquire_refresh_guard(&self) -> Result<Option<CredentialRefreshGuard>, AuthError> {
        // Closing the file releases the lock.
        Ok(Some(CredentialRefreshGuard::new(self.done(Self::lock).await?)))
    }
}

fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create(true).mode(0o600);
    options
}
