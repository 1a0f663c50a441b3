//! JSON objects and lists inside a text, strict or not, found in one pass with a stack.
//!
//! No brace is looked at twice, so text that opens a hundred thousand of them costs no more than other text. What
//! a value means is decided by its keys: `tool_calls`, or a name and arguments, make it a call.

use std::collections::{BTreeMap, BTreeSet};

use crate::agent::honesty::tool_text::span::Span;

/// How far behind a brace the sign is looked for that a value begins.
const LOOK_AHEAD: usize = 64;

/// The values of a text.
#[derive(Default)]
pub(super) struct Values {
    ends: BTreeMap<usize, usize>,
    calls: Vec<Span>,
}

impl Values {
    /// Reads a text in lower case, in these parts of it.
    pub(super) fn read(lower: &str, parts: &[Span], names: &BTreeSet<String>) -> Self {
        let mut values = Self::default();
        for part in parts {
            let mut scan = Scan { lower, names, values: &mut values, stack: Vec::new(), n_open: [0; 2], token: None };
            scan.run(part.clone());
        }
        values
    }

    /// Where the value that begins there ends.
    pub(super) fn end_at(&self, start: usize) -> Option<usize> {
        self.ends.get(&start).copied()
    }

    /// The values that are calls, or have one in them.
    pub(super) fn calls(&self) -> &[Span] {
        &self.calls
    }
}

/// What the keys of an object say.
#[derive(Clone, Copy, Default)]
struct Keys {
    calls: bool,
    tool: bool,
    name: bool,
    arguments: bool,
    offered: bool,
}

/// A brace or a bracket that is open.
struct Frame {
    start: usize,
    shape: Shape,
    keys: Keys,
    /// A name of a tool would be the value that comes next.
    awaits_name: bool,
    /// The last place where a key was seen.
    key_at: usize,
    has_call: bool,
    /// Words stand in it side by side: it is prose behind a stray brace, whatever comes in it.
    is_prose: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Object = 0,
    List = 1,
}

impl Frame {
    fn is_call(&self) -> bool {
        let Keys { calls, tool, name, arguments, offered } = self.keys;
        calls || ((tool || name) && arguments) || (tool && offered)
    }
}

struct Scan<'a> {
    lower: &'a str,
    names: &'a BTreeSet<String>,
    values: &'a mut Values,
    stack: Vec<Frame>,
    /// How many of each shape are open.
    n_open: [usize; 2],
    /// The text or word that was read last, if nothing came behind it.
    token: Option<Span>,
}

