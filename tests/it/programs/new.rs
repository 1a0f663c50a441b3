//! `candor new`: a module of each kind, which passes the check and answers.

use std::process::Output;

use crate::support::bot::Folder;

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn a_new_module_of_each_kind_passes_the_check_and_answers() {
    let said = "You said: good day";
    let cases = [
        ("text", "/hello", "Hello, console!"),
        ("exec-sh", "/hello text: good day", said),
        ("exec-python", "/hello text: good day", said),
        ("mcp-python", "/hello text: good day", said),
        ("mcp-node", "/hello text: good day", said),
    ];
    for (kind, command, answer) in cases {
        let folder = Folder::empty();
        let written = folder.run(&["new", "hello", "--kind", kind]);
        assert!(written.status.success(), "{kind}: {written:?}");
        assert!(stdout(&written).starts_with("Wrote modules/hello."), "{kind}");
        let checked = folder.run(&["check"]);
        if stdout(&checked).contains("there is no program") && kind == "mcp-node" {
            assert!(std::env::var_os("CI").is_none(), "under CI there is a Node.js");
            say_loudly("SKIPPED a new module in Node.js: there is none here\n");
            continue;
        }
        assert!(stdout(&checked).contains("0 errors, 0 warnings in 9 modules"), "{kind}: {}", stdout(&checked));
        let shown = stdout(&folder.console(&format!("{command}\n")));
        assert!(shown.contains(answer) && shown.contains("✓ /hello"), "{kind}: {shown}");
        let tried = folder.run(&["try", command]);
        let shown = stdout(&tried);
        assert!(tried.status.success() && shown.contains("✓ /hello"), "{kind}: {shown}");
        // As it is written, it is no tool of the chat model.
        let refused = folder.run(&["try", "--as-model", command]);
        assert!(!refused.status.success() && !stdout(&refused).contains('✓'), "{kind}: {refused:?}");
    }
}

fn say_loudly(said: &str) {
    use std::io::Write as _;
    std::io::stderr().write_all(said.as_bytes()).unwrap();
}

#[test]
fn nothing_is_overwritten_and_a_name_that_no_module_may_have_is_refused() {
    let folder = Folder::empty();
    assert!(folder.run(&["new", "hello"]).status.success());
    for name in ["hello", "Hello", "", "../hello", "a b"] {
        let refused = folder.run(&["new", name, "--kind", "exec-sh"]);
        assert_eq!(refused.status.code(), Some(78), "{name}: {refused:?}");
    }
    let files: Vec<_> = std::fs::read_dir(folder.path().join("modules/hello")).unwrap().collect();
    assert_eq!(files.len(), 1);
    assert_eq!(std::fs::read_dir(folder.path().join("modules")).unwrap().count(), 1);
}
