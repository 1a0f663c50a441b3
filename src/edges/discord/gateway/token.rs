//! Finds the bot's token, and never prints any part of it.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use secrecy::SecretString;

use crate::edges::files::secret_file::{advice, warn_if_shared};

/// Where Docker and Compose mount a secret of this name.
const SECRET_FILE: &str = "/run/secrets/discord_token";

/// A token of Discord's has some 70 characters. What has not a tenth of that was cut off, or stands for a token.
const LENGTH_MIN: usize = 7;

/// Why there is no usable token. No variant holds any part of a token.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// None of the three places holds a token.
    #[error(
        "no Discord token: put it into a file and set DISCORD_TOKEN_FILE to its path, or provide the secret {SECRET_FILE}, \
         or set DISCORD_TOKEN; a token comes from https://discord.com/developers/applications, page Bot"
    )]
    Missing,
    /// Two of the places hold a token.
    #[error("both {0} and {1} give a Discord token: take one away, so that it is clear which is meant")]
    Ambiguous(&'static str, &'static str),
    /// The file cannot be read.
    #[error("cannot read the Discord token from {path}: {problem}; {}", advice(path, problem))]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's error.
        problem: io::Error,
    },
    /// The content of the file or the variable is not a token.
    #[error(
        "what {place} holds is not a Discord token: it must be one line of visible characters without spaces, at \
             least {LENGTH_MIN} of them; copy it from https://discord.com/developers/applications, page Bot"
    )]
    Malformed {
        /// The file or the variable.
        place: String,
    },
}

/// Finds the token in exactly one of three places: the file that `DISCORD_TOKEN_FILE` names, the mounted secret,
/// `DISCORD_TOKEN`. Two are an error: none is silently preferred.
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
        (None, None, Some(token)) => parse(&token.to_string_lossy(), "DISCORD_TOKEN"),
        (None, None, None) => Err(TokenError::Missing),
    }
}

fn from_file(path: &Path) -> Result<SecretString, TokenError> {
    let unreadable = |problem| TokenError::Unreadable { path: path.to_path_buf(), problem };
    let mut file = File::open(path).map_err(unreadable)?;
    // What a container mounts has the mode that its engine gives it, and nobody else looks into the container.
    if path != Path::new(SECRET_FILE) {
        warn_if_shared("token", path, &file);
    }
    let mut text = String::new();
    file.read_to_string(&mut text).map_err(unreadable)?;
    parse(&text, &path.display().to_string())
}

fn parse(text: &str, place: &str) -> Result<SecretString, TokenError> {
    let token = text.trim();
    let token = token.strip_prefix("Bot ").unwrap_or(token);
    if token.len() < LENGTH_MIN || !token.chars().all(|character| character.is_ascii_graphic()) {
        return Err(TokenError::Malformed { place: place.to_owned() });
    }
    Ok(SecretString::from(token))
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::path::Path;

    use secrecy::ExposeSecret as _;

    use super::find as find_beside;

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
        let (file, token) = (("DISCORD_TOKEN_FILE", file.as_str()), ("DISCORD_TOKEN", "x"));

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
        for token in ["two words", "tökén.tökén", "abc.def\nabc.def", "x", "Bot x", "<token", " "] {
            let problem = find(&[("DISCORD_TOKEN", token)]).unwrap_err();
            assert!(problem.contains("DISCORD_TOKEN holds is not"), "{token}: {problem}");
            assert!(token.len() < 2 || !problem.contains(token), "{problem}");
        }
    }
}
