//! The console over a pipe, a question at a time, and what its replies say.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use crate::support::bot::Folder;
use crate::support::said::{ANY, said, says};
use candor_core::record::ReceiptId;

/// How long one turn may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(600);

/// A running console. Killed when dropped.
pub(super) struct Conversation {
    process: Child,
    typed: Option<ChildStdin>,
    shown: Receiver<String>,
    log: PathBuf,
}

/// A reply to words of chat.
#[derive(Debug)]
pub(super) struct Said {
    /// Whether the model's words were shown. If not, the host said why there are none.
    pub(super) by_model: bool,
    /// What was about to run, by the host's lines before the reply.
    pub(super) announced: Vec<String>,
    /// What ran, by the host's own line.
    pub(super) ran: Vec<Ran>,
    /// Every receipt that any line names, the model's included.
    pub(super) named: Vec<ReceiptId>,
    /// As shown, for whoever reads a failure.
    pub(super) lines: Vec<String>,
}

/// A command in the host's own line.
#[derive(Debug)]
pub(super) struct Ran {
    pub(super) command: String,
    pub(super) receipt: ReceiptId,
}

impl Conversation {
    pub(super) fn start(folder: &Folder) -> Self {
        let mut command = folder.candor(&["console"]);
        let log = folder.path().join("log");
        let stderr = File::create(&log).unwrap();
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(stderr).spawn().unwrap();
        let (stdout, typed) = (process.stdout.take().unwrap(), process.stdin.take());
        let (heard, shown) = channel();
        thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if heard.send(line).is_err() {
                    break;
                }
            }
        });
        let mut conversation = Self { process, typed, shown, log };
        // An answer to slash text: the table of commands before it is no reply.
        conversation.type_line("/nobody");
        conversation.until("/nobody");
        conversation
    }

    /// Says this, and then types a command that nobody owns: its answer is the end of the reply.
    pub(super) fn say(&mut self, question: &str, unknown: &str) -> Said {
        self.type_line(question);
        self.type_line(unknown);
        read(self.until(unknown))
    }

    /// Ends the input, and waits until the bot has written everything down.
    pub(super) fn end(mut self) {
        drop(self.typed.take());
        assert!(self.process.wait().unwrap().success());
    }

    fn type_line(&mut self, line: &str) {
        writeln!(self.typed.as_mut().unwrap(), "{line}").unwrap();
    }

    /// The lines before the one that answers this command.
    fn until(&mut self, unknown: &str) -> Vec<String> {
        let ends = [
            format!("  {}", said!("unknown-command", command = unknown)),
            format!("  {}", said!("unknown-command-near", command = unknown, near = ANY)),
        ];
        let mut lines = Vec::new();
        loop {
            let line = self.shown.recv_timeout(PATIENCE).unwrap_or_else(|why| {
                let log = std::fs::read_to_string(&self.log).unwrap();
                panic!("{why}, after {lines:#?} and the log\n{log}")
            });
            if ends.iter().any(|end| says(&line, end)) {
                return lines;
            }
            if line.trim() == said!("console-run") {
                // What was typed to mark the end has just been taken for a no.
                self.type_line(unknown);
            }
            lines.push(line);
        }
    }
}

impl Drop for Conversation {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _gone = self.process.kill();
        let _reaped = self.process.wait();
    }
}

/// Reads a reply, which is either the model's words and the host's label, or the host's own words about a failure.
fn read(lines: Vec<String>) -> Said {
    let all: Vec<_> = lines.iter().map(|line| line.trim()).collect();
    let (announced, text) = behind_progress(&all);
    // The host's question about a memory that was only pretended to be saved stands below the reply.
    let text = match text {
        [above @ .., offer] if **offer == said!("console-save") => above,
        text => text,
    };
    let (Some(&first), Some(&last)) = (text.first(), text.last()) else { panic!("no reply: {lines:#?}") };
    let ran = said!("label-ran", commands = ANY);
    let (before, behind) = ran.split_once(ANY).unwrap();
    // The console sets a bar before every line that a model wrote.
    let by_model = first.starts_with('│');
    let label = if by_model {
        let generated = format!("{} · ", said!("label-generated"));
        let label = last.strip_prefix(&generated).unwrap_or_else(|| panic!("no label: {lines:#?}"));
        if label == said!("label-none-ran") { "" } else { label }
    } else {
        // So begins whatever the host says of a model that gave no answer.
        assert!(first.starts_with("The chat model"), "neither a model's words nor a failure: {lines:#?}");
        if last.starts_with(before) { last } else { "" }
    };
    let ran = match label {
        "" => Vec::new(),
        label => {
            let commands = label.strip_prefix(before).and_then(|label| label.strip_suffix(behind));
            let commands = commands.unwrap_or_else(|| panic!("an odd label: {lines:#?}"));
            commands.split(", ").map(|ran| command(ran).unwrap_or_else(|| panic!("{ran:?} in {lines:#?}"))).collect()
        }
    };
    let named = text.iter().flat_map(|line| named(line)).collect();
    Said { by_model, announced, ran, named, lines }
}

/// The commands that the host announced while the turn ran, and the lines behind those and behind its questions.
fn behind_progress<'a, 'b>(mut lines: &'a [&'b str]) -> (Vec<String>, &'a [&'b str]) {
    let mut announced = Vec::new();
    let running = said!("running", command = ANY);
    let (before, behind) = running.split_once(ANY).unwrap();
    loop {
        lines = match lines {
            // The host's question about a command that changes something: a line, the command, and the line that waits.
            [asked, _command, waits, rest @ ..]
                if **asked == said!("question-asked") && **waits == said!("console-run") =>
            {
                rest
            }
            [first, rest @ ..] => {
                match first.strip_prefix(before).and_then(|command| command.strip_suffix(behind)) {
                    Some(command) => announced.push(command.to_owned()),
                    None => return (announced, lines),
                }
                rest
            }
            [] => return (announced, lines),
        }
    }
}

