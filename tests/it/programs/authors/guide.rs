//! The guide for authors, `modules/README.md`, and the modules that it points to: what they show is run.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use discord_twin::{Interaction, Twin};
use serde_json::Value;

use crate::discord::connected::connect_in;
use crate::programs::modules::{folder, shipped, stdout};
use crate::support::bot::Folder;
use candor_core::contract::outside::read_reply;

const GUIDE: &str = include_str!("../../../../modules/README.md");

/// The blocks of this language in the guide.
fn blocks(language: &str) -> impl Iterator<Item = &'static str> {
    let fence = format!("```{language}\n");
    let rest: Vec<_> = GUIDE.split(fence.as_str()).skip(1).collect();
    rest.into_iter().filter_map(|rest| rest.split("```").next())
}

/// The manifest of this module in the guide.
fn manifest(name: &str) -> &'static str {
    let is_its = |block: &&str| block.contains(&format!("name = \"{name}\"")) && block.contains("\nkind = ");
    blocks("toml").find(is_its).unwrap()
}

#[test]
fn the_modules_of_the_guide_pass_the_check_and_answer() {
    let folder = shipped(&["uptime", "greeter", "welcome", "standup"]);
    fs::write(
        folder.path().join("config.toml"),
        "[modules.send_to]\nwelcome = [\"81384788765712385\"]\nstandup = [\"81384788765712385\"]\n",
    )
    .unwrap();
    let checked = folder.run(&["check"]);
    assert!(checked.status.success(), "{}", stdout(&checked));
    assert!(stdout(&checked).contains("\n0 errors, 0 warnings in 13 modules"), "{}", stdout(&checked));

    let tested = folder.run(&["test"]);
    assert!(tested.status.success(), "{}", stdout(&tested));
    assert!(stdout(&tested).ends_with("tests of 4 modules: 10 passed, 0 failed\n"), "{}", stdout(&tested));

    let said = stdout(&folder.console("/uptime\n/greet whom: <@80351110224678912>\n/rules\n/standup\n"));
    let lines: Vec<_> = said.lines().map(str::trim).collect();
    assert!(lines.iter().any(|line| line.starts_with("Up for ") && line.ends_with(" min.")), "{said}");
    assert!(lines.iter().any(|line| line.contains("<@80351110224678912>")), "{said}");
    assert!(lines.iter().any(|line| line.starts_with("Read on 2") && line.ends_with(" in console.")), "{said}");
    for command in ["✓ /uptime", "✓ /greet", "✓ /rules", "✓ /standup"] {
        assert!(said.contains(command), "{command} in {said}");
    }

    for (command, in_german) in [
        ("/uptime", &["Läuft seit "][..]),
        ("/greet whom: <@80351110224678912>", &["grüßt <@80351110224678912>", ", console sagt Hallo."]),
        ("/rules", &["Gelesen am 2"]),
        ("/standup", &["Was ist fertig, ", "Eine Zeile von jedem: "]),
        ("/welcome", &["Schön, dass du da bist", "ist dazugekommen"]),
    ] {
        let answered = folder.candor(&["console", "-c", command]).env("LANG", "de_DE.UTF-8").output().unwrap();
        let said = stdout(&answered);
        assert!(in_german.iter().any(|words| said.contains(words)), "{command}: {said}");
    }
}

/// What `tests/mcp_servers/install` fills: a Python and a Node with servers that nobody here wrote.
fn installed() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/mcp-servers");
    if folder.join("installed").exists() {
        return Some(folder);
    }
    assert!(std::env::var_os("CI").is_none(), "under CI there are servers of others");
    std::io::stderr().write_all(b"SKIPPED servers of others: tests/mcp_servers/install was not run\n").unwrap();
    None
}

