//! Finds the bot's token, and never prints any part of it.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use secrecy::SecretString;

use candor_engine::{advice, warn_if_shared};

const SECRET_FILE: &str = "/run/secrets/discord_token";

/// A Discord token has some 70 characters. A text of less than a tenth was cut off, and no token exceeds the maximum.
const LENGTH_MIN: usize = 7;
const LENGTH_MAX: usize = 256;

/// A token begins with the bot's id in base64, of 23 characters or more, and ends with a signature of 27 or more. If it
/// begins so, a shorter end was cut off.
const ID_LENGTH_MIN: usize = 23;
const SIGNATURE_LENGTH_MIN: usize = 27;

/// The lengths of an application's client secret and public key.
const OTHER_SECRETS: [usize; 2] = [32, 64];

/// The maximum number of bytes read from a token file.
pub const TOKEN_READ_MAX: u64 = 4 * 1024;

/// Placeholders used by examples, as lower-case letters and digits.
const PLACEHOLDERS: [&str; 7] =
    ["yourtoken", "yourbottoken", "yourdiscord", "tokenhere", "changeme", "placeholder", "replaceme"];

/// Why a text is not a token. It holds no part of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TokenProblem {
    #[error("it is empty")]
    Empty,
    /// The variable's name precedes it.
    #[error("`DISCORD_TOKEN=` stands before it: leave that out")]
    Named,
    #[error("it stands in quotation marks: leave them out")]
    Quoted,
    #[error("it is a placeholder: put the token in its place")]
    Placeholder,
    #[error("it has spaces or more than one line: a token has neither")]
    Spaces,
    #[error("it has characters that no token has")]
    Strange,
    #[error("it is an id: the token is on another page")]
    Id,
    #[error("it is a client secret or a public key, not the bot's token")]
    OtherSecret,
    #[error("it is too short: it was cut off when it was copied")]
    Short,
    #[error("it is longer than any token: something else was copied, too")]
    Long,
}

/// Why there is no usable token. No variant holds any part of a token.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    #[error(
        "no Discord token: put it into a file and set DISCORD_TOKEN_FILE to its path, or provide the secret {SECRET_FILE}, \
         or set DISCORD_TOKEN; a token comes from https://discord.com/developers/applications, page Bot"
    )]
    Missing,
    #[error("both {0} and {1} give a Discord token: take one away, so that it is clear which is meant")]
    Ambiguous(&'static str, &'static str),
    #[error("cannot read the Discord token from {path}: {problem}; {}", advice(path, problem))]
    Unreadable {
        path: PathBuf,
        /// The error of the operating system.
        problem: io::Error,
    },
    #[error(
        "what {place} holds is not a Discord token: {problem}; copy it from https://discord.com/developers/applications, \
         page Bot"
    )]
    Malformed {
        /// The file or the variable.
        place: String,
        problem: TokenProblem,
    },
}

/// Finds the token in exactly one of three places: the file that `DISCORD_TOKEN_FILE` names, the mounted secret, or
/// `DISCORD_TOKEN`. A token in two places is an error: neither is silently preferred.
pub fn find_token(variable: impl Fn(&str) -> Option<OsString>) -> Result<SecretString, TokenError> {
    find(Path::new(SECRET_FILE), variable)
}

fn find(secret: &Path, variable: impl Fn(&str) -> Option<OsString>) -> Result<SecretString, TokenError> {
    let set = |name| variable(name).filter(|value| !value.is_empty());
    let file = set("DISCORD_TOKEN_FILE").map(PathBuf::from);
    // The variable may name the secret itself.
    let secret = Some(secret).filter(|secret| secret.exists() && file.as_deref() != Some(secret));
    match (file, secret, set("DISCORD_TOKEN")) {
        (Some(_), Some(_), _) => Err(TokenError::Ambiguous("DISCORD_TOKEN_FILE", SECRET_FILE)),
        (Some(_), _, Some(_)) => Err(TokenError::Ambiguous("DISCORD_TOKEN_FILE", "DISCORD_TOKEN")),
        (_, Some(_), Some(_)) => Err(TokenError::Ambiguous(SECRET_FILE, "DISCORD_TOKEN")),
        (Some(path), None, None) => from_file(&path),
        (None, Some(path), None) => from_file(path),
        (None, None, Some(token)) => parsed(&token.to_string_lossy(), "DISCORD_TOKEN"),
        (None, None, None) => Err(TokenError::Missing),
    }
}

