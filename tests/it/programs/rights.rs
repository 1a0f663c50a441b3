//! The rights of modules: what a manifest asks for, what the operator grants, and what nobody can.

use std::fs;
use std::os::unix::fs::symlink;

use discord_twin::Twin;
use serde_json::Value;

use crate::discord::connected::connect_in;
use crate::programs::modules::{folder, stdout};
use crate::programs::{containment, write_script};
use crate::support::bot::Folder;

/// A bot with the module `try`, whose `[run]` has these lines. A folder `shared` and the token's file stand beside it.
fn asking(run: &str, config: &str) -> Folder {
    let manifest = format!(
        "[module]\nname = \"try\"\nsummary = \"Tries\"\nkind = \"exec\"\n[run]\nprogram = \"try.sh\"\n{run}\n\
         [commands.\"/try\"]\ndescription = \"Try\"\nwrites = false\nprobe = {{}}\n"
    );
    let folder =
        folder(&[("try/module.toml", &manifest), ("try/try.sh", "#!/bin/sh\necho tried\n"), ("try/words", "")]);
    for name in ["shared/lists", "data", "secrets"] {
        fs::create_dir_all(folder.path().join(name)).unwrap();
    }
    fs::write(folder.path().join("secrets/token"), "abc.def\n").unwrap();
    symlink("../../data", folder.path().join("modules/try/to-data")).unwrap();
    // A module whose settings name a secret, if there are any.
    if config.contains("modules.settings.rain") {
        let rain = "[module]\nname = \"rain\"\nsummary = \"Rains\"\nkind = \"exec\"\n[run]\nprogram = \"rain.sh\"\n\
                    [settings.key]\ntype = \"secret\"\ndescription = \"Its key\"\n[commands.\"/rain\"]\ndescription = \"Rain\"\nwrites = false\nprobe = {}\n";
        fs::create_dir(folder.path().join("modules/rain")).unwrap();
        fs::write(folder.path().join("modules/rain/module.toml"), rain).unwrap();
        write_script(&folder.path().join("modules/rain/rain.sh"), "echo rain");
        fs::write(folder.path().join("shared/weather"), "abc\n").unwrap();
    }
    folder.set_to(config)
}

/// The codes that the check has for it.
fn codes(folder: &Folder, offline: bool) -> Vec<String> {
    let arguments: &[&str] = if offline { &["--offline"] } else { &[] };
    let mut check = folder.candor(&[&["check", "--format", "json"], arguments].concat());
    let output = check.env("DISCORD_TOKEN_FILE", "secrets/token").output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let found = report["diagnostics"].as_array().unwrap().iter();
    found.map(|found| found["code"].as_str().unwrap().to_owned()).filter(|code| code != "not-started").collect()
}

