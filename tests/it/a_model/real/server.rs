//! The model's server, as a process of this test's own.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use super::say;

/// A running server. It ends with this test however that ends: it reads its input until that is closed.
pub(super) struct Server {
    process: Child,
    url: String,
}

impl Server {
    /// Starts it, if it is installed.
    pub(super) fn start() -> Option<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let python = root.join("target/real-model/bin/python");
        if !root.join("target/real-model/installed").exists() {
            let missing = "the model is not installed; `bash tests/real_model/install` installs it";
            assert!(std::env::var_os("CI").is_none(), "{missing}");
            say(&format!("SKIPPED real_model: {missing}"));
            return None;
        }
        let log = tempfile::tempfile().unwrap();
        let mut process = Command::new(python)
            .arg(root.join("tests/real_model/serve.py"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .unwrap();
        let mut url = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut url).unwrap();
        let url = url.trim().to_owned();
        assert!(
            url.starts_with("http://127.0.0.1:"),
            "the server says {url:?}; run tests/real_model/serve.py to see why"
        );
        Some(Self { process, url })
    }

    /// Its address.
    pub(super) fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _gone = self.process.kill();
        let _reaped = self.process.wait();
    }
}