fn from_file(path: &Path) -> Result<SecretString, TokenError> {
    let unreadable = |problem| TokenError::Unreadable { path: path.to_path_buf(), problem };
    let file = File::open(path).map_err(unreadable)?;
    // The container engine sets the mode of a mounted secret, and no other user has access to the container.
    if path != Path::new(SECRET_FILE) {
        warn_if_shared("token", path, &file);
    }
    let mut text = String::new();
    file.take(TOKEN_READ_MAX).read_to_string(&mut text).map_err(unreadable)?;
    parsed(&text, &path.display().to_string())
}

fn parsed(text: &str, place: &str) -> Result<SecretString, TokenError> {
    parse_token(text).map_err(|problem| TokenError::Malformed { place: place.to_owned(), problem })
}

/// Parses a token as people copy it: with white space around it, or with the prefix `Bot ` of a request header.
pub fn parse_token(text: &str) -> Result<SecretString, TokenProblem> {
    let token = text.trim();
    let token = token.strip_prefix("Bot ").map_or(token, str::trim_start);
    let letters = token.chars().filter(char::is_ascii_alphanumeric).take(LENGTH_MAX);
    let letters: String = letters.map(|letter| letter.to_ascii_lowercase()).collect();
    // `xxx.yyy.zzz`, but not `x`.
    let is_repeated = |part: &str| part.chars().all(|letter| part.starts_with(letter));
    let is_one_letter = token.len() > 1 && token.split(['.', '-', '_']).all(is_repeated);
    let problem = if token.is_empty() {
        TokenProblem::Empty
    } else if token.contains("DISCORD_TOKEN") {
        TokenProblem::Named
    } else if token.contains(['"', '\'', '`', '“', '”', '„', '‘', '’', '«', '»']) {
        TokenProblem::Quoted
    } else if token.starts_with(['<', '$', '{'])
        || is_one_letter
        || PLACEHOLDERS.iter().any(|word| letters.contains(word))
    {
        TokenProblem::Placeholder
    } else if token.contains(char::is_whitespace) {
        TokenProblem::Spaces
    } else if !token.chars().all(|sign| sign.is_ascii_alphanumeric() || "._-".contains(sign)) {
        TokenProblem::Strange
    } else if token.chars().all(|sign| sign.is_ascii_digit()) && LENGTH_MIN <= token.len() {
        TokenProblem::Id
    } else if OTHER_SECRETS.contains(&token.len()) && !token.contains('.') {
        TokenProblem::OtherSecret
    } else if LENGTH_MAX < token.len() {
        TokenProblem::Long
    } else if token.len() < LENGTH_MIN || is_cut(token) {
        TokenProblem::Short
    } else {
        return Ok(SecretString::from(token));
    };
    Err(problem)
}

