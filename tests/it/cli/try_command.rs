//! `candor try`: commands on a store of their own, as a person types them and as a chat model calls them.

use crate::support::bot::Folder;
use crate::support::said::{assert_says, said};

#[test]
fn each_command_has_its_answer_its_receipt_and_a_part_in_the_exit_code() {
    let none = "[chat]\nwrite_tools = []\n";
    let not_run = said!("try-no-tool", line = "/help");
    let cases: [(&str, &[&str], &[&str], i32); 12] = [
        (
            "",
            &["tasks list", "/tasks list"],
            &["`/tasks list` is a command, and it has not run.", "✓ /tasks list · "],
            1,
        ),
        ("", &["/tasks add title: milk", "/tasks list"], &["Added task 1: milk", "1 · milk", "✓ /tasks list · "], 0),
        // What a model once made up is there now, under a name of its own.
        ("", &["/status alerts"], &["`/status` did not run", "Did you mean `/alerts`?"], 1),
        ("", &["/staus", "/status"], &["Unknown command `/staus`", "✓ /status · "], 1),
        ("", &["/tasks done id: 99"], &["– /tasks done · "], 1),
        (
            "",
            &["--as-model", "/tasks list"],
            &[
                "✓ /tasks list · ",
                "│ Here a model would",
                "generated",
                "\"tool\":\"tasks_list\",\"outcome\":\"answered\"",
            ],
            0,
        ),
        // A model changes something only after a yes, and removes nothing unless the operator lets it.
        (none, &["--as-model", "--yes", "/tasks add title: milk"], &["\"tasks_add\" is not available here"], 1),
        ("", &["--as-model", "--yes", "/tasks add title: milk"], &["✓ /tasks add · ", "\"outcome\":\"done\""], 0),
        ("", &["--as-model", "--yes", "/tasks remove id: 1"], &["\"tasks_remove\" is not available here"], 1),
        // Nobody says yes: standard input is empty.
        ("", &["--as-model", "/tasks add title: milk"], &["/tasks add title: \"milk\""], 1),
        ("", &["--as-model", "/staus"], &["Unknown command `/staus`"], 1),
        ("", &["--as-model", "/help"], &[&not_run], 1),
    ];
    for (settings, arguments, expected, code) in cases {
        let folder = Folder::empty();
        std::fs::write(folder.path().join("config.toml"), settings).unwrap();
        let arguments: Vec<_> = ["try"].iter().chain(arguments).copied().collect();
        let output = folder.run(&arguments);
        let said = String::from_utf8(output.stdout.clone()).unwrap();
        for part in expected {
            assert_says(&said, *part);
        }
        assert_eq!(
            output.status.code(),
            Some(code),
            "{arguments:?}\n{said}{}",
            String::from_utf8_lossy(&output.stderr)
        );
        // Nothing of it is kept, and nothing ran behind the model's back.
        assert!(!folder.path().join("data/candor.db").exists(), "{arguments:?}");
        assert!(!folder.path().join("data/live").exists(), "{arguments:?}");
        assert!(code == 0 || !arguments.contains(&"--as-model") || !said.contains('✓'), "{arguments:?}\n{said}");
    }
}

#[test]
fn a_broken_module_beside_is_left_out_and_its_errors_alone_are_shown() {
    let folder = Folder::with("");
    let module = folder.path().join("modules/broken");
    std::fs::create_dir_all(&module).unwrap();
    let text =
        "[module]\nname = \"broken\"\nsummary = \"x\"\nkind = \"txt\"\n[commands.\"/broken\"]\ndescription = \"x\"\n";
    std::fs::write(module.join("module.toml"), text).unwrap();
    let output = folder.run(&["try", "/tasks list"]);
    let (said, told) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && said.contains("✓ /tasks list"), "{said}{told}");
    let all = format!("{said}{told}");
    assert!(all.contains("there is no module of the kind `txt`"), "{all}");
    // Nothing follows from a kind that does not exist.
    assert!(!all.contains("has no handler") && !all.contains("warning"), "{all}");
}
