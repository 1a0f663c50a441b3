//! Lines typed at a prompt or piped in, read on a thread of their own because reading a terminal blocks.

use std::collections::VecDeque;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::{io, thread};

use rustyline::completion::{Completer, Pair};
use rustyline::config::{BellStyle, CompletionType, Config};
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::DefaultHistory;
use rustyline::validate::Validator;
use rustyline::{Context, Editor, Helper};
use serde_json::Value;
use tokio::runtime::Handle;
use tokio::sync::mpsc;
use unicode_width::UnicodeWidthStr as _;

use crate::console::complete::{Offer, Wanted, wanted, written};
use crate::console::history::{History, LINES_MAX, is_kept};
use crate::console::screen::Screen;
use candor_core::inbound::{Asking, CallMethod, Caller, Place};
use candor_core::registry::Catalog;
use candor_core::text::{printable, shortened};
use candor_engine::dispatch::Dispatcher;

const PROMPT: &str = "> ";

/// The longest line in bytes. A longer line is refused as a whole: people do not type one, and a pipe without line ends
/// must not fill the memory. Half of it would be a different message.
pub(super) const LINE_LENGTH_MAX: usize = 64 * 1024;

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Typed {
    Line(String),
    /// A line that is too long, and dropped.
    TooLong,
    /// Ctrl-C: the unfinished line is dropped.
    Cleared,
    End,
}

/// The source of answers to questions, for a session with given lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replies {
    /// No answers: every question stays open, and commands that ask first do not run.
    Nobody,
    /// The next line of standard input.
    Typed,
    Yes,
}

impl Replies {
    pub(super) fn lines(self) -> Lines {
        match self {
            Self::Nobody => Lines::always(None),
            Self::Typed => Lines::start(None),
            Self::Yes => Lines::always(Some("yes".to_owned())),
        }
    }
}

/// The lines, as they come. The thread reads the next one only on request: so the prompt appears below the answer, and
/// piped input is not read ahead.
pub(super) struct Lines {
    ask: mpsc::UnboundedSender<()>,
    typed: mpsc::UnboundedReceiver<io::Result<Typed>>,
}

impl Lines {
    /// Starts reading: at a terminal with a prompt, else plainly.
    pub(super) fn start(prompter: Option<Prompter>) -> Self {
        let (ask, asked) = mpsc::unbounded_channel();
        let (sender, typed) = mpsc::unbounded_channel();
        // Not joined at the end: it may wait for a key that never comes.
        thread::spawn(move || match prompter {
            Some(prompter) => read_terminal(prompter, asked, &sender),
            None => read_pipe(asked, &sender),
        });
        Self { ask, typed }
    }

    /// Returns the same line on each request; end of input if `line` is `None`.
    pub(super) fn always(line: Option<String>) -> Self {
        let (ask, mut asked) = mpsc::unbounded_channel();
        let (sender, typed) = mpsc::unbounded_channel();
        if let Some(line) = line {
            tokio::spawn(async move {
                while asked.recv().await.is_some() && sender.send(Ok(Typed::Line(line.clone()))).is_ok() {}
            });
        }
        Self { ask, typed }
    }

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

/// Reads one line, or the end. Reads a line that is too long to its end and drops it.
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
            // Text that is not UTF-8 is shown lossily and routed like any text; the session continues.
            return Ok(Typed::Line(String::from_utf8_lossy(&line).trim_end_matches('\r').to_owned()));
        }
    }
}

fn read_terminal(
    prompter: Prompter,
    mut asked: mpsc::UnboundedReceiver<()>,
    sender: &mpsc::UnboundedSender<io::Result<Typed>>,
) {
    let config = Config::builder().completion_type(CompletionType::List).completion_show_all_if_ambiguous(true);
    let config = config.bell_style(BellStyle::None).history_ignore_space(true).max_history_size(LINES_MAX);
    let config = config.and_then(|config| config.history_ignore_dups(true)).map(|config| config.build());
    let editor = config.and_then(Editor::<Prompter, DefaultHistory>::with_config);
    let mut editor = match editor {
        Ok(editor) => editor,
        Err(problem) => {
            let _gone = sender.send(Err(io::Error::other(problem)));
            return;
        }
    };
    let history = History(prompter.history.clone());
    for line in history.lines() {
        let _full = editor.add_history_entry(line);
    }
    let can_keep = |line: &str| is_kept(&prompter.catalog.commands().collect::<Vec<_>>(), line);
    editor.set_helper(Some(prompter.clone()));
    // Lines of a paste that wait for their turn.
    let mut pasted: VecDeque<String> = VecDeque::new();
    while asked.blocking_recv().is_some() {
        let typed = match pasted.pop_front() {
            Some(line) => {
                // The editor shows the first line; the others are printed after the previous answer.
                let shown = print_prompted(&line);
                shown.map(|()| checked(line))
            }
            None => match editor.readline(PROMPT) {
                Ok(text) => {
                    // A paste is one text until Enter ends it; each of its lines counts separately.
                    pasted = text.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect();
                    for line in &pasted {
                        let is_new = editor.add_history_entry(line).unwrap_or_default();
                        if is_new && can_keep(line) {
                            // Without a file, the history of this session still works.
                            let _unwritable = history.add(line);
                        }
                    }
                    Ok(checked(pasted.pop_front().unwrap_or_default()))
                }
                Err(ReadlineError::Interrupted) => Ok(Typed::Cleared),
                Err(ReadlineError::Eof) => Ok(Typed::End),
                Err(problem) => Err(io::Error::other(problem)),
            },
        };
        if matches!(typed, Ok(Typed::End)) {
            pasted.clear();
        }
        if sender.send(typed).is_err() {
            return;
        }
    }
}

