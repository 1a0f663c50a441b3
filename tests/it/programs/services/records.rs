//! A program that keeps records: given with each call, edited by what it prints, and stored with the call's receipt.

use crate::programs::modules::folder;

const MANIFEST: &str = r#"
[module]
name = "notes"
summary = "Keeps notes"
kind = "exec"
services = ["records"]

[run]
program = "notes.sh"

[commands."/note"]
description = "Keep notes"

[commands."/note".subcommands.add]
description = "Keep a note"

[commands."/note".subcommands.list]
description = "What is kept"
writes = false
probe = {}

[commands."/note".subcommands.drop]
description = "Drop the first note"

[commands."/note".subcommands.wrong]
description = "Keep one and drop what is not there"

[commands."/note".subcommands.sly]
description = "Keep one, though it says that it does not"
writes = false
"#;

const PROGRAM: &str = r#"#!/bin/sh
read -r request
own=${request#*\"own\":[}
case "$request" in
    *'"command":"/note add"'* | *'"command":"/note sly"'*)
        echo '{"text":"Kept.","records":{"own":{"add":["milk"]},"shared":{"add":[1]}}}' ;;
    *'"command":"/note drop"'*)
        id=${own#*\"id\":}
        printf '{"text":"Dropped.","records":{"own":{"remove":[%s]}}}' "${id%%,*}" ;;
    *'"command":"/note wrong"'*) echo '{"text":"Done.","records":{"shared":{"remove":[77],"add":[2]}}}' ;;
    *) printf 'Own: %s' "${own%%]*}" ;;
esac
"#;

#[test]
fn what_a_program_keeps_is_given_to_it_again_and_a_call_that_fails_keeps_nothing() {
    let folder = folder(&[("notes/module.toml", MANIFEST), ("notes/notes.sh", PROGRAM)]);
    let said = |typed: &str| String::from_utf8(folder.console(typed).stdout).unwrap();
    let first = said("/note list\n/note add\n/note add\n/note list\n/note wrong\n/note sly\n");
    let expected = ["Own:\n", "✓ /note add", r#""value":"milk"}"#, "✗ /note wrong", "✗ /note sly"];
    for wanted in expected {
        assert!(first.contains(wanted), "{wanted}: {first}");
    }
    // The store outlives the process; what failed left nothing.
    let second = said("/note drop\n/note list\n");
    assert!(second.contains("✓ /note drop"), "{second}");
    assert_eq!(second.matches("milk").count(), 1, "{second}");
    assert!(!said("/note drop\n/note list\n").contains("milk"));
}
