//! Lines typed at a prompt or piped in, read on a thread of their own because reading a terminal blocks.

use std::{io, thread};

use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::DefaultHistory;
use rustyline::validate::Validator;
use rustyline::{Context, Editor, Helper};
use tokio::sync::mpsc;

/// A longer line is refused whole, in bytes: nobody types it, and a pipe without a line end must not fill the memory.
/// Half of it would be another message than the one that was meant.
const LINE_LENGTH_MAX: usize = 64 * 1024;

/// One read of the input.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Typed {
    /// One line.
    Line(String),
    /// A line that is too long, and dropped.
    TooLong,
    /// End of input, or Ctrl-C.
    End,
}

/// The lines, as they come. The thread reads the next one only when asked: the prompt appears below the answer, and
/// piped input is not read ahead.
pub(super) struct Lines {
    ask: mpsc::UnboundedSender<()>,
    typed: mpsc::UnboundedReceiver<io::Result<Typed>>,
}

impl Lines {
    /// Starts reading: at a terminal with a prompt that completes `names`, else plainly.
    pub(super) fn start(at_terminal: bool, names: Vec<String>) -> Self {
        let (ask, asked) = mpsc::unbounded_channel();
        let (sender, typed) = mpsc::unbounded_channel();
        // Not joined at the end: it may wait for a key that never comes.
        thread::spawn(
            move || if at_terminal { read_terminal(names, asked, &sender) } else { read_pipe(asked, &sender) },
        );
        Self { ask, typed }
    }

    /// The next line.
    pub(super) async fn next(&mut self) -> io::Result<Typed> {
        if self.ask.send(()).is_err() {
            return Ok(Typed::End);
        }
        self.typed.recv().await.unwrap_or(Ok(Typed::End))
    }
}

fn read_pipe(mut asked: mpsc::UnboundedReceiver<()>, sender: &mpsc::UnboundedSender<io::Result<Typed>>) {
    let mut input = io::stdin().lock();
    while asked.blocking_recv().is_some() {
        if sender.send(read_line(&mut input)).is_err() {
            return;
        }
    }
}

/// One line, or the end. A line that is too long is read to its end and dropped.
fn read_line(input: &mut impl io::BufRead) -> io::Result<Typed> {
    let mut line = Vec::new();
    let mut read = 0;
    loop {
        let buffered = input.fill_buf()?;
        let end = buffered.iter().position(|&byte| byte == b'\n');
        let part = buffered.get(..end.unwrap_or(buffered.len())).unwrap_or_default();
        let finished = end.is_some() || buffered.is_empty();
        if buffered.is_empty() && read == 0 {
            return Ok(Typed::End);
        }
        read += part.len() + usize::from(end.is_some());
        if read <= LINE_LENGTH_MAX {
            line.extend_from_slice(part);
        }
        let used = part.len() + usize::from(end.is_some());
        input.consume(used);
        if finished && LINE_LENGTH_MAX < read {
            return Ok(Typed::TooLong);
        }
        if finished {
            // What is not UTF-8 is shown as such and routed like any text: it is no end of the session.
            return Ok(Typed::Line(String::from_utf8_lossy(&line).trim_end_matches('\r').to_owned()));
        }
    }
}

fn read_terminal(
    names: Vec<String>,
    mut asked: mpsc::UnboundedReceiver<()>,
    sender: &mpsc::UnboundedSender<io::Result<Typed>>,
) {
    let mut editor = match Editor::<NameCompleter, DefaultHistory>::new() {
        Ok(editor) => editor,
        Err(problem) => {
            let _gone = sender.send(Err(io::Error::other(problem)));
            return;
        }
    };
    editor.set_helper(Some(NameCompleter(names)));
    while asked.blocking_recv().is_some() {
        let typed = match editor.readline("> ") {
            Ok(line) => {
                let _full = editor.add_history_entry(&line);
                Ok(if LINE_LENGTH_MAX < line.len() { Typed::TooLong } else { Typed::Line(line) })
            }
            Err(ReadlineError::Eof | ReadlineError::Interrupted) => Ok(Typed::End),
            Err(problem) => Err(io::Error::other(problem)),
        };
        if sender.send(typed).is_err() {
            return;
        }
    }
}

/// Completes the names of commands at the start of a line.
struct NameCompleter(Vec<String>);

impl Completer for NameCompleter {
    type Candidate = String;

    fn complete(&self, line: &str, position: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<String>)> {
        let typed = line.get(..position).unwrap_or(line);
        Ok((0, complete(&self.0, typed)))
    }
}

/// The names that begin with what was typed so far.
fn complete(names: &[String], typed: &str) -> Vec<String> {
    if !typed.starts_with('/') || typed.contains(' ') {
        return Vec::new();
    }
    names.iter().filter(|name| name.starts_with(typed)).cloned().collect()
}

impl Hinter for NameCompleter {
    type Hint = String;
}
impl Highlighter for NameCompleter {}
impl Validator for NameCompleter {}
impl Helper for NameCompleter {}

#[cfg(test)]
mod tests {
    use super::{LINE_LENGTH_MAX, Typed, complete, read_line};

    #[test]
    fn a_line_that_is_too_long_is_refused_whole_and_the_next_is_read() {
        let long = "x".repeat(LINE_LENGTH_MAX);
        let text = format!("one\r\n{long}/status\n\ntwo");
        // A small buffer, so that lines come in many parts.
        let mut input = std::io::BufReader::with_capacity(7, text.as_bytes());
        let line = |text: &str| Typed::Line(text.to_owned());
        for expected in [line("one"), Typed::TooLong, line(""), line("two"), Typed::End] {
            assert_eq!(read_line(&mut input).unwrap(), expected);
        }
    }

    #[test]
    fn only_the_first_word_is_completed_and_only_with_names_that_exist() {
        let names = ["/help", "/status", "/tasks"].map(str::to_owned);
        assert_eq!(complete(&names, "/s"), ["/status"]);
        assert_eq!(complete(&names, "/"), names);
        assert!(complete(&names, "/x").is_empty());
        assert!(complete(&names, "/tasks a").is_empty());
        assert!(complete(&names, "sta").is_empty());
    }
}
