//! A terminal of its own for the binary: what it shows, and keys for it.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Instant;

use nix::pty::{Winsize, openpty};

use crate::support::bot::PATIENCE;

/// A program at a pseudo-terminal. Killed when dropped.
pub(crate) struct Terminal {
    child: Child,
    keys: File,
    shown: Arc<(Mutex<String>, Condvar)>,
}

impl Terminal {
    /// Starts a program at a terminal as wide as this, which says that it shows colours.
    pub(crate) fn start(command: &mut Command, columns: u16) -> Self {
        Self::at(command.env("TERM", "xterm-256color").env_remove("NO_COLOR"), columns)
    }

    /// The same of 80 columns, with another variable in its environment.
    pub(crate) fn start_with(command: &mut Command, name: &str, value: &str) -> Self {
        Self::at(command.env("TERM", "xterm-256color").env_remove("NO_COLOR").env(name, value), 80)
    }

    fn at(command: &mut Command, columns: u16) -> Self {
        let size = Winsize { ws_row: 50, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        let pair = openpty(Some(&size), None).unwrap();
        let (keys, end) = (File::from(pair.master), || Stdio::from(pair.slave.try_clone().unwrap()));
        let child = command.stdin(end()).stdout(end()).stderr(Stdio::null()).spawn().unwrap();
        // The command holds the other end, and as long as anybody does, reading does not end.
        command.stdin(Stdio::null()).stdout(Stdio::null());
        let shown = Arc::new((Mutex::new(String::new()), Condvar::new()));
        let (seen, mut screen) = (Arc::clone(&shown), keys.try_clone().unwrap());
        thread::spawn(move || {
            let (mut buffer, mut bytes) = ([0; 4096], Vec::new());
            // The end of a pseudo-terminal is an error.
            while let Ok(n @ 1..) = screen.read(&mut buffer) {
                bytes.extend_from_slice(&buffer[..n]);
                *seen.0.lock().unwrap() = String::from_utf8_lossy(&bytes).into_owned();
                seen.1.notify_all();
            }
        });
        Self { child, keys, shown }
    }

    /// Presses keys.
    pub(crate) fn types(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
    }

    /// All that was shown, once this stands in it so many times.
    #[track_caller]
    pub(crate) fn shows(&self, wanted: &str, times: usize) -> String {
        let (shown, more) = &*self.shown;
        let end = Instant::now() + PATIENCE;
        let mut text = shown.lock().unwrap();
        while text.matches(wanted).count() < times {
            let left = end.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "`{wanted}` is not there {times} times:\n{text}\n{text:?}");
            text = more.wait_timeout(text, left).unwrap().0;
        }
        text.clone()
    }

    /// Waits until the program has ended by itself.
    pub(crate) fn ended(mut self) -> (ExitStatus, String) {
        let end = Instant::now() + PATIENCE;
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(Instant::now() < end, "still running:\n{}", self.shown.0.lock().unwrap());
            thread::sleep(std::time::Duration::from_millis(20));
        };
        let text = self.shown.0.lock().unwrap().clone();
        (status, text)
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _gone = self.child.kill();
        let _reaped = self.child.wait();
    }
}

/// The rows of a screen without escape sequences.
pub(crate) fn rows(shown: &str) -> Vec<String> {
    let mut text = String::new();
    let mut characters = shown.chars();
    while let Some(character) = characters.next() {
        match character {
            '\u{1b}' => {
                // A control sequence ends with a letter.
                let _sequence: String = characters.by_ref().take_while(|next| !next.is_ascii_alphabetic()).collect();
            }
            '\r' => {}
            other => text.push(other),
        }
    }
    text.lines().map(str::to_owned).collect()
}
