//! The tests of a module, `tests.toml` beside its manifest: what somebody types, and what must come back.
//!
//! They are of any kind of module, and know nothing of how it works: a test is one line as a person types it, with its
//! answer. The lines of a module run in their order on one store, so that what one keeps the next one finds.

use std::sync::Arc;

use crate::contract::manifest::text::{Text, text};
use crate::diagnostic::spanned::{self, Codes, Section, Spanned};
use crate::diagnostic::{Code, Diagnostics, SourceFile};
use crate::language::Language;
use crate::text::in_code_spans;

const CODES: Codes =
    Codes { syntax: Code::ManifestSyntax, unknown_key: Code::ManifestUnknownKey, wrong_type: Code::ManifestWrongType };

/// One test: `[tests.<name>]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleTest {
    /// Its name.
    pub name: String,
    /// What is typed: a command with its options.
    pub typed: String,
    /// Whether a chat model makes the call, and nobody types it.
    pub as_model: bool,
    /// The language of whoever types it.
    pub language: Language,
    /// What the answer must have in it, word for word.
    pub answer: Vec<String>,
    /// How it must end. `None`: it did or answered what it was asked for.
    pub ends: Option<TestEnd>,
}

/// How the command of a test must end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestEnd {
    /// It changed something.
    Done,
    /// It answered and changed nothing.
    Answered,
    /// It asked before it does anything.
    Asked,
    /// It ran, and told the person why it cannot be done.
    Refused,
    /// It failed: by an error, or because its time was over.
    Failed,
    /// It did not run: no such command, options that it does not take, or access denied.
    NotRun,
}

impl TestEnd {
    /// Every end.
    pub const ALL: [Self; 6] = [Self::Done, Self::Answered, Self::Asked, Self::Refused, Self::Failed, Self::NotRun];

    /// The word in the file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Answered => "answered",
            Self::Asked => "asked",
            Self::Refused => "refused",
            Self::Failed => "failed",
            Self::NotRun => "not-run",
        }
    }
}

/// Reads the tests of a module, in their order. Problems go to `found`, and what has one is left out.
pub fn read_tests(file: &Arc<SourceFile>, found: &mut Diagnostics) -> Vec<ModuleTest> {
    let mut root = spanned::read(file, CODES, found);
    let tables = root.sections("tests", found);
    root.finish(found);
    tables.into_iter().filter_map(|(name, table)| test(name, table, found)).collect()
}

fn test(name: Spanned<String>, mut table: Section, found: &mut Diagnostics) -> Option<ModuleTest> {
    let typed = match text("typed", &mut table, found) {
        Text::Given(typed) => Some(typed.value),
        Text::Unreadable => None,
        Text::Missing => {
            let help = "write `typed = \"/name\"`: the command as a person types it".to_owned();
            let message = format!("the test `{}` types nothing", name.value);
            found.push(table.problem(Code::ManifestValueInvalid, &name.span, message, help));
            None
        }
    };
    let answer = answer(&mut table, found);
    let as_model = table.boolean("as_model", found).is_some_and(|flag| flag.value);
    let ends = word(&mut table, "ends", &TestEnd::ALL, TestEnd::name, found);
    let languages: Vec<_> = Language::all().collect();
    let language = word(&mut table, "language", &languages, Language::tag, found);
    let language = language.map(|given| given.unwrap_or(Language::ENGLISH));
    table.finish(found);
    Some(ModuleTest { name: name.value, typed: typed?, as_model, language: language?, answer: answer?, ends: ends? })
}

/// `answer`: a text or a list of texts; nothing has to be in it if it is left out.
fn answer(table: &mut Section, found: &mut Diagnostics) -> Option<Vec<String>> {
    if table.has_text("answer") {
        return table.string("answer", found).map(|answer| vec![answer.value]);
    }
    if !table.has("answer") {
        return Some(Vec::new());
    }
    let parts = table.strings("answer", found)?;
    Some(parts.value.into_iter().map(|part| part.value).collect())
}

/// One of these words; `Some(None)` if the key is left out, and `None` if its value is none of them.
fn word<T: Copy>(
    table: &mut Section,
    key: &str,
    known: &[T],
    name: impl Fn(T) -> &'static str,
    found: &mut Diagnostics,
) -> Option<Option<T>> {
    if !table.has(key) {
        return Some(None);
    }
    let written = table.string(key, found)?;
    let meant = known.iter().copied().find(|&known| name(known) == written.value);
    if meant.is_none() {
        let names: Vec<_> = known.iter().map(|&known| name(known)).collect();
        let message = format!("`{key}` does not take `{}`", written.value);
        let help = format!("it takes {}", in_code_spans(&names));
        found.push(table.problem(Code::ManifestValueInvalid, &written.span, message, help));
    }
    meant.map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Vec<ModuleTest>, Vec<String>) {
        let mut found = Diagnostics::default();
        let file = SourceFile { path: "modules/tea/tests.toml".to_owned(), text: text.to_owned() };
        let tests = read_tests(&Arc::new(file), &mut found);
        (tests, found.iter().map(|problem| format!("{} {}", problem.code.name(), problem.message)).collect())
    }

    #[test]
    fn a_test_is_a_line_and_what_must_come_back() {
        let (tests, problems) = read(
            "[tests.greets]\ntyped = \"/tea\"\n\n\
             [tests.by-model]\ntyped = \"/tea\"\nas_model = true\n\
             [tests.refuses]\ntyped = \"/tea kind: mud\"\nlanguage = \"de\"\nends = \"refused\"\nanswer = [\"Tee\", \"kein\"]\n",
        );
        assert_eq!(problems, [""; 0]);
        let german = Language::of_locale("de").unwrap();
        let test = |name: &str, typed: &str, language, answer: &[&str], ends| ModuleTest {
            name: name.to_owned(),
            typed: typed.to_owned(),
            as_model: name == "by-model",
            language,
            answer: answer.iter().map(|&part| part.to_owned()).collect(),
            ends,
        };
        assert_eq!(
            tests,
            [
                test("greets", "/tea", Language::ENGLISH, &[], None),
                test("by-model", "/tea", Language::ENGLISH, &[], None),
                test("refuses", "/tea kind: mud", german, &["Tee", "kein"], Some(TestEnd::Refused)),
            ]
        );
    }

    #[test]
    fn what_is_no_test_is_told_and_left_out() {
        for (text, problem) in [
            ("[tests.a]\nanswer = \"x\"\n", "manifest-value-invalid the test `a` types nothing"),
            (
                "[tests.a]\ntyped = 5\n",
                "manifest-wrong-type `tests.a.typed` takes text in quotes, but this is a whole number",
            ),
            ("[tests.a]\ntyped = \"/x\"\nends = \"ok\"\n", "manifest-value-invalid `ends` does not take `ok`"),
            ("[tests.a]\ntyped = \"/x\"\nlanguage = \"xx\"\n", "manifest-value-invalid `language` does not take `xx`"),
            ("[tests.a]\ntyped = \"/x\"\nanswer = 1\n", "manifest-wrong-type `tests.a.answer` takes a list of texts"),
        ] {
            let (tests, problems) = read(text);
            assert_eq!(tests, [], "{text}");
            assert!(matches!(problems.as_slice(), [only] if only.starts_with(problem)), "{problem}: {problems:?}");
        }
        let (tests, problems) = read("[tests.a]\ntyped = \"/x\"\nanswers = \"x\"\n");
        assert_eq!((tests.len(), problems.len()), (1, 1), "{problems:?}");
    }
}