#[test]
fn servers_that_nobody_here_wrote_are_taken_in_by_the_commands_of_their_readmes() {
    let Some(installed) = installed() else { return };
    let of_node = manifest("everything");
    let python = installed.join("python/bin/python3");
    let made_from = python.canonicalize().unwrap().ancestors().nth(2).unwrap().to_owned();
    let of_python = format!(
        "[module]\nname = \"clock\"\nsummary = \"Times\"\nkind = \"mcp\"\n[run]\nprogram = \"{}\"\n\
         arguments = [\"-m\", \"mcp_server_time\"]\nreads = [\"{}\", \"{}\"]\ntools = [\"convert_time\"]\n",
        python.display(),
        installed.join("python").display(),
        made_from.display()
    );
    // As `npm install --prefix` puts them into the folder, but for the link.
    let of_node = of_node.replace("[run]\n", &format!("[run]\nreads = [\"{}\"]\n", installed.join("node").display()));
    let slow = |manifest: &str| manifest.replace("[run]\n", "[run]\nstart_s = 60\n");
    let folder = folder(&[("everything/module.toml", &slow(&of_node)), ("clock/module.toml", &slow(&of_python))]);
    let config = format!(
        "[modules.trusted.clock]\nreads = [{:?}, {:?}]\n[modules.trusted.everything]\nreads = [{:?}]\n",
        installed.join("python"),
        made_from,
        installed.join("node")
    );
    fs::write(folder.path().join("config.toml"), config).unwrap();
    symlink(installed.join("node/node_modules"), folder.path().join("modules/everything/node_modules")).unwrap();

    let checked = folder.run(&["check"]);
    assert!(checked.status.success(), "{}", stdout(&checked));
    let tokyo = "/convert-time source_timezone: Europe/Berlin time: 12:00 target_timezone: Asia/Tokyo";
    let said = stdout(&folder.run(&["try", "/every echo message: good day", "/every get-sum a: 2 b: 3", tokyo]));
    for wanted in ["Echo: good day", "✓ /every echo", "sum of 2 and 3 is 5", "Asia/Tokyo", "✓ /convert-time"] {
        assert!(said.contains(wanted), "{wanted}: {said}");
    }
}

/// The manifest with the Python that has the SDK, and what that one reads.
fn with_sdk(manifest: &str, installed: &Path) -> String {
    let python = installed.join("python");
    let interpreter = python.join("bin/python3").canonicalize().unwrap();
    let program = format!(
        "program = \"{0}/bin/python3\"\nreads = [\"{0}\", \"{1}\"]",
        python.display(),
        interpreter.parent().and_then(Path::parent).unwrap().display()
    );
    manifest.replace("program = \"python3\"", &program)
}

/// Has the operator grant what that Python reads.
fn granting(folder: Folder, installed: &Path) -> Folder {
    let python = installed.join("python");
    let interpreter = python.join("bin/python3").canonicalize().unwrap();
    let prefix = interpreter.parent().and_then(Path::parent).unwrap();
    let config = format!("[modules.trusted.dice]\nreads = [{python:?}, {prefix:?}]\n");
    fs::write(folder.path().join("config.toml"), config).unwrap();
    folder
}

#[test]
fn the_dice_of_the_guide_are_rolled_by_a_server_of_the_official_sdk() {
    let Some(installed) = installed() else { return };
    let folder = granting(shipped(&["dice"]), &installed);
    let manifest = folder.path().join("modules/dice/module.toml");
    let text = with_sdk(&fs::read_to_string(&manifest).unwrap(), &installed);
    fs::write(&manifest, text).unwrap();

    let tested = folder.run(&["test"]);
    assert!(tested.status.success(), "{}", stdout(&tested));
    let tried = |arguments: &[&str]| stdout(&folder.run(&[&["try"], arguments].concat()));
    let said = tried(&["/roll", "/roll dice: 3d6+2", "/roll dice: 1d1"]);
    let mut lines = said.lines().map(str::trim);
    let one: u8 = lines.next().unwrap().parse().unwrap();
    assert!((1..=6).contains(&one), "{said}");
    let (total, dice) = lines.nth(1).unwrap().split_once(" = ").unwrap();
    let rolled: Vec<u8> = dice.split(" + ").map(|die| die.parse().unwrap()).collect();
    assert_eq!((rolled.len(), total.parse().unwrap()), (4, rolled.iter().sum::<u8>()), "{said}");
    assert!(said.contains("at most 100 of them, of 2 to 1000 sides") && said.contains("– /roll"), "{said}");
    let refused = folder.candor(&["console", "-c", "/roll dice: 1d1"]).env("LANG", "de_DE.UTF-8").output().unwrap();
    assert!(stdout(&refused).contains("höchstens 100, mit 2 bis 1000 Seiten"), "{}", stdout(&refused));
    let by_model = tried(&["--as-model", "/roll dice: 2d6"]);
    assert!(by_model.contains("✓ /roll") && by_model.contains("\"tool\":\"roll\""), "{by_model}");
}

