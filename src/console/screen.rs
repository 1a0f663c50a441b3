//! The screen of an answer: its width, whether it shows colours, and the language of the person before it.

use std::ffi::OsString;
use std::io::{self, IsTerminal as _};

use terminal_size::{Width, terminal_size_of};

use candor_core::language::Language;

/// The narrowest and the widest usable screen, in columns: below, text would be a column of single words; above, the
/// eye loses the next line.
const NARROWEST: usize = 20;
const WIDEST: usize = 200;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Screen {
    /// Its width in columns. `None` for a pipe or a file, whose lines are not broken.
    pub columns: Option<usize>,
    /// Whether text is coloured. If not, marks such as backticks replace colours.
    pub color: bool,
}

impl Screen {
    /// A pipe or a file.
    pub const PLAIN: Self = Self { columns: None, color: false };

    /// Returns standard output's screen now: a window may change its size between answers.
    pub fn of_output() -> Self {
        let out = io::stdout();
        if !out.is_terminal() {
            return Self::PLAIN;
        }
        let columns = terminal_size_of(&out).map_or(80, |(Width(columns), _)| usize::from(columns));
        // A terminal that does not know its size says 0.
        let columns = if columns == 0 { 80 } else { columns.clamp(NARROWEST, WIDEST) };
        Self { columns: Some(columns), color: wants_color(|name| std::env::var_os(name)) }
    }

    /// Adds the escape sequence of this look, if the screen shows colours.
    pub(super) fn painted(self, text: &str, look: Look) -> String {
        match look.code().filter(|_| self.color) {
            Some(code) => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
            None => text.to_owned(),
        }
    }
}

/// Returns whether a terminal with this environment gets colours: not with `NO_COLOR`, see <https://no-color.org>, nor
/// if it says that it cannot show any.
fn wants_color(variable: impl Fn(&str) -> Option<std::ffi::OsString>) -> bool {
    let refused = variable("NO_COLOR").is_some_and(|value| !value.is_empty());
    let dumb = variable("TERM").is_none_or(|term| term.is_empty() || term == "dumb");
    !refused && !dumb
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Look {
    #[default]
    Plain,
    Strong,
    Emphasis,
    Struck,
    /// Code: commands, values.
    Code,
    /// Text beside the answer, such as its footer.
    Faint,
    /// ✓.
    Good,
    /// –.
    Mild,
    /// ✗.
    Bad,
    Words,
}

impl Look {
    /// Returns the numbers of the escape sequence "select graphic rendition".
    fn code(self) -> Option<&'static str> {
        match self {
            Self::Plain => None,
            Self::Strong => Some("1"),
            Self::Emphasis => Some("3"),
            Self::Struck => Some("9"),
            Self::Code => Some("36"),
            Self::Faint => Some("2"),
            Self::Good => Some("32"),
            Self::Mild => Some("33"),
            Self::Bad => Some("31"),
            Self::Words => Some("35"),
        }
    }
}

/// The variables that name the language, in the order of POSIX: the first that is set counts. See
/// <https://pubs.opengroup.org/onlinepubs/9799919799/basedefs/V1_chap08.html#tag_08_02>.
const VARIABLES: [&str; 3] = ["LC_ALL", "LC_MESSAGES", "LANG"];

/// Returns the language of this environment; `otherwise` if the environment names none that the bot speaks, such as
/// `C`.
pub fn language_of(variable: impl Fn(&str) -> Option<OsString>, otherwise: Language) -> Language {
    let set = VARIABLES.into_iter().find_map(|name| variable(name).filter(|value| !value.is_empty()));
    let locale = set.and_then(|value| value.into_string().ok()).unwrap_or_default();
    // Such as `de_AT.UTF-8@euro`.
    let locale = locale.split(['.', '@']).next().unwrap_or_default();
    Language::of_locale(locale).unwrap_or(otherwise)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_off_where_nobody_wants_or_sees_them() {
        let cases = [
            (Some("xterm-256color"), None, true),
            (Some("xterm"), Some(""), true),
            (Some("xterm"), Some("1"), false),
            (Some("dumb"), None, false),
            (Some(""), None, false),
            (None, None, false),
        ];
        for (term, no_color, expected) in cases {
            let variable = |name: &str| if name == "TERM" { term } else { no_color }.map(Into::into);
            assert_eq!(wants_color(variable), expected, "{term:?} {no_color:?}");
        }
    }

    #[test]
    fn what_is_painted_ends_where_it_ends() {
        let screen = Screen { columns: None, color: true };
        assert_eq!(screen.painted("✓", Look::Good), "\u{1b}[32m✓\u{1b}[0m");
        assert_eq!(screen.painted("x", Look::Plain), "x");
        assert_eq!(Screen::PLAIN.painted("✓", Look::Good), "✓");
    }

    #[test]
    fn the_first_variable_that_is_set_names_the_language() {
        let german = Language::of_locale("de").unwrap();
        let cases = [
            (&[][..], "en"),
            (&[("LANG", "de_DE.UTF-8")], "de"),
            (&[("LANG", "de@euro")], "de"),
            (&[("LANG", "de_DE"), ("LC_ALL", "en_GB.UTF-8")], "en"),
            (&[("LANG", "en_US"), ("LC_MESSAGES", "de_AT")], "de"),
            (&[("LANG", "de_DE"), ("LC_ALL", "")], "de"),
            (&[("LANG", "C.UTF-8")], "en"),
            (&[("LANG", "fr_FR.UTF-8")], "en"),
        ];
        for (set, expected) in cases {
            let variable =
                |name: &str| set.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value));
            assert_eq!(language_of(variable, Language::ENGLISH).tag(), expected, "{set:?}");
        }
        assert_eq!(language_of(|_| Some("POSIX".into()), german), german, "the settings count where it names none");
    }
}
