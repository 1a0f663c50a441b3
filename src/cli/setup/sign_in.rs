//! `candor mcp`: signs in to the MCP servers of modules, once, in the operator's browser.

use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;
use std::time::Duration;

use clap::Subcommand;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;
use url::Url;

use crate::app::{Exit, Failure, SignInPlace, sign_in_place};
use crate::cli::run::block_on;
use candor_outside::mcp::{SignIn, sign_out};

/// How long the operator may take in the browser.
const PATIENCE: Duration = Duration::from_mins(10);

/// How long a browser may take to send its request, and the largest request in bytes.
const REQUEST_WITHIN: Duration = Duration::from_secs(5);
const REQUEST_MAX: u64 = 16 * 1024;

/// Actions on a sign-in.
#[derive(Debug, Subcommand)]
pub(in crate::cli) enum Mcp {
    /// Sign in to the server of a module whose manifest has `[run.oauth]`. The tokens are kept beside the store
    Login {
        /// The module's folder
        module: String,
        /// The local port to which the browser returns, for a manually registered client. Default: any free port
        #[arg(long, default_value_t = 0, hide_default_value = true)]
        port: u16,
    },
    /// Forget the tokens of a module's server
    Logout {
        /// The module's folder
        module: String,
    },
}

pub(in crate::cli) fn mcp(config: Option<&Path>, what: &Mcp) -> Result<Exit, Failure> {
    match what {
        Mcp::Login { module, port } => {
            let place = sign_in_place(config, module)?;
            block_on(login(module, *port, place))
        }
        Mcp::Logout { module } => {
            let file = sign_in_place(config, module)?.oauth.file;
            let there_were = sign_out(&file)
                .map_err(|problem| Failure::unavailable(format!("cannot remove `{}`: {problem}", file.display())))?;
            tell(match there_were {
                true => {
                    "the tokens are removed; the server knows them until they expire, or until they are taken back there"
                }
                false => "there are no tokens: nobody is signed in",
            });
            Ok(Exit::Fine)
        }
    }
}

async fn login(module: &str, port: u16, SignInPlace { address, oauth }: SignInPlace) -> Result<Exit, Failure> {
    let failed = |problem: io::Error| Failure::unavailable(format!("cannot listen for the browser: {problem}"));
    let listener = TcpListener::bind(("127.0.0.1", port)).await.map_err(failed)?;
    let port = listener.local_addr().map_err(failed)?.port();
    let back =
        Url::parse(&format!("http://127.0.0.1:{port}/")).map_err(|problem| Failure::config(problem.to_string()))?;
    let sign_in =
        SignIn::begin(&address, &oauth, &back).await.map_err(|problem| Failure::unavailable(problem.to_string()))?;
    tell(&format!(
        "Open this address in a browser, and sign in there:\n\n  {}\n\nThis command ends by itself once the browser was \
         sent back. If the browser runs on another machine, it then shows an error: copy the address of that page, which \
         begins with {back}, and paste it here.",
        sign_in.url()
    ));
    let sent_back = async {
        tokio::select! {
            sent = by_browser(&listener, &sign_in, &back) => sent,
            sent = by_hand(&sign_in, &back) => sent,
        }
    };
    let sent_back = timeout(PATIENCE, sent_back).await.map_err(|_late| {
        Failure::unavailable(format!("nobody signed in within {} minutes", PATIENCE.as_secs() / 60))
    })?;
    sign_in.finish(&sent_back).await.map_err(|problem| Failure::unavailable(problem.to_string()))?;
    tell(&format!(
        "signed in; the tokens are in `{}`, and renewed as they expire. `candor reload` makes a bot that runs use \
         `{module}`",
        oauth.file.display()
    ));
    Ok(Exit::Fine)
}

/// Waits for a browser that returns with this sign-in's answer, and returns the requested address. Answers any other
/// request with 404.
async fn by_browser(listener: &TcpListener, sign_in: &SignIn, back: &Url) -> Url {
    loop {
        let Ok((mut browser, _)) = listener.accept().await else { continue };
        let sent = timeout(REQUEST_WITHIN, asked(&mut browser, back)).await.ok().flatten();
        let sent = sent.filter(|sent| sign_in.is_answer(sent));
        let (status, words) = match &sent {
            Some(_) => ("200 OK", "Candor has what it needs. You can close this page; the terminal says how it went."),
            None => ("404 Not Found", "There is nothing here."),
        };
        let length = words.len();
        let answer = format!(
            "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {length}\r\n\
             Connection: close\r\n\r\n{words}"
        );
        // The answer has arrived, even if the browser went away.
        let _unread = timeout(REQUEST_WITHIN, browser.write_all(answer.as_bytes())).await;
        if let Some(sent) = sent {
            return sent;
        }
    }
}

/// Returns the address that a browser requests, if a person navigated to it. Returns `None` for requests under another
/// host's name and for requests that a page makes by itself.
async fn asked(browser: &mut TcpStream, back: &Url) -> Option<Url> {
    let mut lines = BufReader::new(browser.take(REQUEST_MAX)).lines();
    let first = lines.next_line().await.ok()??;
    let path = first.strip_prefix("GET ")?.split(' ').next()?;
    let mut hosts = Vec::new();
    loop {
        let line = lines.next_line().await.ok()??;
        if line.is_empty() {
            break;
        }
        let (name, value) = line.split_once(':')?;
        match (name.to_ascii_lowercase().as_str(), value.trim()) {
            ("host", host) => hosts.push(host.to_owned()),
            ("origin", _) => return None,
            ("sec-fetch-mode", mode) if mode != "navigate" => return None,
            ("sec-fetch-dest", kind) if kind != "document" => return None,
            _ => {}
        }
    }
    let is_here = hosts == [back[url::Position::BeforeHost..url::Position::AfterPort].to_owned()];
    back.join(path).ok().filter(|sent| is_here && is_below(sent, back))
}

/// Returns the address that the operator pastes.
async fn by_hand(sign_in: &SignIn, back: &Url) -> Url {
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        match Url::parse(line.trim()) {
            Ok(sent) if is_below(&sent, back) && sign_in.is_answer(&sent) => return sent,
            _ if line.trim().is_empty() => {}
            _ => tell(&format!(
                "that is not the address of this sign-in: it begins with {back} and holds the state of this sign-in"
            )),
        }
    }
    // Standard input ended, but the browser may still come.
    std::future::pending().await
}

fn is_below(sent: &Url, back: &Url) -> bool {
    (sent.scheme(), sent.host(), sent.port(), sent.path()) == (back.scheme(), back.host(), back.port(), back.path())
}

fn tell(words: &str) {
    let mut stdout = io::stdout();
    let space = if stdout.is_terminal() { "\n" } else { "" };
    let _unwritable = writeln!(stdout, "{words}{space}");
}
