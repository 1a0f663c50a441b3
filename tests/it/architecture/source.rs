//! Just enough of Rust's syntax to say which paths a source file names, tests left out.

/// A word or a mark of a source file, with its line counted from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) text: String,
    pub(super) line: usize,
}

/// A path as it is named: `std::fs::read`, each name of a braced list on its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Named {
    pub(super) path: Vec<String>,
    pub(super) line: usize,
    /// Whether a `use` names it. A single name is a path only then; else it may be a variable.
    pub(super) is_used: bool,
}

/// The tokens of a file outside its tests. Comments are left out; texts, characters and lifetimes are empty.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    without_tests(Lexer { chars: text.chars().collect(), at: 0, line: 1, tokens: Vec::new() }.run())
}

/// Every path that the tokens name.
pub(super) fn paths(tokens: &[Token]) -> Vec<Named> {
    let mut named = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if is_name(text(tokens, at)) {
            let is_used = 0 < at && text(tokens, at - 1) == "use";
            at = path(tokens, at, &[], is_used, &mut named);
        } else {
            at += 1;
        }
    }
    named
}

fn path(tokens: &[Token], mut at: usize, before: &[String], is_used: bool, named: &mut Vec<Named>) -> usize {
    let line = tokens[at].line;
    let mut path = before.to_vec();
    path.push(tokens[at].text.clone());
    at += 1;
    while text(tokens, at) == "::" {
        match text(tokens, at + 1) {
            "{" => return list(tokens, at + 2, &path, is_used, named),
            name if is_name(name) || name == "*" => path.push(name.to_owned()),
            _ => break,
        }
        at += 2;
    }
    named.push(Named { path, line, is_used });
    at
}

fn list(tokens: &[Token], mut at: usize, before: &[String], is_used: bool, named: &mut Vec<Named>) -> usize {
    while at < tokens.len() && text(tokens, at) != "}" {
        match text(tokens, at) {
            "as" => at += 2,
            name if is_name(name) || name == "*" => at = path(tokens, at, before, is_used, named),
            _ => at += 1,
        }
    }
    at + 1
}

fn text(tokens: &[Token], at: usize) -> &str {
    tokens.get(at).map_or("", |token| &token.text)
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Leaves out every item under `#[cfg(test)]`.
fn without_tests(tokens: Vec<Token>) -> Vec<Token> {
    const TEST: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];
    let mut kept = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() {
        if TEST.iter().enumerate().all(|(offset, part)| text(&tokens, at + offset) == *part) {
            at = behind_item(&tokens, at + TEST.len());
        } else {
            kept.push(tokens[at].clone());
            at += 1;
        }
    }
    kept
}

/// An item ends with a semicolon or with the brace that closes its body.
fn behind_item(tokens: &[Token], mut at: usize) -> usize {
    let mut depth = 0_usize;
    while at < tokens.len() {
        match text(tokens, at) {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" => depth = depth.saturating_sub(1),
            "}" if depth <= 1 => return at + 1,
            "}" => depth -= 1,
            ";" if depth == 0 => return at + 1,
            _ => {}
        }
        at += 1;
    }
    at
}

struct Lexer {
    chars: Vec<char>,
    at: usize,
    line: usize,
    tokens: Vec<Token>,
}

impl Lexer {
    fn run(mut self) -> Vec<Token> {
        while let Some(c) = self.peek(0) {
            match (c, self.peek(1)) {
                ('/', Some('/')) => self.skip_while(|c| c != '\n'),
                ('/', Some('*')) => self.skip_block_comment(),
                ('"', _) => self.quoted(),
                ('\'', _) => self.character_or_lifetime(),
                (':', Some(':')) | ('-' | '=', Some('>')) => self.mark(2),
                _ if c.is_alphabetic() || c == '_' => self.word(),
                _ if c.is_ascii_digit() => self.skip_while(|c| c.is_alphanumeric() || c == '_'),
                _ if c.is_whitespace() => self.skip(1),
                _ => self.mark(1),
            }
        }
        self.tokens
    }

    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn skip(&mut self, count: usize) {
        for _ in 0..count {
            self.line += usize::from(self.peek(0) == Some('\n'));
            self.at += 1;
        }
    }

    fn skip_while(&mut self, belongs: impl Fn(char) -> bool) {
        while self.peek(0).is_some_and(&belongs) {
            self.skip(1);
        }
    }

