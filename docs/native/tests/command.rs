//! The program as an operator runs it.
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "a test starts the program")]

use std::process::{Command, Output};

fn run(arguments: &[&str], settings: &str) -> Output {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("config.toml"), settings).unwrap();
    Command::new(env!("CARGO_BIN_EXE_greet-bot")).args(arguments).current_dir(&folder).output().unwrap()
}

#[test]
fn the_check_lists_the_command_and_the_console_runs_it() {
    let checked = run(&["check"], "");
    assert!(checked.status.success(), "{checked:?}");
    assert!(String::from_utf8_lossy(&checked.stdout).contains("/greet"), "{checked:?}");

    for (settings, hello) in [("", "Hello"), ("[modules.settings.greet]\nhello = \"Ahoy\"\n", "Ahoy")] {
        let answered = run(&["console", "-c", "/greet name: Ann"], settings);
        assert!(answered.status.success(), "{answered:?}");
        let said = String::from_utf8(answered.stdout).unwrap();
        let answer = format!("{hello}, Ann! That was greeting 1.");
        assert!(said.contains(&answer) && said.contains("✓ /greet · "), "{said}");
    }
}
