//! `candor new`: a module of each kind, which passes the check and its own tests, and answers.

use std::process::Output;

use crate::programs::has;
use crate::support::bot::Folder;

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn a_new_module_of_each_kind_passes_the_check_and_answers() {
    let said = "You said: good day";
    let cases = [
        ("text", "sh", "/hello", "Hello, console!"),
        ("exec-sh", "sh", "/hello text: good day", said),
        ("exec-python", "python3", "/hello text: good day", said),
        ("mcp-python", "python3", "/hello text: good day", said),
        ("mcp-node", "node", "/hello text: good day", said),
    ];
    for (kind, interpreter, command, answer) in cases {
        if !has(interpreter, &format!("a new module of the kind {kind}")) {
            continue;
        }
        let folder = Folder::empty();
        let written = folder.run(&["new", "hello", "--kind", kind]);
        assert!(written.status.success(), "{kind}: {written:?}");
        assert!(stdout(&written).starts_with("Wrote modules/hello."), "{kind}");
        let checked = folder.run(&["check"]);
        assert!(stdout(&checked).contains("0 errors, 0 warnings in 10 modules"), "{kind}: {}", stdout(&checked));
        let tested = folder.run(&["test", "hello"]);
        assert!(tested.status.success() && stdout(&tested).contains("passed hello says-"), "{kind}: {tested:?}");
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

#[test]
fn nothing_is_overwritten_and_a_name_that_no_module_may_have_is_refused() {
    let folder = Folder::empty();
    assert!(folder.run(&["new", "hello"]).status.success());
    for name in ["hello", "Hello", "", "../hello", "a b", "tasks", "help"] {
        let refused = folder.run(&["new", name, "--kind", "exec-sh"]);
        assert_eq!(refused.status.code(), Some(78), "{name}: {refused:?}");
    }
    let files: Vec<_> = std::fs::read_dir(folder.path().join("modules/hello")).unwrap().collect();
    assert_eq!(files.len(), 2);
    assert_eq!(std::fs::read_dir(folder.path().join("modules")).unwrap().count(), 1);
}

/// What is written is `docs/native`, which is built and run by its own tests, with another name.
#[test]
fn a_new_native_module_is_the_example_with_its_name() {
    let checkout = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let example = checkout.join("docs/native");
    let source = checkout.to_str().unwrap();
    let read = |path: std::path::PathBuf| std::fs::read_to_string(path).unwrap();
    let files = ["src/main.rs", "src/greet.rs", "src/greet.toml", "tests/command.rs"];
    for (name, package) in [("greet", "greet-bot"), ("hello-2", "hello-2-bot"), ("8ball", "bot-8ball")] {
        let folder = Folder::empty();
        let written = folder.run(&["new", name, "--kind", "native", "--source", source]);
        assert!(written.status.success(), "{name}: {written:?}");
        let project = folder.path().join(name);
        for file in files {
            let text = read(project.join(file));
            if name == "greet" {
                assert_eq!(text, read(example.join(file)), "{file}");
            }
            let is_named = |part: &str| {
                text.contains(&part.replace("NAME", name))
                    == read(example.join(file)).contains(&part.replace("NAME", "greet"))
            };
            assert!(["\"NAME\"", "/NAME", "settings.NAME]"].into_iter().all(is_named), "{name}: {file}: {text}");
            assert!(
                name == "greet" || !text.contains("\"greet\"") && !text.contains("/greet"),
                "{name}: {file}: {text}"
            );
        }
        let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
        let mut cargo = std::process::Command::new(cargo);
        let manifest =
            cargo.args(["read-manifest", "--manifest-path"]).arg(project.join("Cargo.toml")).output().unwrap();
        let manifest: serde_json::Value = serde_json::from_slice(&manifest.stdout).unwrap();
        assert_eq!(manifest["name"], package);
        let paths: Vec<_> =
            manifest["dependencies"].as_array().unwrap().iter().filter_map(|it| it["path"].as_str()).collect();
        let wanted = ["", "src/core", "modules", "src/core"].map(|folder| checkout.join(folder));
        assert_eq!(paths.len(), wanted.len(), "{paths:?}");
        for path in paths {
            assert!(wanted.iter().any(|wanted| wanted == std::path::Path::new(path)), "{path}");
        }
    }
}

#[test]
fn a_native_module_needs_the_source_and_takes_a_repository() {
    let folder = Folder::empty();
    let new = |arguments: &[&str]| folder.run(&[&["new", "hello", "--kind", "native"], arguments].concat());
    for (arguments, why) in [(&[][..], "add `--source`"), (&["--source", "."], "no folder with Candor's source")] {
        let refused = new(arguments);
        assert_eq!(refused.status.code(), Some(78), "{refused:?}");
        assert!(String::from_utf8_lossy(&refused.stderr).contains(why), "{refused:?}");
        assert!(!folder.path().join("hello").exists());
    }
    let other = folder.run(&["new", "other", "--source", "."]);
    assert!(String::from_utf8_lossy(&other.stderr).contains("belongs to `--kind native`"), "{other:?}");
    assert!(new(&["--source", "https://example.org/candor.git"]).status.success());
    let manifest = std::fs::read_to_string(folder.path().join("hello/Cargo.toml")).unwrap();
    assert_eq!(manifest.matches("git = \"https://example.org/candor.git\"").count(), 4, "{manifest}");
}
