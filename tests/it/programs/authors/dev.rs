//! `candor dev`: check, console and reload in one window.

use std::fs;
use std::io::Write as _;
use std::process::Stdio;

use crate::support::bot::{Folder, Lines};

fn write(folder: &Folder, command: &str, reply: &str) {
    let manifest = format!(
        "[module]\nname = \"notices\"\nsummary = \"Notices\"\nkind = \"text\"\n\
         [commands.\"{command}\"]\ndescription = \"The rules\"\nreply = \"{reply}\"\n"
    );
    fs::write(folder.path().join("modules/notices/module.toml"), manifest).unwrap();
}

#[test]
fn what_is_wrong_is_told_with_its_place_and_what_is_right_is_in_force_at_once() {
    let folder = Folder::with("");
    fs::create_dir_all(folder.path().join("modules/notices")).unwrap();
    write(&folder, "rules", "Be kind.");
    let mut command = folder.candor(&["dev"]);
    let mut dev = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let (said, log) = (Lines::of(dev.stdout.take().unwrap()), Lines::of(dev.stderr.take().unwrap()));
    let mut typed = dev.stdin.take().unwrap();

    // The bot cannot be started; whoever mends the module need not start anything again.
    said.hears(&["error[command-missing-slash]"]);
    said.hears(&["module.toml:5:"]);
    write(&folder, "/rules", "Be kind.");
    said.hears(&["no token: console only"]);
    writeln!(typed, "/rules").unwrap();
    said.hears(&["Be kind."]);

    write(&folder, "/rules", "Be brief.");
    log.hears(&["the modules are in force"]);
    writeln!(typed, "/rules").unwrap();
    said.hears(&["Be brief."]);

    write(&folder, "rules", "Be silent.");
    log.hears(&["reload failed; the previous version stays in force"]);
    log.hears(&["error[command-missing-slash]"]);
    writeln!(typed, "/rules").unwrap();
    drop(typed);
    assert!(dev.wait().unwrap().success(), "{}", log.all());
    let said = said.all_until_the_end();
    assert_eq!(said.matches("Be brief.").count(), 2, "{said}");
}
