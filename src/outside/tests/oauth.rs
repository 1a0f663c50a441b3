//! Signing in by OAuth, and what becomes of the tokens.

use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use url::Url;

use crate::oauth_server::{Fake, fake};
use crate::support::text;
use candor_outside::mcp::{Authorization, HttpAddress, Limits, Machine, McpError, OAuth, Server, SignIn, sign_out};

const CALL: Duration = Duration::from_secs(10);

/// How the server is reached, with tokens in this folder.
fn address(fake: &Fake, folder: &Path) -> (HttpAddress, OAuth) {
    let oauth = OAuth { client: None, scopes: Vec::new(), file: folder.join("mcp/fake.json") };
    let authorization = Authorization::OAuth(oauth.clone());
    (HttpAddress { url: fake.at("mcp").parse().unwrap(), authorization, insecure: false }, oauth)
}

/// Does what a person and a browser do: opens the address, agrees, and is sent back.
async fn signed_in(address: &HttpAddress, oauth: &OAuth) {
    let back = "http://127.0.0.1:1/back".parse().unwrap();
    let sign_in = SignIn::begin(address, oauth, &back).await.unwrap();
    let opened = Url::parse(sign_in.url()).unwrap();
    assert_eq!(opened.path(), "/authorize");
    let asked: HashMap<_, _> = opened.query_pairs().into_owned().collect();
    assert_eq!((asked["client_id"].as_str(), asked["scope"].as_str()), ("candor-7", "dice"));
    assert_eq!((asked["redirect_uri"].as_str(), asked["resource"].as_str()), (back.as_str(), address.url.as_str()));
    assert_eq!(asked["code_challenge_method"], "S256");
    let sent_back = format!("{back}?code=c0de&state={}", asked["state"]).parse().unwrap();
    sign_in.finish(&sent_back).await.unwrap();
}

async fn connect(address: &HttpAddress) -> Result<Server, McpError> {
    Server::over_http(address.clone(), Limits::default()).await
}

/// Calls until the server gave so many tokens: those of a moment are told by the machine's clock, which no test can move.
async fn called_until_granted(fake: &Fake, server: &Server, n: usize) {
    let granted = async {
        while fake.known(|known| known.grants.len()) < n {
            assert!(server.call("echo", text("words"), CALL).await.is_ok());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(CALL, granted).await.unwrap();
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("candor-oauth-{name}-{}", std::process::id()));
    let _of_an_earlier_run = fs::remove_dir_all(&folder);
    folder
}

#[tokio::test]
async fn who_signed_in_once_is_known_from_then_on_and_tokens_are_renewed() {
    let (fake, folder) = (fake().await, folder("renewed"));
    let (address, oauth) = address(&fake, &folder);
    assert_eq!(connect(&address).await.map(drop), Err(McpError::SignedOut));
    signed_in(&address, &oauth).await;
    let mode = fs::metadata(&oauth.file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);

    let server = connect(&address).await.unwrap();
    assert!(server.call("echo", text("words"), CALL).await.is_ok());
    assert_eq!(fake.known(|known| known.grants.clone()), ["authorization_code"]);
    // The server takes the token back before its time, and gives others that hold for a moment.
    fake.known(|known| (known.accepted, known.expires_in) = (7, 1));
    called_until_granted(&fake, &server, 3).await;
    let grants = fake.known(|known| known.grants.clone());
    assert!(3 <= grants.len() && grants[1..].iter().all(|grant| grant == "refresh_token"), "{grants:?}");

    // A process that starts now uses what was kept.
    drop(server);
    connect(&address).await.unwrap();
    // The person takes the sign-in back.
    fake.known(|known| (known.accepted, known.is_revoked) = (99, true));
    assert_eq!(connect(&address).await.map(drop), Err(McpError::SignedOut));
    assert_eq!([sign_out(&oauth.file).unwrap(), sign_out(&oauth.file).unwrap()], [true, false]);
    fs::remove_dir_all(folder).unwrap();
}

#[tokio::test]
async fn a_sign_in_that_is_refused_or_of_another_says_so_and_keeps_nothing() {
    let (fake, folder) = (fake().await, folder("refused"));
    let (address, oauth) = address(&fake, &folder);
    let back: Url = "http://127.0.0.1:1/back".parse().unwrap();
    let other = "signing in to the server failed: the address is not of this sign-in";
    for (query, expected) in [
        (
            "error=access_denied&error_description=not%0Ayou&state=STATE",
            "signing in to the server failed: it was refused: not you",
        ),
        ("error=access_denied", other),
        ("code=c0de&state=guessed", other),
        ("state=STATE", other),
        ("nothing=there", other),
    ] {
        let sign_in = SignIn::begin(&address, &oauth, &back).await.unwrap();
        let opened = Url::parse(sign_in.url()).unwrap();
        let (_, state) = opened.query_pairs().find(|(name, _)| name == "state").unwrap();
        let sent_back = format!("{back}?{}", query.replace("STATE", &state)).parse().unwrap();
        let problem = sign_in.finish(&sent_back).await.unwrap_err().to_string();
        assert!(problem.starts_with(expected), "{problem}");
    }
    assert!(!oauth.file.exists());
    // A server that would have the code sent elsewhere.
    for elsewhere in ["http://169.254.169.254/token", "https://10.0.0.1/token", "http://tools.example/token"] {
        fake.known(|known| known.token_endpoint = Some(elsewhere.to_owned()));
        let problem = SignIn::begin(&address, &oauth, &back).await.map(drop).unwrap_err().to_string();
        assert!(problem.contains("the server names"), "{elsewhere}: {problem}");
    }
    fake.known(|known| known.token_endpoint = None);
    // A server that knows no OAuth, and one that is not encrypted.
    let elsewhere = HttpAddress { url: fake.at("nowhere/mcp").parse().unwrap(), ..address.clone() };
    let found = SignIn::begin(&elsewhere, &oauth, &back).await.map(drop);
    assert!(found.is_ok(), "its root names an authorization server: {found:?}");
    let plain = HttpAddress { url: "http://tools.example/mcp".parse().unwrap(), ..address };
    let problem = SignIn::begin(&plain, &oauth, &back).await.map(drop).unwrap_err().to_string();
    assert!(problem.contains("not encrypted"), "{problem}");
}

#[tokio::test]
async fn a_client_with_a_secret_gets_its_tokens_by_itself_and_others_when_they_expire() {
    let fake = fake().await;
    let machine =
        Machine { id: "candor-7".to_owned(), secret: "s3cret".to_owned().into(), scopes: vec!["dice".to_owned()] };
    let url: Url = fake.at("mcp").parse().unwrap();
    let address =
        |machine| HttpAddress { url: url.clone(), authorization: Authorization::Machine(machine), insecure: false };
    let server = connect(&address(machine.clone())).await.unwrap();
    assert!(server.call("echo", text("words"), CALL).await.is_ok());
    assert_eq!(fake.known(|known| known.grants.clone()), ["client_credentials"]);
    // The server takes the token back, and gives others that hold for a moment.
    fake.known(|known| (known.accepted, known.expires_in) = (7, 1));
    called_until_granted(&fake, &server, 3).await;
    assert_eq!(fake.known(|known| known.grants.clone()), ["client_credentials"; 3]);

    let wrong = Machine { secret: "guessed".to_owned().into(), ..machine };
    let problem = connect(&address(wrong)).await.map(drop).unwrap_err().to_string();
    assert!(problem.starts_with("signing in to the server failed: "), "{problem}");
    assert!(!problem.contains("guessed"), "{problem}");
}