#[test]
fn a_right_counts_only_if_the_operator_grants_it_and_some_cannot_be_granted() {
    let trusted = |rights: &str| format!("[modules.trusted.try]\n{rights}\n");
    let everything = trusted("ports = [443]\nreads = [\"/\"]\nsandbox = \"off\"");
    let shared = trusted("reads = [\"shared\"]");
    // The key that signs receipts, and a secret of another module.
    let keys = format!(
        "{shared}\n[receipts]\nkey_file = \"shared/signing\"\n\n[modules.settings.rain]\nkey_file = \"shared/weather\"\n"
    );
    let (denied, forbidden) = ("right-not-trusted", "reads-forbidden");
    let cases: &[(&str, &str, &[&str])] = &[
        ("", "", &[]),
        ("ports = [443]", "", &[denied]),
        ("ports = [443]", &trusted("ports = [80, 443]"), &[]),
        ("ports = [22, 443]", &everything, &[denied]),
        ("sandbox = \"off\"", "", &[denied]),
        ("sandbox = \"off\"", &trusted("ports = [443]"), &[denied]),
        ("sandbox = \"off\"", &everything, &[]),
        ("reads = [\"words\"]", "", &[]),
        ("reads = [\".\"]", "", &[]),
        ("reads = [\"../../shared\"]", "", &[denied]),
        ("reads = [\"../../shared/lists\"]", &shared, &[]),
        ("reads = [\"../../shared\", \"/usr\"]", &shared, &[denied]),
        ("reads = [\"/\"]", &everything, &[forbidden]),
        ("reads = [\"/proc\"]", &everything, &[forbidden]),
        ("reads = [\"/proc/self/environ\"]", &everything, &[forbidden]),
        ("reads = [\"../../data\"]", &everything, &[forbidden]),
        ("reads = [\"../../data/candor.db\"]", &everything, &[forbidden]),
        ("reads = [\"to-data\"]", &everything, &[forbidden]),
        ("reads = [\"../..\"]", &everything, &[forbidden]),
        ("reads = [\"../../secrets\"]", &everything, &[forbidden]),
        ("reads = [\"../../secrets/token\"]", &everything, &[forbidden]),
        ("reads = [\"/run/secrets/discord_token\"]", &everything, &[forbidden]),
        ("reads = [\"../../shared/signing\"]", &keys, &[forbidden]),
        ("reads = [\"../../shared/weather\"]", &keys, &[forbidden]),
        ("reads = [\"../../shared\"]", &keys, &[forbidden]),
        ("reads = [\"../../shared/lists\"]", &keys, &[]),
        ("ports = [443]\nsandbox = \"off\"", "", &[denied, denied]),
    ];
    for (run, config, expected) in cases {
        let folder = asking(run, config);
        for offline in [false, true] {
            assert_eq!(codes(&folder, offline), *expected, "{run} with {config}, offline: {offline}");
        }
    }
}

/// A server is sent the secret that its manifest names.
#[test]
fn no_server_is_sent_a_secret_of_the_bots() {
    let manifest = |secret: &str| {
        format!(
            "[module]\nname = \"try\"\nsummary = \"Tries\"\nkind = \"mcp\"\n[run]\nurl = \"https://localhost:1/mcp\"\n\
             {secret}\n[commands.\"/try\"]\ndescription = \"Try\"\nhandler = \"try\"\n"
        )
    };
    let granted = "[modules.trusted.try]\nreads = [\"shared\", \"secrets\", \"data\", \"/proc\"]\n";
    let (denied, forbidden) = (Some("right-not-trusted"), Some("reads-forbidden"));
    let oauth =
        |more: &str| format!("[run.oauth]\nclient_id = \"candor\"\n{more}client_secret_file = \"shared/tools\"");
    let (person, machine) = (oauth(""), oauth("grant = \"client_credentials\"\n"));
    for (secret, config, expected) in [
        ("bearer_file = \"secrets/token\"", granted, forbidden),
        ("bearer_file = \"modules/../secrets/token\"", granted, forbidden),
        ("bearer_file = \"data/candor.db\"", granted, forbidden),
        ("bearer_file = \"data/mcp/tools.json\"", granted, forbidden),
        ("bearer_file = \"/proc/self/environ\"", granted, forbidden),
        ("bearer_file = \"shared/tools\"", "", denied),
        ("bearer_file = \"/etc/passwd\"", granted, denied),
        (&person, "", denied),
        (&machine, "", denied),
        ("bearer_file = \"shared/tools\"", granted, None),
        ("bearer_file = \"modules/try/words\"", "", None),
        ("", "", None),
    ] {
        let folder = asking("", config);
        fs::write(folder.path().join("shared/tools"), "abc\n").unwrap();
        fs::write(folder.path().join("modules/try/module.toml"), manifest(secret)).unwrap();
        // A server that is not there is looked for only once nothing is wrong with its manifest.
        assert_eq!(codes(&folder, false), [expected.unwrap_or("server-unusable")], "{secret} with {config}");
        assert_eq!(codes(&folder, true), Vec::from_iter(expected), "{secret} with {config}, offline");
    }
}

