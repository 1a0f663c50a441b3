//! The digest of the running program, which receipts of compiled-in commands name.

use std::fs::File;
use std::io::{self, Read as _};

use candor_core::record::Digest;
use sha2::{Digest as _, Sha256};
use tokio::sync::OnceCell;
use tokio::task::spawn_blocking;
use tracing::warn;

/// Returns the SHA-256 of the running program's file, as `sha256sum` prints it. Reads it once; `None` if it cannot be
/// read.
pub async fn program_digest() -> Option<Digest> {
    static DIGEST: OnceCell<Option<Digest>> = OnceCell::const_new();
    let digest = DIGEST.get_or_init(|| async {
        let digest = spawn_blocking(digest).await.unwrap_or_else(|ended| Err(io::Error::other(ended)));
        let unread = |problem| warn!(error = %problem, "the program cannot read its own file: receipts do not name it");
        digest.map_err(unread).ok()
    });
    *digest.await
}

fn digest() -> io::Result<Digest> {
    // On Linux this is the file that runs, even if another one has its path by now.
    let mut file = File::open("/proc/self/exe").or_else(|_| File::open(std::env::current_exe()?))?;
    let mut hash = Sha256::new();
    let mut piece = vec![0; 512 * 1024];
    loop {
        let n = file.read(&mut piece)?;
        let Some(read @ [_, ..]) = piece.get(..n) else { return Ok(Digest(hash.finalize().into())) };
        hash.update(read);
    }
}