fn is_cut(token: &str) -> bool {
    let begins = token.split('.').next().is_some_and(|id| ID_LENGTH_MIN <= id.len());
    let ends = token.splitn(3, '.').nth(2).is_some_and(|signature| SIGNATURE_LENGTH_MIN <= signature.len());
    begins && !ends
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::path::Path;

    use secrecy::ExposeSecret as _;

    use super::{TokenProblem, find as find_beside, parse_token};

    fn find(variables: &[(&str, &str)]) -> Result<String, String> {
        find_with("/nowhere/secret", variables)
    }

    fn find_with(secret: &str, variables: &[(&str, &str)]) -> Result<String, String> {
        let variable =
            |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value));
        find_beside(Path::new(secret), variable)
            .map(|token| token.expose_secret().to_owned())
            .map_err(|problem| problem.to_string())
    }

    #[test]
    fn a_token_is_one_line_and_comes_from_one_place() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("token");
        std::fs::write(&file, "abc.def\n").unwrap();
        let file = file.to_str().unwrap();

        assert_eq!(find(&[("DISCORD_TOKEN", "abc.def")]).unwrap(), "abc.def");
        assert_eq!(find(&[("DISCORD_TOKEN", "Bot abc.def")]).unwrap(), "abc.def");
        assert_eq!(find(&[("DISCORD_TOKEN_FILE", file)]).unwrap(), "abc.def");
        assert!(find(&[]).unwrap_err().starts_with("no Discord token"));
        assert!(find(&[("DISCORD_TOKEN", "")]).unwrap_err().starts_with("no Discord token"));
        assert!(find(&[("DISCORD_TOKEN_FILE", file), ("DISCORD_TOKEN", "x")]).unwrap_err().starts_with("both"));
        assert!(find(&[("DISCORD_TOKEN_FILE", "/nowhere/token")]).unwrap_err().contains("/nowhere/token"));
    }

    #[test]
    fn two_places_are_one_too_many() {
        let folder = tempfile::tempdir().unwrap();
        let [file, secret] = ["file", "secret"].map(|name| folder.path().join(name).to_str().unwrap().to_owned());
        std::fs::write(&file, "of.file").unwrap();
        std::fs::write(&secret, "of.secret").unwrap();
        let file = ("DISCORD_TOKEN_FILE", file.as_str());
        let token = ("DISCORD_TOKEN", "x");

        for (secret, variables) in
            [("/nowhere", &[file, token][..]), (&secret, &[token]), (&secret, &[file]), (&secret, &[file, token])]
        {
            let problem = find_with(secret, variables).unwrap_err();
            assert!(problem.starts_with("both ") && problem.contains("take one away"), "{problem}");
        }
        assert_eq!(find_with(&secret, &[]).unwrap(), "of.secret");
        assert_eq!(find_with(&secret, &[("DISCORD_TOKEN_FILE", &secret)]).unwrap(), "of.secret");
    }

    #[test]
    fn held_11_what_cannot_be_a_token_is_refused_without_being_shown() {
        let long = "x1".repeat(50_000);
        for (token, expected) in [
            ("two words", TokenProblem::Spaces),
            ("abc.def\nabc.def", TokenProblem::Spaces),
            ("tökén.tökén", TokenProblem::Strange),
            ("x", TokenProblem::Short),
            ("Bot x", TokenProblem::Short),
            (&long, TokenProblem::Long),
            (" ", TokenProblem::Empty),
            ("Bot ", TokenProblem::Short),
            ("\"MTIz.abc.def\"", TokenProblem::Quoted),
            ("'MTIz.abc.def'", TokenProblem::Quoted),
            ("„MTIz.abc.def“", TokenProblem::Quoted),
            ("DISCORD_TOKEN=MTIz.abc.def", TokenProblem::Named),
            ("export DISCORD_TOKEN=\"MTIz.abc.def\"", TokenProblem::Named),
            ("<token", TokenProblem::Placeholder),
            ("your-token-here", TokenProblem::Placeholder),
            ("YOUR_BOT_TOKEN", TokenProblem::Placeholder),
            ("${TOKEN}", TokenProblem::Placeholder),
            ("changeme", TokenProblem::Placeholder),
            ("xxxxxxxx.xxxxxx", TokenProblem::Placeholder),
            ("xxx.yyy.zzz", TokenProblem::Placeholder),
            ("MTIz.abc.def,", TokenProblem::Strange),
            ("(MTIz.abc.def)", TokenProblem::Strange),
            ("https://discord.com/api/webhooks/1/abc", TokenProblem::Strange),
            ("1100000000000000001", TokenProblem::Id),
            ("abcdEFGHijklMNOPqrstUVWXyz012345", TokenProblem::OtherSecret),
            ("MTEwMDAwMDAwMDAwMDAwMDAwMQ.GabcDE.abcdefghijklm", TokenProblem::Short),
            ("MTEwMDAwMDAwMDAwMDAwMDAwMQ", TokenProblem::Short),
        ] {
            let problem = find(&[("DISCORD_TOKEN", token)]).unwrap_err();
            let wanted = format!("DISCORD_TOKEN holds is not a Discord token: {expected}");
            assert!(problem.contains(&wanted), "{token}: {problem}");
            assert!(token.len() < 5 || !problem.contains(token), "{problem}");
            assert_eq!(parse_token(token).map(drop), Err(expected), "{token}");
        }
        assert_eq!(parse_token(" Bot  MTIz.abc.def \n").unwrap().expose_secret(), "MTIz.abc.def");
        assert!(parse_token("MTEwMDAwMDAwMDAwMDAwMDAwMQ.GabcDE.abcdefghijklmnopqrstuvwxyz0123456789AB").is_ok());
    }
}
