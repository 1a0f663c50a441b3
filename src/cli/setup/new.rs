//! `candor new`: a starter module that passes the check and its own tests.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use crate::app::{Exit, Failure, Sources};
use crate::cli::setup::native::{self, Source};
use candor_core::contract::RESERVED;
use candor_system::files::settings_file;

/// What is written, and where.
#[derive(Debug, Args)]
pub(in crate::cli) struct New {
    /// The name of the module and of its first command: 1 to 32 of the characters a-z, 0-9, - and _
    name: String,
    /// The kind of code that answers its commands
    #[arg(long, value_enum, default_value_t = Kind::Text)]
    kind: Kind,
    /// Candor's source, for a native module: a folder, or the address of a git repository
    #[arg(long, value_name = "PATH|URL")]
    source: Option<String>,
}

/// What a new module is made of.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Kind {
    /// Replies that the manifest writes: no code
    Text,
    /// A shell script, started for each call
    ExecSh,
    /// A Python script, started for each call
    ExecPython,
    /// An MCP server in Python, without a library
    McpPython,
    /// An MCP server in Node.js, without a library
    McpNode,
    /// A program of its own in Rust, which is Candor with one more module
    Native,
}

struct Code {
    file: &'static str,
    text: &'static str,
    /// The interpreter of the code; `None` if the file is executable.
    interpreter: Option<&'static str>,
}

/// A module that goes into the folder of modules.
struct Template {
    manifest: &'static str,
    tests: &'static str,
    code: Option<Code>,
}

impl Kind {
    /// `None` for a separate program.
    fn template(self) -> Option<Template> {
        let echo = include_str!("templates/echo-tests.toml");
        let (manifest, tests, code) = match self {
            Self::Native => return None,
            Self::Text => (include_str!("templates/text.toml"), include_str!("templates/text-tests.toml"), None),
            Self::ExecSh => {
                (include_str!("templates/exec.toml"), echo, Some(("run.sh", include_str!("templates/exec.sh"), None)))
            }
            Self::ExecPython => {
                (include_str!("templates/exec.toml"), echo, Some(("run.py", include_str!("templates/exec.py"), None)))
            }
            Self::McpPython => (
                include_str!("templates/mcp.toml"),
                echo,
                Some(("server.py", include_str!("templates/mcp.py"), Some("python3"))),
            ),
            Self::McpNode => (
                include_str!("templates/mcp.toml"),
                echo,
                Some(("server.js", include_str!("templates/mcp.js"), Some("node"))),
            ),
        };
        let code = code.map(|(file, text, interpreter)| Code { file, text, interpreter });
        Some(Template { manifest, tests, code })
    }
}

/// Writes the module into the folder of modules, or a program into its own folder. Never overwrites files.
pub(in crate::cli) fn new(
    Sources { natives, config, .. }: Sources<'_>,
    New { name, kind, source }: &New,
) -> Result<Exit, Failure> {
    let fits = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || "-_".contains(letter);
    if !(1..=32).contains(&name.len()) || !name.chars().all(fits) {
        return Err(Failure::config(format!(
            "`{name}` cannot be a module's name: write 1 to 32 of the characters a-z, 0-9, `-` and `_`"
        )));
    }
    let is_built_in = natives().iter().any(|module| module.folder() == name);
    if is_built_in || RESERVED.contains(&name.as_str()) {
        return Err(Failure::config(format!("`{name}` belongs to the bot itself: choose another name")));
    }
    let told = match kind.template() {
        Some(_) if source.is_some() => {
            return Err(Failure::config(
                "`--source` belongs to `--kind native`: nothing else is built with Candor's source",
            ));
        }
        Some(template) => {
            let (settings, _) = settings_file::load(config)
                .map_err(|_| Failure::config("the settings cannot be read; `candor check` says why"))?;
            let modules = settings.modules.path.unwrap_or_else(|| PathBuf::from("modules"));
            let folder = place(&modules, name, |draft| write(draft, name, &template))?;
            format!(
                "Wrote {}. Check it with `candor check`, test it with `candor test {name}`, and try it with `candor \
                 console`. A bot that runs takes it in by itself.{}",
                folder.display(),
                template.code.as_ref().map(|_| rights(name)).unwrap_or_default()
            )
        }
        None => {
            let source = Source::read(source.as_deref())?;
            let folder = place(Path::new(""), name, |draft| native::write(draft, name, &source))?;
            format!(
                "Wrote {}: Candor with the command `/{name}`. Test it there with `cargo test`, and try it with `cargo run \
                 -- console`.",
                folder.display()
            )
        }
    };
    let mut out = io::stdout().lock();
    writeln!(out, "{told}").map_err(|problem| Failure::unavailable(format!("cannot write: {problem}")))?;
    Ok(Exit::Fine)
}

fn rights(name: &str) -> String {
    format!(
        " Its program may use ports and read other folders only once you grant that under `[modules.trusted.{name}]` in the \
         settings file."
    )
}

/// Writes a new folder atomically: it appears complete, or not at all.
fn place(parent: &Path, name: &str, write: impl FnOnce(&Path) -> io::Result<()>) -> Result<PathBuf, Failure> {
    let folder = parent.join(name);
    if folder.symlink_metadata().is_ok() {
        let shown = folder.display();
        return Err(Failure::config(format!(
            "`{shown}` is there already, and nothing was written: choose another name"
        )));
    }
    let draft = parent.join(format!(".{name}.new"));
    let written = write(&draft).and_then(|()| fs::rename(&draft, &folder));
    if let Err(problem) = written {
        let _gone = fs::remove_dir_all(&draft);
        return Err(Failure::config(format!("cannot write `{}`: {problem}", folder.display())));
    }
    Ok(folder)
}

fn write(draft: &Path, name: &str, Template { manifest, tests, code }: &Template) -> io::Result<()> {
    fs::create_dir_all(draft)?;
    let (program, interpreter) =
        code.as_ref().map_or(("", ""), |code| (code.file, code.interpreter.unwrap_or_default()));
    let manifest = manifest.replace("NAME", name).replace("PROGRAM", program).replace("INTERPRETER", interpreter);
    fs::write(draft.join("module.toml"), manifest)?;
    fs::write(draft.join("tests.toml"), tests.replace("NAME", name))?;
    if let Some(code) = code {
        let path = draft.join(code.file);
        fs::write(&path, code.text.replace("NAME", name))?;
        if code.interpreter.is_none() {
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
        }
    }
    Ok(())
}
