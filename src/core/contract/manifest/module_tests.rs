//! The tests of a module, `tests.toml` beside its manifest: a typed line and the expected answer.
//!
//! They work for any kind of module and do not depend on its implementation. The tests of a module run in order on one
//! store, so a test sees the records of earlier ones.

use std::fmt;
use std::sync::Arc;

use crate::contract::manifest::text::{Text, text};
use crate::diagnostic::spanned::{self, Codes, Section, Spanned};
use crate::diagnostic::{Code, Diagnostics, SourceFile};
use crate::language::Language;
use crate::text::{in_code_spans, names};

const CODES: Codes =
    Codes { syntax: Code::ManifestSyntax, unknown_key: Code::ManifestUnknownKey, wrong_type: Code::ManifestWrongType };

/// One test: `[tests.<name>]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleTest {
    /// Its name.
    pub name: String,
    /// The action to test.
    pub step: TestStep,
    /// The language of the person who types it.
    pub language: Language,
    /// Texts that the answer must contain, word for word.
    pub answer: Vec<String>,
    /// The expected end. `None`: the command succeeded or answered.
    pub ends: Option<TestEnd>,
}

/// The action of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TestStep {
    /// Types a command with its options.
    Typed(String),
    /// Lets a chat model call the command, with the same options as this typed line.
    Called(String),
    /// Presses the button with this label under the previous answer.
    Pressed(String),
}

impl fmt::Display for TestStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Typed(line) | Self::Called(line) => f.write_str(line),
            Self::Pressed(label) => write!(f, "[{label}]"),
        }
    }
}

names! {
    /// The expected end of a test's command.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum TestEnd {
        /// It changed something.
        Done = "done",
        /// It answered and changed nothing.
        Answered = "answered",
        /// It asked before doing anything.
        Asked = "asked",
        /// It ran and told the person why the request cannot be done.
        Refused = "refused",
        /// It failed with an error or a timeout.
        Failed = "failed",
        /// It did not run: unknown command, invalid options, or access denied.
        NotRun = "not-run",
    }
}

/// Reads the tests of a module, in order. Reports problems to `found` and leaves out tests with errors.
pub fn read_tests(file: &Arc<SourceFile>, found: &mut Diagnostics) -> Vec<ModuleTest> {
    let mut root = spanned::read(file, CODES, found);
    let tables = root.sections("tests", found);
    root.finish(found);
    tables.into_iter().filter_map(|(name, table)| test(name, table, found)).collect()
}

fn test(name: Spanned<String>, mut table: Section, found: &mut Diagnostics) -> Option<ModuleTest> {
    let step = step(&name, &mut table, found);
    let answer = answer(&mut table, found);
    let ends = word(&mut table, "ends", &TestEnd::ALL, TestEnd::name, found);
    let languages: Vec<_> = Language::all().collect();
    let language = word(&mut table, "language", &languages, Language::tag, found);
    let language = language.map(|given| given.unwrap_or(Language::ENGLISH));
    table.finish(found);
    Some(ModuleTest { name: name.value, step: step?, language: language?, answer: answer?, ends: ends? })
}

/// Reads `typed`, with or without `as_model`, or `press`.
fn step(name: &Spanned<String>, table: &mut Section, found: &mut Diagnostics) -> Option<TestStep> {
    let (typed, press) = (text("typed", table, found), text("press", table, found));
    let as_model = table.boolean("as_model", found).is_some_and(|flag| flag.value);
    let (message, help) = match (typed, press) {
        (Text::Given(typed), Text::Missing) if as_model => return Some(TestStep::Called(typed.value)),
        (Text::Given(typed), Text::Missing) => return Some(TestStep::Typed(typed.value)),
        (Text::Missing, Text::Given(press)) if !as_model => return Some(TestStep::Pressed(press.value)),
        (Text::Unreadable, _) | (_, Text::Unreadable) => return None,
        (Text::Missing, Text::Missing) => {
            ("types nothing", "write `typed = \"/name\"`: the command as a person types it")
        }
        (Text::Given(_), Text::Given(_)) => {
            ("types and presses", "make two tests of it: one types, the next one presses")
        }
        (Text::Missing, Text::Given(_)) => ("presses a button as a model", "take `as_model` out: people press buttons"),
    };
    let message = format!("the test `{}` {message}", name.value);
    found.push(table.problem(Code::ManifestValueInvalid, &name.span, message, help.to_owned()));
    None
}

/// Reads `answer`: a text or a list of texts. If absent, any answer passes.
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

/// Reads one of these words. Returns `Some(None)` if the key is absent, and `None`, after reporting it, for another
/// value.
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
             [tests.presses]\npress = \"More\"\n\
             [tests.refuses]\ntyped = \"/tea kind: mud\"\nlanguage = \"de\"\nends = \"refused\"\nanswer = [\"Tee\", \"kein\"]\n",
        );
        assert_eq!(problems, [""; 0]);
        let german = Language::of_locale("de").unwrap();
        let test = |name: &str, step, language, answer: &[&str], ends| ModuleTest {
            name: name.to_owned(),
            step,
            language,
            answer: answer.iter().map(|&part| part.to_owned()).collect(),
            ends,
        };
        assert_eq!(
            tests,
            [
                test("greets", TestStep::Typed("/tea".to_owned()), Language::ENGLISH, &[], None),
                test("by-model", TestStep::Called("/tea".to_owned()), Language::ENGLISH, &[], None),
                test("presses", TestStep::Pressed("More".to_owned()), Language::ENGLISH, &[], None),
                test(
                    "refuses",
                    TestStep::Typed("/tea kind: mud".to_owned()),
                    german,
                    &["Tee", "kein"],
                    Some(TestEnd::Refused)
                ),
            ]
        );
    }

    #[test]
    fn what_is_no_test_is_told_and_left_out() {
        for (text, problem) in [
            ("[tests.a]\nanswer = \"x\"\n", "manifest-value-invalid the test `a` types nothing"),
            ("[tests.a]\ntyped = \"/x\"\npress = \"y\"\n", "manifest-value-invalid the test `a` types and presses"),
            (
                "[tests.a]\npress = \"y\"\nas_model = true\n",
                "manifest-value-invalid the test `a` presses a button as a model",
            ),
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