impl Scan<'_> {
    fn run(&mut self, part: Span) {
        let mut at = part.start;
        while at < part.end {
            at = match self.byte(at) {
                Some(b'{') => self.open(at, Shape::Object),
                Some(b'[') => self.open(at, Shape::List),
                _ if self.stack.is_empty() => at + 1,
                Some(b'}') => self.close(at, Shape::Object),
                Some(b']') => self.close(at, Shape::List),
                Some(quote @ (b'"' | b'\'')) => self.quoted(at, quote, part.end),
                Some(b':') => self.key(at),
                Some(b',') => self.next(at),
                Some(byte) if is_word(byte) => self.word(at, part.end),
                _ => at + 1,
            };
        }
        self.give_up(part.end);
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.lower.as_bytes().get(at).copied()
    }

    fn open(&mut self, at: usize, shape: Shape) -> usize {
        if !self.stack.is_empty() || begins_value(self.lower, at, shape) {
            self.token = None;
            self.count(shape, |n| n + 1);
            let keys = Keys::default();
            let frame =
                Frame { start: at, shape, keys, awaits_name: false, key_at: at, has_call: false, is_prose: false };
            self.stack.push(frame);
        }
        at + 1
    }

    fn count(&mut self, shape: Shape, change: impl Fn(usize) -> usize) -> usize {
        let Some(n) = self.n_open.get_mut(shape as usize) else { return 0 };
        *n = change(*n);
        *n
    }

    fn close(&mut self, at: usize, shape: Shape) -> usize {
        self.token = None;
        if self.count(shape, |n| n) == 0 {
            return at + 1;
        }
        while let Some(frame) = self.stack.pop() {
            self.count(frame.shape, |n| n - 1);
            let is_it = frame.shape == shape;
            if is_it {
                self.values.ends.insert(frame.start, at + 1);
            }
            if frame.is_call() || (frame.has_call && !frame.is_prose) {
                self.values.calls.push(frame.start..at + 1);
                if let Some(parent) = self.stack.last_mut() {
                    parent.has_call = true;
                }
            }
            if is_it {
                break;
            }
        }
        at + 1
    }

    /// A text in quotation marks. A blank line ends it as well: then it was none.
    fn quoted(&mut self, at: usize, quote: u8, end: usize) -> usize {
        let start = at + 1;
        let mut at = start;
        while at < end {
            at += match self.byte(at) {
                Some(b'\\') => 2,
                Some(b'\n') if self.byte(at + 1) == Some(b'\n') => return at + 1,
                Some(byte) if byte == quote => {
                    self.read_token(start..at);
                    return at + 1;
                }
                _ => 1,
            };
        }
        end
    }

    fn word(&mut self, start: usize, end: usize) -> usize {
        let bytes = self.lower.as_bytes().get(start..end).unwrap_or_default();
        let length = bytes.iter().take_while(|&&byte| is_word(byte)).count();
        self.read_token(start..start + length);
        start + length
    }

    fn read_token(&mut self, token: Span) {
        let text = self.lower.get(token.clone()).unwrap_or_default();
        if let Some(frame) = self.stack.last_mut() {
            frame.keys.offered |= frame.awaits_name && self.names.contains(text);
            frame.is_prose |= self.token.is_some();
        }
        self.token = Some(token);
    }

    fn key(&mut self, at: usize) -> usize {
        let token = self.token.take();
        if let (Some(token), Some(frame)) = (token, self.stack.last_mut())
            && frame.shape == Shape::Object
        {
            let key = self.lower.get(token).unwrap_or_default();
            let keys = &mut frame.keys;
            frame.key_at = at;
            frame.awaits_name = matches!(key, "tool" | "tool_name" | "function");
            match key {
                "tool_calls" => keys.calls = true,
                "tool" | "tool_name" | "function" => keys.tool = true,
                "name" | "function_name" => keys.name = true,
                "arguments" | "parameters" => keys.arguments = true,
                _ => {}
            }
        }
        at + 1
    }

    fn next(&mut self, at: usize) -> usize {
        self.token = None;
        if let Some(frame) = self.stack.last_mut() {
            frame.awaits_name = false;
        }
        at + 1
    }

    /// Calls that never end go to the end of their paragraph.
    fn give_up(&mut self, end: usize) {
        let mut done = 0;
        for frame in std::mem::take(&mut self.stack) {
            if done <= frame.start && frame.is_call() {
                done = paragraph_end(self.lower, frame.key_at).min(end);
                self.values.calls.push(frame.start..done);
            }
        }
    }
}

/// Whether a value begins at a brace or bracket in prose: emoticons, links and programs have other signs behind it.
fn begins_value(lower: &str, at: usize, shape: Shape) -> bool {
    let bytes = lower.as_bytes().get(at + 1..).unwrap_or_default();
    let mut inside = bytes.iter().copied().take(LOOK_AHEAD).skip_while(u8::is_ascii_whitespace);
    match (shape, inside.next()) {
        (Shape::Object, Some(b'"' | b'\'' | b'}')) | (Shape::List, Some(b'{' | b']')) => true,
        (Shape::Object, Some(first)) if is_word(first) => {
            let mut behind = inside.skip_while(|&byte| is_word(byte)).skip_while(u8::is_ascii_whitespace);
            behind.next() == Some(b':')
        }
        _ => false,
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// The next blank line behind a place, or the end of the text.
pub(super) fn paragraph_end(text: &str, from: usize) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    let is_blank = |at: usize| {
        let next = rest.get(at + 1..).unwrap_or_default();
        next.trim_start_matches([' ', '\t', '\r']).starts_with('\n')
    };
    rest.match_indices('\n').map(|(at, _)| at).find(|&at| is_blank(at)).map_or(text.len(), |at| from + at)
}
