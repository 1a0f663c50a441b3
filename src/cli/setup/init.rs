//! `candor init`: the files of a first deployment. Overwrites existing files only on request.

use std::fs::{self, OpenOptions};
use std::io::{self, BufRead as _, IsTerminal as _, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use secrecy::{ExposeSecret as _, SecretString};

use crate::app::{Exit, Failure};
use candor_core::diagnostic::{SourceFile, full};
use candor_core::language::Language;
use candor_core::settings;
use candor_discord::gateway::{TOKEN_READ_MAX, parse_token};

/// The settings and the compose file of this version, with every comment.
const CONFIG: &str = include_str!("../../../config.toml");
const COMPOSE: &str = include_str!("../../../compose.yaml");

/// The image lines of the repository's compose file, and their replacement elsewhere, where there is nothing to build.
const IMAGE: (&str, &str) = (
    "    build: .\n    image: candor\n",
    "    # Built in the repository by `docker build --tag candor .`\n    image: candor\n",
);

/// The volume of modules: a comment in the repository's compose file, and enabled here.
const MODULES: (&str, &str) = ("      # - ./modules:/app/modules:ro\n", "      - ./modules:/app/modules:ro\n");

/// A first module to change or remove: `/hello`, without code.
const MODULE: &str = include_str!("templates/text.toml");
const MODULE_NAME: &str = "hello";

/// What is written, and where.
#[derive(Debug, Args)]
pub(in crate::cli) struct Init {
    /// The folder for the files
    #[arg(default_value = ".")]
    folder: PathBuf,
    /// The Discord id of a person who may run operators' commands; may be given several times
    #[arg(long = "operator", value_name = "ID", value_parser = clap::value_parser!(u64).range(1..))]
    operators: Vec<u64>,
    /// The only server to register the commands in, for trying them out
    #[arg(long, value_name = "ID", value_parser = clap::value_parser!(u64).range(1..))]
    guild: Option<u64>,
    /// The bot's language: "en" or "de"
    #[arg(long, value_name = "LANGUAGE")]
    language: Option<String>,
    /// Read the bot's token from standard input, as one line. A token is never an argument: others could read it
    #[arg(long)]
    token_stdin: bool,
    /// Overwrite existing files
    #[arg(long)]
    force: bool,
}

struct NewFile {
    path: PathBuf,
    content: String,
    /// Readable only by its owner.
    is_secret: bool,
}

/// Asks at a terminal for missing arguments, and writes the files.
pub(in crate::cli) fn init(mut init: Init) -> Result<Exit, Failure> {
    // Check for existing files before asking anything.
    let module = format!("modules/{MODULE_NAME}/module.toml");
    let is_there: Vec<_> = ["config.toml", "compose.yaml", "discord_token.txt", &module]
        .iter()
        .map(|name| init.folder.join(name))
        .filter(|path| path.symlink_metadata().is_ok())
        .collect();
    if let Some(first) = is_there.first().filter(|_| !init.force) {
        return Err(Failure::config(format!(
            "`{}` is there already, and nothing was written: name another folder, or overwrite it with `--force`",
            first.display()
        )));
    }
    let mut token = None;
    if init.token_stdin {
        token = Some(token_of(&line().map_err(unread)?)?);
    } else if io::stdin().is_terminal() && io::stderr().is_terminal() && init.operators.is_empty() {
        ask(&mut init)?;
    }
    let mut files = vec![
        NewFile { path: init.folder.join("config.toml"), content: config(&init)?, is_secret: false },
        NewFile {
            path: init.folder.join("compose.yaml"),
            content: COMPOSE
                .replacen(" --build", "", 1)
                .replacen(IMAGE.0, IMAGE.1, 1)
                .replacen(MODULES.0, MODULES.1, 1),
            is_secret: false,
        },
        NewFile { path: init.folder.join(module), content: MODULE.replace("NAME", MODULE_NAME), is_secret: false },
    ];
    let has_token = token.is_some();
    files.extend(token.map(|token| NewFile {
        path: init.folder.join("discord_token.txt"),
        content: format!("{}\n", token.expose_secret()),
        is_secret: true,
    }));
    for file in &files {
        let folder = file.path.parent().unwrap_or(&init.folder);
        fs::create_dir_all(folder).map_err(|problem| unwritable(folder, &problem))?;
        write(file, init.force).map_err(|problem| unwritable(&file.path, &problem))?;
    }
    tell(&init.folder, &files, has_token)
}

/// Asks for the values of a first configuration. An empty answer keeps the default.
fn ask(init: &mut Init) -> Result<(), Failure> {
    let operator =
        answer("Your own Discord id, to run operators' commands (Developer Mode, Copy User ID; empty for none): ")?;
    init.operators.extend(id(&operator)?);
    if init.guild.is_none() {
        init.guild = id(&answer("A server's id, to register the commands there alone (empty for everywhere): ")?)?;
    }
    if init.language.is_none() {
        init.language = Some(answer("Language, en or de (empty for en): ")?).filter(|language| !language.is_empty());
    }
    Ok(())
}

fn answer(question: &str) -> Result<String, Failure> {
    let mut out = io::stderr().lock();
    out.write_all(question.as_bytes()).and_then(|()| out.flush()).map_err(unread)?;
    Ok(line().map_err(unread)?.trim().to_owned())
}

fn line() -> io::Result<String> {
    let mut line = String::new();
    io::stdin().lock().take(TOKEN_READ_MAX).read_line(&mut line)?;
    Ok(line)
}

fn id(text: &str) -> Result<Option<u64>, Failure> {
    match text {
        "" => Ok(None),
        text => match text.parse::<u64>() {
            Ok(id @ 1..) => Ok(Some(id)),
            Ok(0) | Err(_) => Err(Failure::config(format!(
                "`{}` is not a Discord id, which is a whole number, and nothing was written",
                text.escape_debug()
            ))),
        },
    }
}

fn token_of(line: &str) -> Result<SecretString, Failure> {
    parse_token(line).map_err(|problem| {
        Failure::config(format!("what standard input holds is not a Discord token: {problem}; nothing was written"))
    })
}

/// Returns the settings with the given values, checked as every start checks them.
fn config(init: &Init) -> Result<String, Failure> {
    let mut text = CONFIG.to_owned();
    let mut set = |default: &str, value: String| text = text.replacen(default, &value, 1);
    if !init.operators.is_empty() {
        let ids: Vec<_> = init.operators.iter().map(|id| format!("\"{id}\"")).collect();
        set("# operators = []", format!("operators = [{}]", ids.join(", ")));
    }
    if let Some(guild) = init.guild {
        set("# guild = \"1100000000000000002\"", format!("guild = \"{guild}\""));
    }
    if let Some(wanted) = &init.language {
        let Some(language) = Language::of_locale(wanted) else {
            return Err(Failure::config(format!(
                "`{}` is not a language of the bot, and nothing was written: write `en` or `de`",
                wanted.escape_debug()
            )));
        };
        set("# default = \"en\"", format!("default = \"{}\"", language.tag()));
    }
    let file = Arc::new(SourceFile { path: "config.toml".to_owned(), text });
    settings::read(&file).map_err(|problems| {
        Failure::config(format!("nothing was written\n{}", full::render(&problems, false).trim_end()))
    })?;
    Ok(file.text.clone())
}

fn write(file: &NewFile, force: bool) -> io::Result<()> {
    if force {
        // Remove the old file first: an existing file would keep its mode, and a link would lead elsewhere.
        match fs::remove_file(&file.path) {
            Err(problem) if problem.kind() != io::ErrorKind::NotFound => return Err(problem),
            Ok(()) | Err(_) => {}
        }
    }
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, if file.is_secret { 0o600 } else { 0o644 });
    let mut to = options.write(true).create_new(true).open(&file.path)?;
    to.write_all(file.content.as_bytes())?;
    to.sync_all()
}

