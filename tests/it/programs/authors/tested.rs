//! `candor test`: the tests of modules pass, fail with what came back, or are told what is wrong with them.

use crate::programs::modules::{folder, stdout};

const TEA: &str = "[module]\nname = \"tea\"\nsummary = \"Tea\"\nkind = \"text\"\n\
                   [commands.\"/tea\"]\ndescription = \"Tea\"\nreply = \"Green, for {whom}.\"\n\
                   [commands.\"/tea\".options.whom]\ndescription = \"Whom\"\nrequired = true\n";

#[test]
fn a_test_passes_or_says_what_came_back_instead() {
    let tests = "[tests.greets]\ntyped = \"/tea whom: Ada\"\nanswer = [\"Green\", \"Ada\"]\n\
                 [tests.wrong]\ntyped = \"/tea whom: Ada\"\nends = \"refused\"\nanswer = \"Black\"\n\
                 [tests.nobody]\ntyped = \"/tea\"\nends = \"not-run\"\n\
                 [tests.unknown]\ntyped = \"/coffee\"\nends = \"not-run\"\nanswer = \"Unknown command\"\n\
                 [tests.words]\ntyped = \"good day\"\n";
    let folder = folder(&[("tea/module.toml", TEA), ("tea/tests.toml", tests)]);
    let tested = folder.run(&["test"]);
    assert_eq!(tested.status.code(), Some(1), "{}", stdout(&tested));
    let said = stdout(&tested);
    let expected = "passed tea greets\n\
                    failed tea wrong\n  \
                      it ended as `answered`, and not as `refused`\n  \
                      its answer has no `Black` in it\n  \
                      /tea whom: Ada was answered: Green, for Ada.\n\
                    passed tea nobody\n\
                    passed tea unknown\n\
                    failed tea words\n  \
                      it ended as `not-run`, and not as `done` or `answered`\n";
    assert!(said.starts_with(expected), "{said}");
    assert!(said.ends_with("tests of 1 module: 3 passed, 2 failed\n"), "{said}");
    assert!(!folder.path().join("data/candor.db").exists(), "tests keep nothing");
}

#[test]
fn a_tool_for_chat_alone_is_tested_as_a_model_calls_it() {
    let only = TEA.replace("reply =", "tool = true\nchat_only = true\nreply =");
    let tests = "[tests.by-model]\ntyped = \"/tea whom: Ada\"\nas_model = true\nanswer = \"Green, for Ada.\"\n\
                 [tests.typed]\ntyped = \"/tea whom: Ada\"\nends = \"not-run\"\nanswer = \"chat model alone\"\n\
                 [tests.unfit]\ntyped = \"/tea\"\nas_model = true\nends = \"not-run\"\n";
    let tested = folder(&[("tea/module.toml", &only), ("tea/tests.toml", tests)]).run(&["test"]);
    assert!(tested.status.success(), "{}", stdout(&tested));
    assert!(stdout(&tested).ends_with("3 passed, 0 failed\n"), "{}", stdout(&tested));
    // A command that is no tool no model calls.
    let tests = "[tests.a]\ntyped = \"/tea whom: Ada\"\nas_model = true\n";
    let tested = folder(&[("tea/module.toml", TEA), ("tea/tests.toml", tests)]).run(&["test"]);
    assert!(stdout(&tested).contains("it ended as `not-run`, and not as `done`"), "{}", stdout(&tested));
}

#[test]
fn what_one_line_of_a_module_keeps_the_next_one_finds() {
    let program = "#!/bin/sh\nread -r request\ncase $request in\n\
                   *'\"command\":\"/keep\"'*) echo '{\"text\":\"Kept.\",\"records\":{\"shared\":{\"add\":[\"milk\"]}}}' ;;\n\
                   *milk*) echo 'There is milk.' ;;\n*) echo 'There is nothing.' ;;\nesac\n";
    let manifest = "[module]\nname = \"notes\"\nsummary = \"Notes\"\nkind = \"exec\"\nservices = [\"records\"]\n\
                    [run]\nprogram = \"notes.sh\"\n[commands.\"/keep\"]\ndescription = \"Keep\"\n\
                    [commands.\"/look\"]\ndescription = \"Look\"\nwrites = false\nprobe = {}\n";
    let tests = "[tests.a]\ntyped = \"/look\"\nanswer = \"nothing\"\n[tests.b]\ntyped = \"/keep\"\n\
                 [tests.c]\ntyped = \"/look\"\nanswer = \"milk\"\n";
    let files = [("notes/module.toml", manifest), ("notes/notes.sh", program), ("notes/tests.toml", tests)];
    let tested = folder(&files).run(&["test", "notes"]);
    assert!(tested.status.success(), "{}", stdout(&tested));
}

