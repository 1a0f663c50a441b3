//! `[run]`: what an outside module is made of, and its limits.

use std::time::Duration;

/// How an outside module is started, and its limits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunSpec {
    /// What is started.
    pub start: RunStart,
    /// How long a server may take to start and to list its tools; for a program, how long its probe may take.
    pub start_within: Duration,
    /// How long a call may take.
    pub answer_within: Duration,
    /// The most processor time of a process, in seconds; `None`: no limit, as for a server, which lives long.
    pub cpu_s: Option<u64>,
    /// The most memory, of each process and of all together, in MiB.
    pub memory_mib: u64,
    /// The largest file that it may write, in MiB.
    pub file_mib: u64,
    /// What its working folder may hold, in MiB.
    pub folder_mib: u64,
    /// The most files that it may have open.
    pub open_files: u64,
    /// The most processes and threads of a call.
    pub processes: u64,
    /// The longest answer, in KiB.
    pub output_kib: u64,
    /// How many of its calls may be under way at a time; as many more wait.
    pub at_once: usize,
}

/// What is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunStart {
    /// A program.
    Program {
        /// A file of the module's folder, or the name of a program of the system.
        program: String,
        /// Its arguments.
        arguments: Vec<String>,
        /// The names of the bot's environment variables that it is given.
        env: Vec<String>,
        /// Files and folders that it may read beside its own.
        reads: Vec<String>,
        /// The TCP ports that it may connect to.
        ports: Vec<u16>,
        /// Whether it is confined.
        is_confined: bool,
    },
    /// A server that runs elsewhere.
    Server {
        /// Its address.
        url: String,
        /// How the bot shows who it is.
        access: ServerAccess,
        /// Whether the address may be another machine's without encryption.
        insecure: bool,
    },
}

/// How the bot shows a server who it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerAccess {
    /// The server is open.
    Open,
    /// By a bearer token.
    Bearer {
        /// The file that holds it.
        file: String,
    },
    /// By a sign-in of whoever runs the bot.
    OAuth {
        /// The client that was registered by hand. Without one, the bot registers itself.
        client_id: Option<String>,
        /// The file with that client's secret.
        client_secret_file: Option<String>,
        /// What it asks for. Nothing: what the server says.
        scopes: Vec<String>,
    },
    /// By itself, as a client that was registered by hand: the grant `client_credentials`.
    Machine {
        /// The client's id.
        client_id: String,
        /// The file with its secret.
        client_secret_file: String,
        /// What it asks for. Nothing: what the server gives.
        scopes: Vec<String>,
    },
}
