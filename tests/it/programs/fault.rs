//! Programs that hang, flood, fork, or end before they answer.

use std::time::Duration;

use super::{are_gone, in_every_mode, programs, script};
use candor_outside::programs::{ProgramError, find};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_ends_badly_is_told_with_its_last_words() {
    let cases = [
        ("echo no such city >&2; exit 3", "it ended with exit code 3: no such city"),
        ("kill -TERM $$", "it ended with signal 15"),
        ("yes | head -c 100000", "it printed more than 64 KiB"),
        ("yes nothing but errors | head -c 3000000 >&2; exit 1", "it ended with exit code 1: …"),
    ];
    for (body, expected) in cases {
        for script in in_every_mode(body) {
            let told = script.run("").await.unwrap_err().to_string();
            assert!(told.starts_with(expected), "{body}: {told}");
            assert!(told.chars().count() < 500, "{body}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_hangs_is_killed_with_all_it_started() {
    let cases = [
        "sleep 414141",
        "trap '' TERM INT HUP; echo waiting >&2; sleep 414141",
        "sh -c 'sleep 414141' & sh -c 'sleep 414141' & wait",
        "exec 1>&-; sleep 414141",
    ];
    for body in cases {
        for script in in_every_mode(body) {
            let ended = script.run_within("", Duration::from_millis(700)).await;
            assert!(matches!(ended, Err(ProgramError::TimedOut { .. })), "{body}: {ended:?}");
            are_gone("sleep 414141").await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_not_waited_for_is_killed() {
    let script = script("sleep 434343");
    let run = tokio::time::timeout(Duration::from_millis(500), script.run("")).await;
    assert!(run.is_err());
    are_gone("sleep 434343").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn input_that_is_not_read_holds_nothing_up() {
    let input = "x".repeat(1_000_000);
    assert_eq!(script("echo done").run(&input).await.unwrap(), "done");
    assert_eq!(script("head -c 5; echo; cat > /dev/null; echo done").run(&input).await.unwrap(), "xxxxx\ndone");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_left_behind_holds_no_answer_up() {
    let watch = std::time::Instant::now();
    assert_eq!(script("sleep 20 & echo done").run("").await.unwrap(), "done");
    assert!(watch.elapsed() < Duration::from_secs(15), "{:?}", watch.elapsed());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_program_that_vanished_since_it_was_found_is_told() {
    let script = script("echo done");
    std::fs::remove_file(script.folder.path().join("run.sh")).unwrap();
    let told = script.run("").await.unwrap_err();
    assert!(matches!(&told, ProgramError::NotStarted(why) if why.contains("No such file")), "{told:?}");
    assert!(matches!(find("run.sh", script.folder.path()), Err(ProgramError::Missing(_))));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_lived_program_talks_until_it_is_killed() {
    use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

    let script = script("while read -r line; do echo \"heard $line\"; done; echo bye >&2; exit 4");
    let mut running = programs().start(&script.spec).await.unwrap();
    let (mut stdin, stdout) = (running.stdin().unwrap(), running.stdout().unwrap());
    let mut lines = BufReader::new(stdout).lines();
    for word in ["one", "two"] {
        stdin.write_all(format!("{word}\n").as_bytes()).await.unwrap();
        assert_eq!(lines.next_line().await.unwrap().unwrap(), format!("heard {word}"));
    }
    drop(stdin);
    assert_eq!(running.ended().await.unwrap_err().to_string(), "it ended with exit code 4: bye");
}
