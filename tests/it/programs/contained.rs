//! What a program may see and do.

use std::fs;
use std::io::Write as _;

use super::{are_gone, containment, in_every_mode, is_confined, processes_with, script};
use candor_outside::programs::{FileRules, ProgramError};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn it_reads_its_input_and_its_own_folder_and_writes_its_working_folder_alone() {
    if !is_confined() {
        return;
    }
    let cases = [
        ("cat", Ok("hello")),
        ("cat data.txt", Ok("own")),
        ("echo kept > \"$HOME/note\" && cat \"$HOME/note\"", Ok("kept")),
        ("cat \"$SECRET\"", Err("Permission denied")),
        ("ls \"$(dirname \"$SECRET\")\"", Err("Permission denied")),
        ("echo changed > data.txt", Err("cannot create")),
        ("echo new > new.txt", Err("cannot create")),
        ("cat /etc/shadow", Err("Permission denied")),
        ("cat /proc/$BOT/environ", Err("/environ: ")),
    ];
    let elsewhere = tempfile::tempdir().unwrap();
    let secret = elsewhere.path().join("token");
    fs::write(&secret, "secret").unwrap();
    let of_all =
        cases.into_iter().flat_map(|(body, expected)| in_every_mode(body).map(move |script| (script, body, expected)));
    for (mut script, body, expected) in of_all {
        fs::write(script.folder.path().join("data.txt"), "own").unwrap();
        script.spec.env.insert("SECRET".to_owned(), secret.display().to_string());
        script.spec.env.insert("BOT".to_owned(), std::process::id().to_string());
        match (script.run("hello").await, expected) {
            (Ok(printed), Ok(expected)) => assert_eq!(printed, expected, "{body}"),
            (Err(ProgramError::Ended { stderr, .. }), Err(expected)) => {
                assert!(stderr.contains(expected), "{body}: {stderr}");
            }
            (other, _) => panic!("{body}: {other:?}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_its_manifest_names_it_may_read() {
    let elsewhere = tempfile::tempdir().unwrap();
    fs::write(elsewhere.path().join("list"), "named").unwrap();
    let mut script = script("cat \"$1\"");
    script.spec.arguments.push(elsewhere.path().join("list").display().to_string());
    script.spec.reads.push(elsewhere.path().to_owned());
    assert_eq!(script.run("").await.unwrap(), "named");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn it_reaches_the_ports_that_its_manifest_names_and_no_other() {
    if containment().landlock < FileRules::FilesAndPorts {
        let said = b"SKIPPED what is said of TCP ports: this kernel cannot confine the network\n";
        return std::io::stderr().write_all(said).unwrap();
    }
    if !super::has("python3", "what is said of TCP ports") {
        return;
    }
    let server = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = server.local_addr().unwrap().port();
    let connect = format!("exec python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", {port}), 5)'");
    let mut script = script(&connect);
    let Err(ProgramError::Ended { stderr, .. }) = script.run("").await else { panic!("it was reached") };
    assert!(stderr.contains("PermissionError"), "{stderr}");
    script.spec.ports.push(port);
    script.run("").await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn its_environment_is_what_it_is_given_and_nothing_of_the_bots() {
    let mut script = script("env | sort");
    script.spec.env.insert("CITY".to_owned(), "Oslo".to_owned());
    let printed = script.run("").await.unwrap();
    let names: Vec<_> = printed.lines().filter_map(|line| line.split('=').next()).collect();
    // The shell sets the last three itself.
    let (given, own): (Vec<_>, Vec<_>) =
        names.into_iter().partition(|name| !["PWD", "SHLVL", "_", "OLDPWD"].contains(name));
    assert_eq!(given, ["CITY", "HOME", "LANG", "PATH", "TMPDIR"], "beside {own:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn its_limits_hold() {
    let how_ended = |how: &str| how.to_owned();
    let mut large = script("head -c 3000000 /dev/zero > \"$HOME/large\"");
    let Err(ProgramError::Ended { how, .. }) = large.run("").await else { panic!("a large file") };
    assert!(!how.is_empty(), "{how}");
    assert!(fs::metadata(large.work.path().join("large")).unwrap().len() <= 1024 * 1024);

    // Many files are no way around it: the call fails at its end, and the next is refused.
    super::write_script(
        &large.folder.path().join("run.sh"),
        "for n in 1 2 3; do head -c 900000 /dev/zero > \"$HOME/$n\"; done",
    );
    for _ in 0..2 {
        let Err(ProgramError::FolderFull(full)) = large.run("").await else { panic!("a full folder") };
        assert_eq!(full, "2 MiB");
    }
    // Nor is one call that goes on and on.
    let many = "n=0; while :; do n=$((n+1)); head -c 900000 /dev/zero > \"$HOME/$n\"; sleep 0.1; done";
    let endless = script(many);
    let ended = endless.run("").await;
    assert!(matches!(ended, Err(ProgramError::FolderFull(_))), "{ended:?}");
    are_gone(&endless.folder.path().display().to_string()).await;
    large.spec.limits.folder_mib = 16;

    large.spec.limits.memory_mib = 64;
    if super::has("python3", "the bound of memory") {
        super::write_script(&large.folder.path().join("run.sh"), "exec python3 -c 'x = bytearray(200_000_000)'");
        let Err(ProgramError::Ended { stderr, .. }) = large.run("").await else { panic!("much memory") };
        assert!(stderr.contains("MemoryError"), "{stderr}");
    }

    large.spec.limits.cpu_s = Some(1);
    super::write_script(&large.folder.path().join("run.sh"), "while :; do :; done");
    let Err(ProgramError::Ended { how, .. }) = large.run("").await else { panic!("much processor time") };
    assert_eq!(how, how_ended("signal 9"));
}

/// Neither a process in a session of its own nor one whose parent is gone.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_that_it_started_outlives_its_call() {
    if !super::has("python3", "what outlives a call") {
        return;
    }
    let body = "python3 -c 'import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.execlp(\"sh\", \"sh\", \"-c\", \"while :; do echo more >> $HOME/grows; done # 464646\")
    os._exit(0)
while not os.path.exists(os.environ[\"HOME\"] + \"/grows\"): time.sleep(0.01)'
";
    for script in in_every_mode(&format!("{body}echo done")) {
        assert_eq!(script.run("").await.unwrap(), "done");
        assert_eq!(processes_with("464646"), 0);
    }
    for script in in_every_mode(&format!("{body}sleep 60")) {
        let ended = script.run_within("", std::time::Duration::from_secs(2)).await;
        assert!(matches!(ended, Err(ProgramError::TimedOut { .. })), "{ended:?}");
        assert_eq!(processes_with("464646"), 0);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_sandbox_it_sees_what_the_bot_sees() {
    let elsewhere = tempfile::tempdir().unwrap();
    fs::write(elsewhere.path().join("list"), "seen").unwrap();
    let mut script = script("cat \"$1\"");
    script.spec.arguments.push(elsewhere.path().join("list").display().to_string());
    script.spec.is_confined = false;
    assert_eq!(script.run("").await.unwrap(), "seen");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_left_over_of_many_runs() {
    let script = script("sleep 424242 & cat");
    let open = || fs::read_dir("/proc/self/fd").unwrap().count();
    script.run("warm").await.unwrap();
    let before = open();
    for n in 0..200 {
        assert_eq!(script.run(&n.to_string()).await.unwrap(), n.to_string());
    }
    // Other tests of this process have files open, but far fewer than one a run.
    assert!(open() < before + 100, "{} descriptors, and {before} before", open());
    are_gone("sleep 424242").await;
}

/// On a kernel that cannot confine programs, none is started, unless its manifest says that it goes without.
#[test]
fn where_nothing_can_be_confined_no_program_is_started_but_where_that_is_written() {
    if !super::has("python3", "what is said of kernels without Landlock or seccomp") {
        return;
    }
    let run_with = |lacking: &str, config: &str, manifest: &str, arguments: &[&str]| {
        let folder = super::modules::folder(&[("try/try.sh", "#!/bin/sh\necho started\n")]);
        fs::write(folder.path().join("config.toml"), config).unwrap();
        fs::write(folder.path().join("modules/try/module.toml"), manifest).unwrap();
        let candor = folder.candor(arguments);
        let wrapper = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/programs/without_call.py");
        let mut python = std::process::Command::new("python3");
        python.arg(wrapper).arg(lacking).arg(candor.get_program()).args(candor.get_args()).current_dir(folder.path());
        let output = python.stdin(std::process::Stdio::null()).output().unwrap();
        let (said, logged) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
        (output.status.code(), said + &logged)
    };
    let run = |manifest: &str, arguments: &[&str]| run_with("landlock", "", manifest, arguments);
    let manifest = "[module]\nname = \"try\"\nsummary = \"Tries\"\nkind = \"exec\"\n\n[run]\nprogram = \"try.sh\"\n\n\
                    [commands.\"/try\"]\ndescription = \"Try\"\nprobe = {}\n";
    let (code, said) = run(manifest, &["check"]);
    assert_eq!(code, Some(78), "{said}");
    insta::assert_snapshot!("sandbox-unavailable", said);
    let open = manifest.replace("[run]\n", "[run]\nsandbox = \"off\"\n");
    let (code, said) = run(&open, &["check"]);
    assert!(code == Some(78) && said.contains("right-not-trusted"), "{said}");
    let config = "[modules.trusted.try]\nsandbox = \"off\"\n";
    for (lacking, named) in [("landlock", "Landlock"), ("seccomp", "seccomp filter")] {
        let (code, said) = run_with(lacking, "", manifest, &["check"]);
        assert!(code == Some(78) && said.contains("sandbox-unavailable"), "{lacking}: {said}");
        assert!(said.contains(&format!("this kernel has no {named}")), "{lacking}: {said}");
        let (code, said) = run_with(lacking, config, &open, &["check"]);
        assert!(code == Some(0) && said.contains("rights of try"), "{lacking}: {said}");
        let (_, said) = run_with(lacking, config, &open, &["try", "/try"]);
        assert!(said.contains("started") && said.contains("✓ /try"), "{lacking}: {said}");
    }
}