fn checked(line: String) -> Typed {
    if LINE_LENGTH_MAX < line.len() { Typed::TooLong } else { Typed::Line(line) }
}

fn print_prompted(line: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{PROMPT}{}", printable(line))?;
    out.flush()
}

#[derive(Clone)]
pub(super) struct Prompter {
    pub(super) catalog: Catalog,
    pub(super) dispatcher: Arc<Dispatcher>,
    pub(super) caller: Caller,
    pub(super) history: PathBuf,
    pub(super) runtime: Handle,
}

impl Prompter {
    /// Returns the completions at the cursor, and the position where they begin.
    fn offers(&self, typed: &str) -> (usize, Vec<Offer>) {
        match wanted(&self.catalog.commands().collect::<Vec<_>>(), typed) {
            Wanted::Offers { start, offers } => (start, offers),
            Wanted::Suggestions { start, path, option, typed } => {
                let asking = Asking { caller: &self.caller, place: Place::Console, method: CallMethod::Typed };
                let suggested = self.runtime.block_on(self.dispatcher.suggest(&asking, &path, &option, &typed));
                let offers = suggested.into_iter().map(|suggestion| {
                    let value = match suggestion.value {
                        Value::String(text) => text,
                        other => other.to_string(),
                    };
                    let what = if suggestion.label == value { String::new() } else { printable(&suggestion.label) };
                    Offer { text: format!("{} ", written(&printable(&value))), name: printable(&value), what }
                });
                (start, offers.collect())
            }
        }
    }
}

impl Completer for Prompter {
    type Candidate = Pair;

    fn complete(&self, line: &str, position: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<Pair>)> {
        let (start, offers) = self.offers(line.get(..position).unwrap_or(line));
        Ok((start, listed(offers, Screen::of_output().columns.unwrap_or(80))))
    }
}

/// Formats completions as lines of a list: the name, and its description as far as the screen has room.
fn listed(offers: Vec<Offer>, columns: usize) -> Vec<Pair> {
    let widest = offers.iter().map(|offer| offer.name.width()).max().unwrap_or_default();
    let pairs = offers.into_iter().map(|offer| {
        let gap = " ".repeat(widest - offer.name.width());
        let room = columns.saturating_sub(widest + 3);
        let what = shortened(&offer.what, room.min(60));
        let is_shown = !offer.what.is_empty() && 12 <= room;
        let display = if is_shown { format!("{}{gap}  {what}", offer.name) } else { offer.name };
        Pair { display, replacement: offer.text }
    });
    pairs.collect()
}

impl Hinter for Prompter {
    type Hint = String;
}
impl Highlighter for Prompter {}
impl Validator for Prompter {}
impl Helper for Prompter {}

#[cfg(test)]
mod tests {
    use super::{LINE_LENGTH_MAX, Offer, Typed, listed, read_line};

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
    fn a_list_fits_the_screen() {
        let offer = |name: &str, what: &str| Offer { name: name.into(), what: what.into(), text: String::new() };
        let offers = || vec![offer("add", "Add a task to the list"), offer("list", "Show what is open")];
        let shown = |columns| listed(offers(), columns).into_iter().map(|pair| pair.display).collect::<Vec<_>>();
        assert_eq!(shown(80), ["add   Add a task to the list", "list  Show what is open"]);
        assert_eq!(shown(15), ["add", "list"]);
        assert!(shown(24).iter().all(|line| line.chars().count() < 24), "{:?}", shown(24));
    }
}
