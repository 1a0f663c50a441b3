//! The `[run]` section: the program or server of an outside module, and its limits.

use std::time::Duration;

/// The program or server of an outside module, and its limits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunSpec {
    /// The program or server to start.
    pub start: RunStart,
    /// The timeout for a server to start and list its tools; for a program, the timeout of its probe.
    pub start_within: Duration,
    /// The timeout of a call.
    pub answer_within: Duration,
    /// The most CPU time of a process, in seconds. `None` means no limit, as for a long-running server.
    pub cpu_s: Option<u64>,
    /// The most memory, of each process and of all together, in MiB.
    pub memory_mib: u64,
    /// The largest file that it may write, in MiB.
    pub file_mib: u64,
    /// The largest size of its working folder, in MiB.
    pub folder_mib: u64,
    /// The most open files.
    pub open_files: u64,
    /// The most processes and threads of a call.
    pub processes: u64,
    /// The longest answer, in KiB.
    pub output_kib: u64,
    /// The most concurrent calls. The same number may wait.
    pub at_once: usize,
}

/// A program or server to start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunStart {
    /// A program.
    Program {
        /// A file in the module's folder, or the name of a program of the system.
        program: String,
        /// Its arguments.
        arguments: Vec<String>,
        /// The names of the bot's environment variables to pass on.
        env: Vec<String>,
        /// Files and folders that it may read beside its own.
        reads: Vec<String>,
        /// The TCP ports that it may connect to.
        ports: Vec<u16>,
        /// Whether it runs in a sandbox.
        is_confined: bool,
    },
    /// A server that runs elsewhere.
    Server {
        /// Its URL.
        url: String,
        /// How the bot authenticates.
        access: ServerAccess,
        /// Whether the URL may be another machine's without encryption.
        insecure: bool,
    },
}

/// The authentication to a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerAccess {
    /// None: the server is open.
    Open,
    /// A bearer token.
    Bearer {
        /// The file that contains the token.
        file: String,
    },
    /// OAuth with a sign-in by the operator.
    OAuth {
        /// The id of a client registered by hand. Without one, the bot registers itself.
        client_id: Option<String>,
        /// The file with that client's secret.
        client_secret_file: Option<String>,
        /// The scopes to ask for. If empty, the server's defaults.
        scopes: Vec<String>,
    },
    /// OAuth's grant `client_credentials`, for a client registered by hand.
    Machine {
        /// The client's id.
        client_id: String,
        /// The file with its secret.
        client_secret_file: String,
        /// The scopes to ask for. If empty, those that the server grants.
        scopes: Vec<String>,
    },
}

impl ServerAccess {
    /// Returns the file whose content is sent to the server.
    pub fn secret_file(&self) -> Option<&str> {
        match self {
            Self::Open => None,
            Self::Bearer { file } | Self::Machine { client_secret_file: file, .. } => Some(file),
            Self::OAuth { client_secret_file, .. } => client_secret_file.as_deref(),
        }
    }
}