/// Prints the written files and the next command to type.
fn tell(folder: &Path, files: &[NewFile], has_token: bool) -> Result<Exit, Failure> {
    let mut text: String = files.iter().map(|file| format!("wrote `{}`\n", file.path.display())).collect();
    let here = if folder == Path::new(".") { String::new() } else { format!("cd '{}' && ", folder.display()) };
    let next = match has_token {
        true => "DISCORD_TOKEN_FILE=discord_token.txt candor run",
        false => "candor console",
    };
    if !has_token {
        text.push_str(
            "for Discord, put the bot's token into discord_token.txt: (umask 077; cat > discord_token.txt)\n",
        );
    }
    text.push_str(&format!("next: {here}{next}\n"));
    let mut out = io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.map_err(|problem| Failure::unavailable(format!("cannot write what was done: {problem}")))?;
    Ok(Exit::Fine)
}

fn unread(problem: io::Error) -> Failure {
    Failure::unavailable(format!("cannot ask: {problem}; nothing was written"))
}

fn unwritable(path: &Path, problem: &io::Error) -> Failure {
    Failure::unavailable(format!("`{}` cannot be written: {problem}", path.display()))
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret as _;

    use super::{COMPOSE, CONFIG, IMAGE, MODULES, id, token_of};

    #[test]
    fn what_is_replaced_stands_once_in_the_files_of_the_repository() {
        for default in ["# operators = []", "# guild = \"1100000000000000002\"", "# default = \"en\""] {
            assert_eq!(CONFIG.matches(default).count(), 1, "{default}");
        }
        assert_eq!([IMAGE.0, MODULES.0].map(|part| COMPOSE.matches(part).count()), [1, 1]);
    }

    #[test]
    fn answers_are_parsed_or_refused() {
        assert_eq!(id("").unwrap(), None);
        assert_eq!(id("80351110224678912").unwrap(), Some(80_351_110_224_678_912));
        for wrong in ["0", "me", "-1", "1.5"] {
            assert!(id(wrong).is_err(), "{wrong}");
        }
        assert_eq!(token_of(" Bot abc.def\n").unwrap().expose_secret(), "abc.def");
        assert!(token_of("two words").unwrap_err().to_string().contains("it has spaces"));
    }
}
