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
    /// What ran, by the footers of the answers that the host showed before the reply.
    pub(super) ran: Vec<Ran>,
    /// Every receipt that any line names, the model's included.
    pub(super) named: Vec<ReceiptId>,
    /// As shown, for whoever reads a failure.
    pub(super) lines: Vec<String>,
}

/// A command in a footer of the host's.
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
        // 1: a line has no answer.
        assert!(matches!(self.process.wait().unwrap().code(), Some(0 | 1)));
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

/// Reads a reply: what ran, as the commands themselves show it, and then either the model's words with the host's label
/// or the host's own words about a failure.
fn read(lines: Vec<String>) -> Said {
    let all: Vec<_> = lines.iter().map(|line| line.trim()).collect();
    // The host's question about a command that did not run stands below the reply.
    let all = match all.as_slice() {
        [above @ .., offer] if says_whole(offer, &said!("console-offer", command = ANY)) => above,
        all => all,
    };
    // The console sets a bar before every line that a model wrote; so begins whatever the host says of a failure.
    let is_reply = |line: &&str| line.starts_with('│') || line.starts_with("The chat model");
    let Some(at) = all.iter().position(is_reply) else { panic!("neither a model's words nor a failure: {lines:#?}") };
    let (before, text) = all.split_at(at);
    let by_model = text.first().is_some_and(|line| line.starts_with('│'));
    if by_model {
        assert!(text.last().is_some_and(|mark| mark.starts_with(&said!("label-generated"))), "no mark: {lines:#?}");
    }
    let announced = announced(before);
    let ran = before.iter().filter_map(|line| footer(line)).collect();
    let named = all.iter().flat_map(|line| named(line)).collect();
    Said { by_model, announced, ran, named, lines }
}

/// Whether a line is this message and nothing else.
fn says_whole(line: &str, message: &str) -> bool {
    between(line, message).is_some()
}

/// What stands in a line in the place of the message's [`ANY`].
fn between<'a>(line: &'a str, message: &str) -> Option<&'a str> {
    let (before, behind) = message.split_once(ANY)?;
    line.strip_prefix(before)?.strip_suffix(behind)
}

/// The commands that the host announced while the turn ran.
fn announced(lines: &[&str]) -> Vec<String> {
    let running = said!("running", command = ANY);
    lines.iter().filter_map(|line| between(line, &running)).map(str::to_owned).collect()
}

/// `✓ /status · 1 ms · receipt 7F3K2`
fn footer(line: &str) -> Option<Ran> {
    let behind_mark = ["✓ ", "– ", "✗ "].iter().find_map(|mark| line.strip_prefix(mark))?;
    let (command, rest) = behind_mark.split_once(" · ")?;
    let receipt = between(rest.rsplit(" · ").next()?, &said!("footer-receipt", id = ANY))?;
    command.starts_with('/').then_some(Ran { command: command.to_owned(), receipt: ReceiptId::parse(receipt)? })
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
    use crate::support::scripted_model::{Script, ScriptedModel};

    fn lines(text: &[&str]) -> Vec<String> {
        text.iter().map(|line| (*line).to_owned()).collect()
    }

    fn shown(command: &str, number: u64) -> String {
        format!("  ✓ {command} · 1 ms · {}", said!("footer-receipt", id = ReceiptId::from_number(number).to_string()))
    }

    fn generated() -> String {
        format!("  {}", said!("label-generated"))
    }

    #[test]
    fn footers_are_read_and_receipts_are_found_wherever_they_are_named() {
        let id = |number| ReceiptId::from_number(number);
        let said = read(lines(&[
            "  CPU  12.5 %",
            &shown("/status", 9),
            &shown("/tasks list", 10).replace('✓', "–"),
            &format!("  │ Done, see receipt {}. ✓ {}", id(7), id(8)),
            "  │ A receipt is a record. Receipt 12 too.",
            &generated(),
        ]));
        assert!(said.by_model);
        let ran: Vec<_> = said.ran.iter().map(|ran| (ran.command.as_str(), ran.receipt)).collect();
        assert_eq!(ran, [("/status", id(9)), ("/tasks list", id(10))]);
        assert_eq!(said.named, [id(9), id(10), id(7), id(8)]);
    }

    #[test]
    fn a_failure_is_the_hosts_own_and_may_have_run_something() {
        let said = read(lines(&[&format!("  {}", said!("model-unreachable"))]));
        assert!(!said.by_model && said.ran.is_empty());
        let failure = format!("  {}", said!("turn-out-of-time", seconds = 60));
        let said = read(lines(&[&shown("/status", 3), &failure]));
        assert_eq!((said.by_model, said.ran.len()), (false, 1));
    }

    #[test]
    fn progress_and_questions_of_the_host_are_no_part_of_the_reply() {
        let running = |command| format!("  {}", said!("running", command = command));
        let said = read(vec![
            running("/files list"),
            shown("/files list", 1),
            format!("  {}", said!("question-asked")),
            "  /tasks add title: receipt 12".to_owned(),
            format!("  {}", said!("console-run")),
            running("/status"),
            shown("/status", 2),
            format!("  │ {}", running("/nothing").trim()),
            generated(),
            format!("  {}", said!("console-offer", command = "/tasks add")),
        ]);
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
        read(lines(&[&format!("  {}", said!("question-asked")), &format!("  {}", said!("console-run"))]));
    }

    #[test]
    #[should_panic(expected = "no mark")]
    fn words_without_a_mark_are_noticed() {
        read(lines(&["  │ All is well.", "  note"]));
    }

    #[test]
    #[should_panic(expected = "neither")]
    fn words_that_are_nobodys_are_noticed() {
        read(lines(&["  All is well.", &generated()]));
    }
}
