//! A module whose server is signed in to, by the real binary: `candor mcp login`.

use std::io::{BufRead as _, BufReader, ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use url::Url;

use crate::support::bot::Folder;
use oauth_server::{Fake, fake};

#[path = "../../../src/outside/tests/oauth_server.rs"]
mod oauth_server;

fn folder(fake: &Fake, oauth: &str) -> Folder {
    let manifest = format!(
        "[module]\nname = \"echoes\"\nsummary = \"Says it again\"\nkind = \"mcp\"\n\n[run]\nurl = \"{}\"\n{oauth}\n\
         [commands.\"/echo\"]\ndescription = \"Say it again\"\nhandler = \"echo\"\n",
        fake.at("mcp")
    );
    let folder = Folder::with("");
    std::fs::create_dir_all(folder.path().join("modules/echoes")).unwrap();
    std::fs::write(folder.path().join("modules/echoes/module.toml"), manifest).unwrap();
    folder
}

/// `candor mcp login echoes`, up to the address that it prints, and that to which a browser is sent back.
fn begun(folder: &Folder) -> (Child, Url) {
    let mut command = folder.candor(&["mcp", "login", "echoes"]);
    let mut login = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdout = BufReader::new(login.stdout.take().unwrap());
    let opened = loop {
        let mut line = String::new();
        assert_ne!(stdout.read_line(&mut line).unwrap(), 0, "it ended without an address");
        if let Ok(address) = Url::parse(line.trim()) {
            break address;
        }
    };
    login.stdout = Some(stdout.into_inner());
    let asked = |wanted: &str| opened.query_pairs().find(|(name, _)| name == wanted).unwrap().1.into_owned();
    let sent_back = format!("{}?code=c0de&state={}", asked("redirect_uri"), asked("state"));
    (login, sent_back.parse().unwrap())
}

/// What a browser is shown that asks with this query, and with these lines beside its `Host`.
fn page(sent_back: &Url, query: &str, headers: &str) -> String {
    let port = sent_back.port().unwrap();
    let host = if headers.contains("Host:") { String::new() } else { format!("Host: 127.0.0.1:{port}\r\n") };
    let mut browser = TcpStream::connect(("127.0.0.1", port)).unwrap();
    write!(browser, "GET /?{query} HTTP/1.1\r\n{host}{headers}\r\n").unwrap();
    let mut page = Vec::new();
    match browser.read_to_end(&mut page) {
        Ok(_) => {}
        // A server that answers before it has read all of the request ends the connection so.
        Err(problem) if problem.kind() == ErrorKind::ConnectionReset => {}
        Err(problem) => panic!("{problem}"),
    }
    text(&page)
}

fn text(output: &[u8]) -> String {
    String::from_utf8_lossy(output).into_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_works_once_somebody_signed_in_by_a_browser_or_pasted_its_address() {
    let fake = fake().await;
    let folder = folder(&fake, "[run.oauth]\n");
    let checked = folder.run(&["check"]);
    let said = text(&checked.stdout);
    assert!(!checked.status.success() && said.contains("run `candor mcp login echoes`"), "{said}");

    // A browser on this machine.
    let (login, sent_back) = begun(&folder);
    let page = page(&sent_back, sent_back.query().unwrap(), "");
    assert!(page.starts_with("HTTP/1.1 200 OK\r\n") && page.contains("You can close this page"), "{page}");
    let output = login.wait_with_output().unwrap();
    assert!(output.status.success() && text(&output.stdout).contains("signed in"), "{}", text(&output.stdout));
    let said = text(&folder.console("/echo text: hello\n").stdout);
    assert!(said.contains("hello") && said.contains("✓ /echo"), "{said}");

    // Elsewhere its address is pasted; what is none is told.
    let removed = folder.run(&["mcp", "logout", "echoes"]);
    assert!(removed.status.success() && text(&removed.stdout).contains("the tokens are removed"));
    let (mut login, sent_back) = begun(&folder);
    write!(login.stdin.as_mut().unwrap(), "c0de\n{sent_back}\n").unwrap();
    let output = login.wait_with_output().unwrap();
    let said = text(&output.stdout);
    assert!(
        output.status.success() && said.contains("that is not the address") && said.contains("signed in"),
        "{said}"
    );
    assert!(folder.run(&["check"]).status.success());
}

#[tokio::test(flavor = "multi_thread")]
async fn who_may_not_sign_in_or_names_another_module_is_told_why() {
    let fake = fake().await;
    let folder = folder(&fake, "[run.oauth]\n");
    let (mut login, sent_back) = begun(&folder);
    let refused = sent_back.as_str().replace("code=c0de", "error=access_denied");
    writeln!(login.stdin.as_mut().unwrap(), "{refused}").unwrap();
    let output = login.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(69));
    assert!(text(&output.stderr).contains("it was refused: access_denied"), "{}", text(&output.stderr));

    let open = self::folder(&fake, "");
    for (folder, module, expected) in [
        (&folder, "echos", "has no module `echos`; did you mean `echoes`?"),
        (&open, "echoes", "takes no sign-in: write `[run.oauth]`"),
    ] {
        let output = folder.run(&["mcp", "login", module]);
        assert_eq!(output.status.code(), Some(78));
        assert!(text(&output.stderr).contains(expected), "{}", text(&output.stderr));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_else_asks_does_not_end_a_sign_in() {
    let fake = fake().await;
    let folder = folder(&fake, "[run.oauth]\n");
    let (login, sent_back) = begun(&folder);
    let right = sent_back.query().unwrap();
    let strange = [
        ("code=c0de", ""),
        ("code=c0de&state=guessed", ""),
        ("error=access_denied", ""),
        ("error=access_denied&state=guessed", ""),
        ("", ""),
        (right, "Host: evil.example\r\n"),
        (right, "Host: 127.0.0.1:1\r\n"),
        (right, "Origin: https://evil.example\r\n"),
        (right, "Sec-Fetch-Mode: no-cors\r\n"),
        (right, "Sec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: iframe\r\n"),
    ];
    for (query, headers) in strange {
        let page = page(&sent_back, query, headers);
        assert!(page.starts_with("HTTP/1.1 404 "), "{query} {headers}: {page}");
    }
    let page = page(&sent_back, right, "Sec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n");
    assert!(page.starts_with("HTTP/1.1 200 OK\r\n"), "{page}");
    let output = login.wait_with_output().unwrap();
    assert!(output.status.success() && text(&output.stdout).contains("signed in"), "{}", text(&output.stdout));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_that_no_browser_should_open_is_not_shown() {
    let fake = fake().await;
    for (named, why) in [
        ("javascript:alert(1)", "'javascript:…', which is no address of a server"),
        ("file:///etc/passwd", "'file:…', which is no address of a server"),
        ("http://login.example/authorize", "'login.example' without encryption"),
        ("https://169.254.169.254/latest", "'169.254.169.254', which is no address of the public internet"),
    ] {
        fake.known(|known| known.authorization_endpoint = Some(named.to_owned()));
        let output = folder(&fake, "[run.oauth]\n").run(&["mcp", "login", "echoes"]);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(69), "{named}: {said}");
        assert!(said.contains(why) && !text(&output.stdout).contains(named), "{named}: {said}");
    }
}
