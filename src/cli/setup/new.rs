//! `candor new`: a module that passes the check, to begin with.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use crate::app::{Exit, Failure};
use crate::edges::files::settings_file;

/// What is written, and where.
#[derive(Debug, Args)]
pub(in crate::cli) struct New {
    /// The module's name, which is its first command's as well: 1 to 32 of the characters a-z, 0-9, - and _
    name: String,
    /// What answers its commands
    #[arg(long, value_enum, default_value_t = Kind::Text)]
    kind: Kind,
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
}

/// The code of a new module.
struct Code {
    file: &'static str,
    text: &'static str,
    /// What runs it, if it is not started itself.
    interpreter: Option<&'static str>,
}

impl Kind {
    fn manifest(self) -> &'static str {
        match self {
            Self::Text => include_str!("templates/text.toml"),
            Self::ExecSh | Self::ExecPython => include_str!("templates/exec.toml"),
            Self::McpPython | Self::McpNode => include_str!("templates/mcp.toml"),
        }
    }

    fn code(self) -> Option<Code> {
        let (file, text, interpreter) = match self {
            Self::Text => return None,
            Self::ExecSh => ("run.sh", include_str!("templates/exec.sh"), None),
            Self::ExecPython => ("run.py", include_str!("templates/exec.py"), None),
            Self::McpPython => ("server.py", include_str!("templates/mcp.py"), Some("python3")),
            Self::McpNode => ("server.js", include_str!("templates/mcp.js"), Some("node")),
        };
        Some(Code { file, text, interpreter })
    }
}

/// Writes the module into the folder of modules. Nothing is overwritten.
pub(in crate::cli) fn new(config: Option<&Path>, New { name, kind }: &New) -> Result<Exit, Failure> {
    let fits = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || "-_".contains(letter);
    if !(1..=32).contains(&name.len()) || !name.chars().all(fits) {
        return Err(Failure::config(format!(
            "`{name}` cannot be a module's name: write 1 to 32 of the characters a-z, 0-9, `-` and `_`"
        )));
    }
    let (settings, _) = settings_file::load(config)
        .map_err(|_| Failure::config("the settings cannot be read; `candor check` says why"))?;
    let modules = settings.modules.path.unwrap_or_else(|| PathBuf::from("modules"));
    let folder = modules.join(name);
    if folder.symlink_metadata().is_ok() {
        let shown = folder.display();
        return Err(Failure::config(format!(
            "`{shown}` is there already, and nothing was written: choose another name"
        )));
    }
    // The bot may be looking: it finds the whole module or none of it.
    let draft = modules.join(format!(".{name}.new"));
    let written = write(&draft, name, *kind).and_then(|()| fs::rename(&draft, &folder));
    if let Err(problem) = written {
        let _gone = fs::remove_dir_all(&draft);
        return Err(Failure::config(format!("cannot write `{}`: {problem}", folder.display())));
    }
    let mut out = io::stdout().lock();
    let told = writeln!(
        out,
        "Wrote {}. Check it with `candor check`, and try it with `candor console`. A bot that runs takes it in by itself.",
        folder.display()
    );
    told.map_err(|problem| Failure::unavailable(format!("cannot write: {problem}")))?;
    Ok(Exit::Fine)
}

fn write(draft: &Path, name: &str, kind: Kind) -> io::Result<()> {
    fs::create_dir_all(draft)?;
    let code = kind.code();
    let (program, interpreter) =
        code.as_ref().map_or(("", ""), |code| (code.file, code.interpreter.unwrap_or_default()));
    let manifest =
        kind.manifest().replace("NAME", name).replace("PROGRAM", program).replace("INTERPRETER", interpreter);
    fs::write(draft.join("module.toml"), manifest)?;
    if let Some(code) = code {
        let path = draft.join(code.file);
        fs::write(&path, code.text.replace("NAME", name))?;
        if code.interpreter.is_none() {
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
        }
    }
    Ok(())
}