#[test]
fn a_test_presses_a_button_of_the_answer_before() {
    let asks = TEA.replace("reply =", "writes = true\nask = \"Pour it for {whom}?\"\nreply =");
    let tests = "[tests.a]\ntyped = \"/tea whom: Ada\"\nends = \"asked\"\nanswer = \"Pour it for Ada?\"\n\
                 [tests.b]\npress = \"Run it\"\nanswer = \"Green, for Ada.\"\n\
                 [tests.c]\npress = \"Run it\"\n\
                 [tests.d]\ntyped = \"/tea whom: Eve\"\nends = \"asked\"\nlanguage = \"de\"\n\
                 [tests.e]\npress = \"Run it\"\n";
    let folder = folder(&[("tea/module.toml", &asks), ("tea/tests.toml", tests)]);
    let tested = folder.run(&["test"]);
    assert_eq!(tested.status.code(), Some(1), "{}", stdout(&tested));
    let expected = "passed tea a\n\
                    passed tea b\n\
                    failed tea c\n  \
                      the answer before has no button `Run it`: it has none\n\
                    passed tea d\n\
                    failed tea e\n  \
                      the answer before has no button `Run it`; it has `Ausführen`\n";
    assert!(stdout(&tested).starts_with(expected), "{}", stdout(&tested));
    // The same by a person at the terminal.
    let tried = stdout(&folder.run(&["try", "/tea whom: Ada", "/press 1"]));
    assert!(tried.contains("1 [Run it] /tea whom: \"Ada\" confirm: true"), "{tried}");
    assert!(tried.contains("? /tea · ") && tried.contains("Green, for Ada."), "{tried}");
}

#[test]
fn a_button_for_another_module_is_shown_in_words_before_it_is_pressed_for_good() {
    let program = "#!/bin/sh\nread -r request\n\
                   echo '{\"text\":\"Hello.\",\"buttons\":[{\"label\":\"Thanks!\",\"command\":\"/tasks add\",\"options\":{\"title\":\"milk\"}}]}'\n";
    let manifest = "[module]\nname = \"sly\"\nsummary = \"Sly\"\nkind = \"exec\"\n[run]\nprogram = \"sly.sh\"\n\
                    [commands.\"/sly\"]\ndescription = \"Sly\"\nwrites = false\nprobe = {}\n";
    let files = [("sly/module.toml", manifest), ("sly/sly.sh", program)];
    let said = |last: &str| stdout(&folder(&files).console(&format!("/sly\n/press Thanks!\n{last}\n/tasks list\n")));
    let (no, yes) = (said("no"), said("yes"));
    assert!(no.contains("run /tasks add title: \"milk\"? y/N") && !no.contains("Added task"), "{no}");
    assert!(yes.contains("Added task 1: milk"), "{yes}");
}

#[test]
fn where_there_are_no_tests_or_none_that_can_be_read_that_is_told() {
    let said = |tests: &str, arguments: &[&str]| {
        let files = [("tea/module.toml", TEA), ("tea/tests.toml", tests)];
        let n = if tests.is_empty() { 1 } else { 2 };
        let tested = folder(&files[..n]).run(&[&["test"], arguments].concat());
        assert_eq!(tested.status.code(), Some(78), "{}", stdout(&tested));
        String::from_utf8(tested.stderr).unwrap()
    };
    assert!(said("", &[]).contains("there are no tests"));
    assert!(said("", &["tea"]).contains("there is no `modules/tea/tests.toml`"));
    let misread = said("[tests.a]\ntype = \"/tea\"\n", &[]);
    assert!(misread.contains("modules/tea/tests.toml:2:1") && misread.contains("did you mean `typed`?"), "{misread}");
}
