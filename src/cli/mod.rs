//! The command line: arguments in, exit code out.

mod backup;
mod check;
mod controls;
mod dev;
mod doctor;
#[cfg(feature = "operate")]
mod health;
mod process;
mod records;
mod run;
mod setup;
mod sync;
mod trial;

use std::ffi::OsString;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{CommandFactory as _, Parser, Subcommand, ValueEnum};

use crate::app::{Exit, Failure, Sources, run_as_child};
use candor_core::contract::NativeModule;
use candor_core::contract::outside::Starting;

/// A self-hosted Discord bot that never fakes a command.
#[derive(Debug, Parser)]
#[command(name = "candor", version, long_version = setup::long_version(), about, max_term_width = 100, after_help = AFTER_HELP)]
pub struct Cli {
    /// The settings file. Default: config.toml if it exists, else built-in defaults
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

const AFTER_HELP: &str = "\
Environment:
  DISCORD_TOKEN_FILE  a file that holds the bot's token. Give it in exactly one place: this file,
                      the secret /run/secrets/discord_token, or the variable DISCORD_TOKEN
  DISCORD_PROXY       a REST proxy or a local stand-in, instead of Discord itself; the same as
                      [discord] proxy in the settings
  RUST_LOG            what is logged, such as `debug` or `candor_engine=debug`
  OTEL_EXPORTER_OTLP_ENDPOINT
                      where traces go, in a build with the feature `otlp`: see docs/traces.md

Exit codes: 0 fine, 1 failed, `receipts verify` found a change, a line of `console` that was given by
`-c` or piped in has no answer, a command of `try` did not succeed, or `test` failed, 2 `sync --plan` found differences, 69 something outside is unavailable, 78 the setup is wrong";

#[derive(Debug, Subcommand)]
enum Command {
    /// Write the files for a first deployment: settings, compose file and token file. Asks questions at a terminal
    Init(setup::Init),
    /// Write a starter module that passes the check: a manifest, code in the language of your choice, and tests
    New(setup::New),
    /// Print the link that invites the bot to a server, with the permissions that it needs
    Invite(setup::Invite),
    /// Sign in to or out of the MCP servers of modules
    #[cfg(feature = "outside")]
    #[command(subcommand)]
    Mcp(setup::Mcp),
    /// Talk to the bot in this terminal: no token, no Discord. Piped lines have the exit code of -c
    Console {
        /// Answer this line and exit, such as -c '/status'; may be given several times. Exit code 0 if every line was
        /// answered, 1 if a command was refused, failed or does not exist, or chat had no answer
        #[arg(short = 'c', long = "command", value_name = "LINE", allow_hyphen_values = true)]
        lines: Vec<String>,
    },
    /// Write modules: check them, talk to the bot in this terminal, reload changed modules at once and report errors with
    /// their location
    Dev,
    /// Run commands on a temporary store: no token, no Discord
    Try(trial::Try),
    /// Run the modules' tests (`tests.toml` in their folders) on a temporary store
    Test(trial::Test),
    /// Connect to Discord and serve until stopped
    Run {
        /// On a configuration error (exit code 78), print it and wait for a signal instead of exiting: for
        /// supervisors that restart every exited process, such as Docker with `unless-stopped`
        #[arg(long)]
        hold: bool,
    },
    /// Check settings and modules, and report every problem at once
    Check {
        /// Also check this machine as `candor run` would find it with this user and environment: token, data
        /// folder, disk, store and port
        #[arg(long)]
        deployment: bool,
        /// Ask each model of `[model]` and `[models]` for a small answer. May take a while and cost money. Exit
        /// code 69 if one does not answer
        #[arg(long)]
        online: bool,
        /// The output format
        #[arg(long, value_enum, default_value_t = Format::Text)]
        format: Format,
        /// Start no program and contact no server of a module; their results stay unknown
        #[arg(long)]
        offline: bool,
    },
    /// Examine a deployment and say what to do, even while the bot runs: settings, machine, bot, Discord, commands,
    /// clock
    Doctor {
        /// Also ask each model. May take a while and cost money
        #[arg(long)]
        online: bool,
        /// The output format
        #[arg(long, value_enum, default_value_t = Format::Text)]
        format: Format,
    },
    /// Compare the commands at Discord with those in force, print the plan and carry it out
    Sync {
        /// Print the plan and change nothing; exit code 2 if there is something to change
        #[arg(long)]
        plan: bool,
        /// Register in this server only, instead of `[discord] guild`. Removes this bot's commands elsewhere, with
        /// the permissions that administrators gave them
        #[arg(long, value_name = "ID", value_parser = clap::value_parser!(u64).range(1..))]
        guild: Option<u64>,
        /// The output format
        #[arg(long, value_enum, default_value_t = Format::Text)]
        format: Format,
    },
    /// Show receipts, verify their chain and remove old ones, even while the bot runs
    #[command(subcommand)]
    Receipts(records::Receipts),
    /// Export or erase the data of one person, even while the bot runs
    #[command(subcommand)]
    Privacy(records::Personal),
    /// Show, export or erase the settings that server administrators made with /settings, even while the bot runs
    #[command(subcommand)]
    Settings(records::OfServers),
    /// Change the key that signs buttons, lists and forms, even while the bot runs
    #[command(subcommand)]
    Controls(controls::Controls),
    /// Copy the store to a new file, even while the bot runs. The copy holds the bot's keys
    Backup {
        /// The new file
        file: PathBuf,
    },
    /// Replace the store with a copy while no bot has it open. The old store stays beside it
    Restore {
        /// The file that `candor backup` made. It is checked first and not changed
        file: PathBuf,
    },
    /// Make a running bot reload its modules. It also does so when their files change
    #[cfg(feature = "operate")]
    Reload,
    /// Print a completion script for a shell
    Completions(setup::Completions),
    /// Print the manual page, or write one for each command
    Man(setup::Man),
    /// Ask a running bot whether it is ready: the health check of a container
    #[cfg(feature = "operate")]
    Health {
        /// Ask only whether it is alive. It is, even without a connection to Discord
        #[arg(long)]
        live: bool,
    },
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// Text for people
    Text,
    /// One JSON object
    Json,
}

/// Runs the whole program: the bot with these modules compiled in, controlled by the command line.
/// `candor_modules::all` returns the modules that Candor ships. Add your own module to them, as `docs/native` shows.
pub fn main(natives: fn() -> Vec<NativeModule>) -> ExitCode {
    match run_as_child() {
        Some(ended) => ended.into(),
        None => run_command(std::env::args_os(), natives).into(),
    }
}

fn run_command(arguments: impl IntoIterator<Item = OsString>, natives: fn() -> Vec<NativeModule>) -> u8 {
    let arguments: Vec<_> = arguments.into_iter().collect();
    let cli = match Cli::try_parse_from(&arguments) {
        Ok(cli) => cli,
        Err(problem) => {
            // Help and version go to standard output; any other text here is an error.
            let _unwritable = problem.print();
            return if problem.use_stderr() { Exit::Config.into() } else { Exit::Fine.into() };
        }
    };
    if matches!(cli.command, Command::Run { .. } | Command::Sync { .. } | Command::Doctor { .. }) {
        process::take_token_out(&arguments);
    }
    let config = cli.config.as_deref();
    let sources = Sources { natives, config, running: None };
    let is_held = matches!(cli.command, Command::Run { hold: true });
    let ended = match cli.command {
        #[cfg(feature = "operate")]
        Command::Reload => health::reload(config),
        Command::Check { deployment, online, format, offline } => {
            let starting = if offline { Starting::Offline } else { Starting::Trial };
            let ask = check::Ask { deployment, online, json: matches!(format, Format::Json), starting };
            run::block_on(check::check(sources, ask))
        }
        Command::Doctor { online, format } => {
            run::block_on(doctor::doctor(sources, online, matches!(format, Format::Json)))
        }
        Command::Init(what) => setup::init(what),
        Command::New(what) => setup::new(sources, &what),
        Command::Invite(what) => setup::invite(config, &what),
        #[cfg(feature = "outside")]
        Command::Mcp(what) => setup::mcp(config, &what),
        Command::Console { lines } => run::console(sources, lines),
        Command::Dev => dev::dev(sources),
        Command::Try(what) => trial::try_commands(sources, what),
        Command::Test(what) => trial::test(sources, &what),
        Command::Run { .. } => run::discord(sources),
        Command::Sync { plan, guild, format } => {
            sync::sync(sources, sync::Ask { plan_only: plan, guild, json: matches!(format, Format::Json) })
        }
        Command::Backup { file } => backup::backup(config, &file),
        Command::Restore { file } => backup::restore(config, &file),
        Command::Receipts(what) => records::receipts(config, what),
        Command::Privacy(what) => records::privacy(config, what),
        Command::Settings(what) => records::settings(config, &what),
        Command::Controls(what) => controls::controls(config, &what),
        Command::Completions(what) => setup::completions(&what, Cli::command()),
        Command::Man(what) => setup::man(&what, Cli::command()),
        #[cfg(feature = "operate")]
        Command::Health { live } => health::health(config, live),
    };
    match ended {
        Ok(exit) => exit.into(),
        Err(failure) => {
            let code = report(&failure);
            if is_held && code == u8::from(Exit::Config) {
                run::hold();
            }
            code
        }
    }
}

fn report(failure: &Failure) -> u8 {
    // A failure without text was already logged.
    if !failure.text.is_empty() {
        let _unwritable = writeln!(std::io::stderr(), "candor: {failure}");
    }
    failure.code
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }
}