#[test]
fn what_is_not_granted_is_told_with_its_place_and_the_lines_to_add() {
    let here = |folder: &Folder| folder.path().canonicalize().unwrap().display().to_string();
    let folder = asking("ports = [443]\nsandbox = \"off\"", "");
    let checked = folder.run(&["check"]);
    assert_eq!(checked.status.code(), Some(78));
    let said = stdout(&checked);
    for wanted in [
        "modules/try/module.toml:7:10",
        "write `ports = [443]` under `[modules.trusted.try]`",
        "modules/try/module.toml:8:11",
        "write `sandbox = \"off\"` under `[modules.trusted.try]`",
    ] {
        assert!(said.contains(wanted), "{wanted}: {said}");
    }
    let folder = asking("reads = [\"../../shared\"]", "");
    let said = stdout(&folder.run(&["check"]));
    let wanted = format!("write `reads = [\"{}/shared\"]` under `[modules.trusted.try]`", here(&folder));
    assert!(said.contains("module.toml:7:10") && said.contains(&wanted), "{said}");
    // What the settings name has to be there, and to be right.
    for (config, wanted) in [
        ("[modules.trusted.tyr]\nports = [443]", "`modules.trusted.tyr` is for no module"),
        ("[modules.trusted.try]\nports = [0]", "`modules.trusted.try.ports` takes ports, and 0 is none"),
        ("[modules.trusted.try]\nsandbox = \"on\"", "`modules.trusted.try.sandbox` must be one of"),
        ("[modules.trusted.try]\nport = [443]", "did you mean `ports`?"),
    ] {
        let said = stdout(&asking("", config).run(&["check"]));
        assert!(said.contains(wanted), "{wanted}: {said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_check_and_every_start_show_what_each_module_may_do() {
    let trusted = "[modules.trusted.try]\nports = [443]\nreads = [\"shared\"]\n";
    let folder = asking("ports = [443]\nreads = [\"../../shared\"]\nfile_mib = 1", trusted);
    let hail = "[module]\nname = \"hail\"\nsummary = \"Hails\"\nkind = \"text\"\n\
                [commands.\"/hail\"]\ndescription = \"Hail\"\nreply = \"Hail!\"\n";
    fs::create_dir(folder.path().join("modules/hail")).unwrap();
    fs::write(folder.path().join("modules/hail/module.toml"), hail).unwrap();
    let lines = [
        "rights of try: reads: its folder, ../../shared; writes: its working folder; network: TCP 443; sandbox: on; \
         services: none",
        "rights of hail: runs no code; services: none",
        "rights of tasks: runs in the bot, without a sandbox; services: records",
    ];
    let said = stdout(&folder.run(&["check"]));
    for line in lines {
        let is_line =
            |known: &str| known.strip_prefix(line).is_some_and(|rest| rest.is_empty() || rest.starts_with("; code: "));
        assert!(said.lines().any(is_line), "{line}: {said}");
    }
    let connected = connect_in(folder, Twin::start().await.unwrap()).await;
    let log = connected.bot.log();
    for line in lines {
        assert!(log.contains(line), "{line}: {log}");
    }
    let confined = format!("programs of modules: {}", containment());
    assert!(log.contains(&confined), "{confined}: {log}");
}

#[test]
fn a_manifest_that_is_a_link_to_a_secret_is_not_shown() {
    let folder = asking("", "");
    let manifest = folder.path().join("modules/try/module.toml");
    fs::remove_file(&manifest).unwrap();
    symlink("../../secrets/token", &manifest).unwrap();
    for arguments in [&["check"][..], &["console", "-c", "/try"], &["test", "try"]] {
        let output = folder.run(arguments);
        let said = stdout(&output) + &String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && !said.contains("abc.def"), "{said}");
    }
    let said = stdout(&folder.run(&["check"]));
    assert!(said.contains("error[manifest-unreadable]") && said.contains("this is a link out of its folder"), "{said}");
    let tests = folder.path().join("modules/try/tests.toml");
    symlink("../../secrets/token", tests).unwrap();
    fs::remove_file(&manifest).unwrap();
    let text = "[module]\nname = \"try\"\nsummary = \"Tries\"\nkind = \"text\"\n\
                [commands.\"/try\"]\ndescription = \"Try\"\nreply = \"Hail!\"\n";
    fs::write(&manifest, text).unwrap();
    let output = folder.run(&["test", "try"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("link out of its folder") && !said.contains("abc.def"), "{said}");
}