#[test]
fn each_manifest_of_the_guide_answers_as_it_stands_there() {
    // Those of servers are run where there are servers.
    assert_eq!(blocks("toml").filter(|block| block.contains("\nkind = ")).count(), 4);
    let uptime = include_str!("../../../../docs/modules/uptime/uptime.sh");
    let folder = folder(&[
        ("greeter/module.toml", manifest("greeter")),
        ("uptime/module.toml", manifest("uptime")),
        ("uptime/uptime.sh", uptime),
    ]);
    let checked = folder.run(&["check"]);
    assert!(checked.status.success(), "{}", stdout(&checked));
    let said = stdout(&folder.console("/hello\n/cheer whom: <@80351110224678912>\n/uptime\n"));
    for wanted in ["Hello, console!", "✓ /hello", "For <@80351110224678912>", "✓ /cheer", "✓ /uptime"] {
        assert!(said.contains(wanted), "{wanted}: {said}");
    }
}

#[test]
fn the_server_of_the_guide_and_its_tests_are_run_as_they_stand_there() {
    let Some(installed) = installed() else { return };
    let of_dice = with_sdk(manifest("dice"), &installed).replace("[run]\n", "[run]\nmemory_mib = 1024\n");
    let tests = blocks("toml").find(|block| block.starts_with("[tests.")).unwrap();
    let dice = include_str!("../../../../docs/modules/dice/dice.py");
    let files = [("dice/module.toml", of_dice.as_str()), ("dice/server.py", dice), ("dice/tests.toml", tests)];
    let tested = granting(folder(&files), &installed).run(&["test"]);
    assert!(tested.status.success(), "{}", stdout(&tested));
    assert!(stdout(&tested).ends_with("tests of 1 module: 2 passed, 0 failed\n"), "{}", stdout(&tested));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_is_given_what_the_guide_shows_and_may_print_what_it_shows() {
    let shown: Vec<Value> = blocks("json").map(|block| serde_json::from_str(block).unwrap()).collect();
    let (requests, replies): (Vec<_>, Vec<_>) = shown.iter().partition(|shown| shown.get("candor").is_some());
    assert_eq!((requests.len(), replies.len()), (1, 3));
    for reply in replies {
        let read = read_reply(reply.to_string().as_bytes());
        assert!(matches!(read, Ok(Ok(_))), "{reply}: {read:?}");
    }

    let program = "#!/bin/sh\nread -r request\necho \"Was given $request\"\n";
    let folder = folder(&[("uptime/module.toml", manifest("uptime")), ("uptime/uptime.sh", program)]);
    let connected = connect_in(folder.set_to(""), Twin::start().await.unwrap()).await;
    let answer = connected.answer(Interaction::slash("uptime")).await.text();
    let given = answer.lines().find_map(|line| line.strip_prefix("Was given ")).unwrap();
    let given: Value = serde_json::from_str(given).unwrap();
    assert_eq!(shape(&given), shape(requests[0]), "{given}");
}

/// A value of JSON with only the types of what its keys hold.
fn shape(value: &Value) -> Value {
    match value {
        Value::Object(fields) => fields.iter().map(|(key, value)| (key.clone(), shape(value))).collect(),
        Value::Array(_) => "list".into(),
        Value::String(_) => "text".into(),
        Value::Number(_) => "number".into(),
        Value::Bool(_) => "truth".into(),
        Value::Null => Value::Null,
    }
}