/// `/status ✓ 7F3K2`
fn command(ran: &str) -> Option<Ran> {
    let (ran, receipt) = ran.rsplit_once(' ')?;
    let (command, mark) = ran.rsplit_once(' ')?;
    let is_mark = matches!(mark, "✓" | "–" | "✗");
    is_mark.then_some(Ran { command: command.to_owned(), receipt: ReceiptId::parse(receipt)? })
}

/// What follows the word `receipt` or a mark of success, and can be read as a receipt's name.
fn named(line: &str) -> Vec<ReceiptId> {
    let words: Vec<_> = line.split(|character: char| !character.is_alphanumeric() && character != '✓').collect();
    let words = words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>();
    let pairs = words.iter().zip(words.iter().skip(1));
    let is_name =
        |word: &str| word.chars().any(|character| character.is_ascii_digit()) && !word.chars().any(char::is_lowercase);
    pairs
        .filter(|(before, word)| (before.eq_ignore_ascii_case("receipt") || **before == "✓") && is_name(word))
        .filter_map(|(_, word)| ReceiptId::parse(word))
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::support::said::{label_none_ran, label_ran};
    use crate::support::scripted_model::{Script, ScriptedModel};

    fn lines(text: &[&str]) -> Vec<String> {
        text.iter().map(|line| (*line).to_owned()).collect()
    }

    #[test]
    fn a_label_is_read_and_receipts_are_found_wherever_they_are_named() {
        let id = |number| ReceiptId::from_number(number);
        let said = read(lines(&[
            &format!("  │ Done, see receipt {}. ✓ {}", id(7), id(8)),
            "  │ A receipt is a record. Receipt 12 too.",
            &format!("  {}", label_ran(&format!("/status ✓ {}, /tasks list – {}", id(9), id(10)))),
        ]));
        assert!(said.by_model);
        let ran: Vec<_> = said.ran.iter().map(|ran| (ran.command.as_str(), ran.receipt)).collect();
        assert_eq!(ran, [("/status", id(9)), ("/tasks list", id(10))]);
        assert_eq!(said.named, [id(7), id(8), id(9)]);
    }

    #[test]
    fn a_failure_is_the_hosts_own_and_may_have_run_something() {
        let said = read(lines(&[&format!("  {}", said!("model-unreachable"))]));
        assert!(!said.by_model && said.ran.is_empty());
        let ran = format!("/status ✓ {}", ReceiptId::from_number(3));
        let label = format!("  {}", said!("label-ran", commands = ran));
        let said = read(lines(&[&format!("  {}", said!("turn-out-of-time", seconds = 60)), &label]));
        assert_eq!(said.ran.len(), 1);
    }

    #[test]
    fn progress_and_questions_of_the_host_are_no_part_of_the_reply() {
        let ran = format!("/files list ✓ {}, /status ✓ {}", ReceiptId::from_number(1), ReceiptId::from_number(2));
        let running = |command| said!("running", command = command);
        let shown = [
            running("/files list"),
            said!("question-asked"),
            "/tasks add title: receipt 12".to_owned(),
            said!("console-run"),
            running("/status"),
            format!("│ {}", running("/nothing")),
            label_ran(&ran),
            said!("console-save"),
        ];
        let said = read(shown.map(|line| format!("  {line}")).to_vec());
        assert!(said.by_model);
        assert_eq!(said.announced, ["/files list", "/status"]);
        let ran: Vec<_> = said.ran.iter().map(|ran| ran.command.as_str()).collect();
        assert_eq!(ran, ["/files list", "/status"]);
        assert_eq!(said.named, [ReceiptId::from_number(1), ReceiptId::from_number(2)]);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_question_in_the_middle_is_declined_and_the_reply_still_ends() {
        let calls = Script::calls(&[("tasks_add", json!({"title": "milk"})), ("tasks_list", json!({}))]);
        let scripts = vec![calls, Script::says("I listed the tasks.")];
        let model = ScriptedModel::start(scripts).await;
        let config = format!(
            "[model]\nbase_url = \"{}\"\nmodels = [\"scripted\"]\n[chat]\nwrite_tools = [\"/tasks add\"]\n",
            model.base_url()
        );
        let said = tokio::task::spawn_blocking(move || {
            let folder = Folder::with(&config);
            let mut conversation = Conversation::start(&folder);
            let said = conversation.say("add milk and list the tasks", "/staus");
            conversation.end();
            said
        });
        let said = said.await.unwrap();
        assert!(said.by_model && said.lines.iter().any(|line| line.trim() == said!("console-run")), "{said:?}");
        let ran: Vec<_> = said.ran.iter().map(|ran| ran.command.as_str()).collect();
        assert_eq!(
            (said.announced.as_slice(), ran.as_slice()),
            (["/tasks list".to_owned()].as_slice(), ["/tasks list"].as_slice())
        );
    }

    #[test]
    #[should_panic(expected = "neither")]
    fn half_a_question_is_noticed() {
        read(lines(&[&format!("  {}", said!("question-asked")), &format!("  {}", said!("console-run")), "  │ Done."]));
    }

    #[test]
    #[should_panic(expected = "no label")]
    fn words_without_a_label_are_noticed() {
        read(lines(&["  │ All is well.", "  note"]));
    }

    #[test]
    #[should_panic(expected = "neither")]
    fn words_that_are_nobodys_are_noticed() {
        read(lines(&["  All is well.", &format!("  {}", label_none_ran())]));
    }
}