    fn push(&mut self, text: String) {
        self.tokens.push(Token { text, line: self.line });
    }

    fn mark(&mut self, length: usize) {
        self.push(self.chars[self.at..self.at + length].iter().collect());
        self.skip(length);
    }

    fn word(&mut self) {
        let start = self.at;
        self.skip_while(|c| c.is_alphanumeric() || c == '_');
        let word: String = self.chars[start..self.at].iter().collect();
        match (word.as_str(), self.peek(0), self.peek(1)) {
            ("b" | "c", Some('"'), _) => self.quoted(),
            ("b", Some('\''), _) => self.character_or_lifetime(),
            ("r" | "br" | "cr", Some('"'), _) | ("r" | "br" | "cr", Some('#'), Some('#' | '"')) => self.raw(),
            // `r#type` is the name `type`.
            ("r", Some('#'), _) => self.skip(1),
            _ => self.push(word),
        }
    }

    fn quoted(&mut self) {
        self.push(String::new());
        self.skip(1);
        while let Some(c) = self.peek(0) {
            self.skip(if c == '\\' { 2 } else { 1 });
            if c == '"' {
                return;
            }
        }
    }

    fn raw(&mut self) {
        self.push(String::new());
        let start = self.at;
        self.skip_while(|c| c == '#');
        let hashes = self.at - start;
        self.skip(1);
        while let Some(c) = self.peek(0) {
            self.skip(1);
            if c == '"' && (0..hashes).all(|ahead| self.peek(ahead) == Some('#')) {
                return self.skip(hashes);
            }
        }
    }

    fn character_or_lifetime(&mut self) {
        self.push(String::new());
        match (self.peek(1), self.peek(2)) {
            (Some('\\'), _) => {
                self.skip(3);
                self.skip_while(|c| c != '\'');
                self.skip(1);
            }
            (_, Some('\'')) => self.skip(3),
            _ => {
                self.skip(1);
                self.skip_while(|c| c.is_alphanumeric() || c == '_');
            }
        }
    }

    fn skip_block_comment(&mut self) {
        let mut depth = 0_usize;
        while self.peek(0).is_some() {
            match (self.peek(0), self.peek(1)) {
                (Some('/'), Some('*')) => depth += 1,
                (Some('*'), Some('/')) => depth -= 1,
                _ => {
                    self.skip(1);
                    continue;
                }
            }
            self.skip(2);
            if depth == 0 {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{paths, tokens};

    fn named(text: &str) -> Vec<String> {
        let paths = paths(&tokens(text));
        paths.iter().filter(|named| 1 < named.path.len()).map(|named| named.path.join("::")).collect()
    }

    #[test]
    fn every_path_is_found_and_nothing_else() {
        let cases = [
            ("use std::fs;", "std::fs"),
            ("use std::{fs, io::{self, Read as _}, net::*};", "std::fs std::io::self std::io::Read std::net::*"),
            ("use {std::fs, crate::a};", "std::fs crate::a"),
            ("fn f() -> std::io::Result<Vec<crate::a::B>> {}", "std::io::Result crate::a::B"),
            ("let x = Vec::<crate::a::B>::with(::std::env::var);", "crate::a::B std::env::var"),
            ("#[tokio::main] async fn main() {}", "tokio::main"),
            ("// std::fs\n/* std::fs /* std::fs */ */ \"std::fs \\\" std::fs\" b\"std::fs\"", ""),
            ("r\"std::fs\" r#\"\" std::fs\"# br##\"\"# std::fs\"## r#type::x", "type::x"),
            ("let c = ['\"', '\\'', 'a', b'\"']; a::b::<'x>('\\u{1F600}')", "a::b"),
            ("#[cfg(test)] use std::fs; #[cfg(test)] #[path = \"x\"] mod t { fn f() { std::fs } } a::b", "a::b"),
            ("#[cfg(test)] use std::{fs}; a::b", "a::b"),
        ];
        for (text, expected) in cases {
            assert_eq!(named(text).join(" "), expected, "{text}");
        }
    }

    #[test]
    fn lines_are_counted_through_texts_and_comments() {
        let text = "/*\n*/ \"\n\\\n\" r#\"\n\"# '\n' //\nhere::now";
        assert_eq!(paths(&tokens(text)).last().map(|named| named.line), Some(7));
    }
}
