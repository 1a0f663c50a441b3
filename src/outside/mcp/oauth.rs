//! Signs in to a server by OAuth as MCP defines it: once, in the operator's browser. After that the tokens are kept in
//! a file and renewed as they expire. A manually registered client can also sign in by itself.
//!
//! The protocol is rmcp's: the server names the sign-in server, a client registers itself unless one was registered
//! manually, and codes are protected by PKCE. Web reads have the limits of this crate.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::net::{IpAddr, SocketAddr};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use std::{fs, io};

use async_trait::async_trait;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::redirect::Policy;
use reqwest::{Client, Request};
use rmcp::transport::auth::{
    AuthError, AuthorizationManager, AuthorizationMetadata, AuthorizationRequest, AuthorizationSession,
    ClientCredentialsConfig, CredentialRefreshGuard, CredentialStore, OAuthClientConfig, OAuthHttpClient,
    OAuthHttpClientFuture, OAuthHttpRedirectPolicy, OAuthHttpRequest, StoredCredentials,
};
use secrecy::{ExposeSecret as _, SecretString};
use tokio::task::spawn_blocking;
use url::{Host, Url};

use crate::mcp::address::{Authorization, HttpAddress, Machine, OAuth, OAuthClient, is_loopback};
use crate::mcp::error::{McpError, said};
use candor_core::contract::is_public;

pub struct SignIn {
    session: AuthorizationSession,
    /// Proves that an answer belongs to this sign-in.
    state: String,
}

impl SignIn {
    /// Asks the server for the sign-in address, and registers there. `back` is where the browser is sent afterwards.
    ///
    /// # Errors
    /// The server knows no OAuth, or its data about it cannot be used.
    pub async fn begin(address: &HttpAddress, oauth: &OAuth, back: &Url) -> Result<Self, McpError> {
        let mut manager = manager(address, oauth).await?;
        let found = manager.resolve_metadata().await.map_err(failed)?;
        Endpoints::of(&address.url).check_all(&found.metadata)?;
        manager.set_metadata(found.metadata);
        let request =
            AuthorizationRequest::new(back.as_str()).with_client_name("Candor").with_initial_scope_selection();
        let mut request = request.with_scopes(&oauth.scopes);
        if let Some(client) = &oauth.client {
            request = request.with_preregistered_client(&client.id);
            if let Some(secret) = &client.secret {
                request = request.with_client_secret(secret.expose_secret());
            }
        }
        let session = AuthorizationSession::new(manager, request).await.map_err(|(_, problem)| failed(problem))?;
        let opened = Url::parse(session.get_authorization_url()).ok();
        let state = opened.as_ref().and_then(|opened| parameter(opened, "state"));
        let state = state.ok_or_else(|| McpError::SignIn { what: "the address to open has no state".to_owned() })?;
        Ok(Self { session, state })
    }

    pub fn url(&self) -> &str {
        self.session.get_authorization_url()
    }

    /// Returns whether an address answers this sign-in: it has its state, and a code or a refusal. Any web page can
    /// send a browser to other addresses.
    pub fn is_answer(&self, sent_back: &Url) -> bool {
        parameter(sent_back, "state").is_some_and(|state| state == self.state)
            && ["code", "error"].iter().any(|name| parameter(sent_back, name).is_some())
    }

    /// Takes the address that the browser was sent back to, gets tokens for it and stores them.
    ///
    /// # Errors
    /// The address is of another sign-in, or the person or the server refused.
    pub async fn finish(self, sent_back: &Url) -> Result<(), McpError> {
        if !self.is_answer(sent_back) {
            return Err(McpError::SignIn { what: "the address is not of this sign-in".to_owned() });
        }
        if let Some(error) = parameter(sent_back, "error") {
            let why = parameter(sent_back, "error_description").unwrap_or(error);
            return Err(McpError::SignIn { what: crate::mcp::error::said(&format!("it was refused: {why}")) });
        }
        self.session.handle_callback_url(sent_back.as_str()).await.map(drop).map_err(failed)
    }
}

fn parameter(url: &Url, wanted: &str) -> Option<String> {
    url.query_pairs().find(|(name, _)| name == wanted).map(|(_, value)| value.into_owned())
}

/// The token file. Several processes on one machine may share it: one renews at a time, and the others use its result.
#[derive(Clone)]
struct Kept(PathBuf);

impl Kept {
    /// Removes the tokens. Returns whether there were any.
    fn remove(&self) -> io::Result<bool> {
        match fs::remove_file(&self.0) {
            Ok(()) => Ok(true),
            Err(problem) if problem.kind() == ErrorKind::NotFound => Ok(false),
            Err(problem) => Err(problem),
        }
    }

    fn read(&self) -> io::Result<Option<StoredCredentials>> {
        match fs::read(&self.0) {
            Ok(bytes) => Ok(Some(serde_json::from_slice(&bytes)?)),
            Err(problem) if problem.kind() == ErrorKind::NotFound => Ok(None),
            Err(problem) => Err(problem),
        }
    }

    fn write(&self, credentials: &StoredCredentials) -> io::Result<()> {
        self.make_folder()?;
        let new = self.beside("new");
        let mut file = private().truncate(true).open(&new)?;
        file.write_all(&serde_json::to_vec(credentials)?)?;
        file.sync_all()?;
        fs::rename(&new, &self.0)
    }

    fn lock(&self) -> io::Result<File> {
        self.make_folder()?;
        let file = private().open(self.beside("lock"))?;
        file.lock()?;
        Ok(file)
    }

    fn make_folder(&self) -> io::Result<()> {
        let folder = self.0.parent().unwrap_or(Path::new("."));
        DirBuilder::new().recursive(true).mode(0o700).create(folder)
    }

    fn beside(&self, ending: &str) -> PathBuf {
        self.0.with_added_extension(ending)
    }

    /// Runs file access on a blocking thread.
    async fn done<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Self) -> io::Result<T> + Send + 'static,
    ) -> Result<T, AuthError> {
        let kept = self.clone();
        let failed = |problem: io::Error| {
            AuthError::CredentialStoreError(format!("the tokens in `{}`: {problem}", self.0.display()))
        };
        spawn_blocking(move || work(&kept)).await.unwrap_or_else(|ended| Err(io::Error::other(ended))).map_err(failed)
    }
}

#[async_trait]
impl CredentialStore for Kept {
    async fn load(&self) -> Result<Option<StoredCredentials>, AuthError> {
        self.done(Self::read).await
    }

    async fn save(&self, credentials: StoredCredentials) -> Result<(), AuthError> {
        self.done(move |kept| kept.write(&credentials)).await
    }

    async fn clear(&self) -> Result<(), AuthError> {
        self.done(|kept| kept.remove().map(drop)).await
    }

    async fn acquire_refresh_guard(&self) -> Result<Option<CredentialRefreshGuard>, AuthError> {
        // Closing the file releases the lock.
        Ok(Some(CredentialRefreshGuard::new(self.done(Self::lock).await?)))
    }
}

fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create(true).mode(0o600);
    options
}

/// Removes the tokens of a sign-in. Returns whether there were any. The server still accepts them until they expire.
///
/// # Errors
/// The file cannot be removed.
pub fn sign_out(file: &Path) -> io::Result<bool> {
    Kept(file.to_owned()).remove()
}

/// The tokens of a sign-in, or of a client that signs in by itself.
pub(crate) struct Tokens {
    manager: AuthorizationManager,
    machine: Option<ClientCredentialsConfig>,
}

impl Tokens {
    pub(crate) async fn of(address: &HttpAddress) -> Result<Self, McpError> {
        match &address.authorization {
            Authorization::OAuth(oauth) => Self::kept(address, oauth).await,
            Authorization::Machine(machine) => Self::of_machine(address, machine).await,
            Authorization::None | Authorization::Bearer(_) => Err(McpError::SignedOut),
        }
    }

    async fn kept(address: &HttpAddress, oauth: &OAuth) -> Result<Self, McpError> {
        let mut manager = manager(address, oauth).await?;
        if !manager.initialize_from_store().await.map_err(failed)? {
            return Err(McpError::SignedOut);
        }
        if let Some(client) = &oauth.client {
            manager.configure_client(config(client, address.url.as_str())).map_err(failed)?;
        }
        Ok(Self { manager, machine: None })
    }

    async fn of_machine(address: &HttpAddress, machine: &Machine) -> Result<Self, McpError> {
        let mut manager = unkept(address).await?;
        let found = manager.resolve_metadata().await.map_err(failed)?;
        manager.set_metadata(found.metadata);
        let config = ClientCredentialsConfig::ClientSecret {
            client_id: machine.id.clone(),
            client_secret: machine.secret.expose_secret().to_owned(),
            scopes: machine.scopes.clone(),
            resource: Some(address.url.to_string()),
        };
        manager.validate_client_credentials_metadata(&config).map_err(failed)?;
        manager.configure_client_credentials(&config).map_err(failed)?;
        Ok(Self { manager, machine: Some(config) })
    }

    /// Returns a token that stays valid for a while.
    pub(crate) async fn access(&self) -> Result<SecretString, McpError> {
        let token = match (self.manager.get_access_token().await, &self.machine) {
            (Err(AuthError::AuthorizationRequired), Some(_)) => {
                self.renew().await?;
                self.manager.get_access_token().await
            }
            (token, _) => token,
        };
        token.map(SecretString::from).map_err(failed)
    }

    /// Gets another token after the server rejected a valid one.
    pub(crate) async fn renew(&self) -> Result<(), McpError> {
        let renewed = match &self.machine {
            Some(machine) => self.manager.exchange_client_credentials(machine).await,
            None => self.manager.refresh_token().await,
        };
        renewed.map(drop).map_err(failed)
    }
}

/// Returns the manually registered client. `redirect` is used only by the sign-in.
fn config(client: &OAuthClient, redirect: &str) -> OAuthClientConfig {
    let config = OAuthClientConfig::new(&client.id, redirect);
    match &client.secret {
        Some(secret) => config.with_client_secret(secret.expose_secret()),
        None => config,
    }
}

async fn manager(address: &HttpAddress, oauth: &OAuth) -> Result<AuthorizationManager, McpError> {
    let mut manager = unkept(address).await?;
    manager.set_credential_store(Kept(oauth.file.clone()));
    Ok(manager)
}

/// Returns a manager that keeps its tokens in memory.
async fn unkept(address: &HttpAddress) -> Result<AuthorizationManager, McpError> {
    address.check()?;
    let web = Arc::new(Web::new(Endpoints::of(&address.url))?);
    AuthorizationManager::new_with_oauth_http_client(address.url.as_str(), web).await.map_err(failed)
}

fn failed(problem: AuthError) -> McpError {
    match problem {
        AuthError::AuthorizationRequired | AuthError::TokenRefreshRejected(_) => McpError::SignedOut,
        other => {
            let cause = std::error::Error::source(&other).map(|cause| format!(": {cause}")).unwrap_or_default();
            McpError::SignIn { what: said(&format!("{other}{cause}")) }
        }
    }
}

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const TIMEOUT: Duration = Duration::from_secs(30);
/// The most bytes of an answer: descriptions of servers, and tokens.
const ANSWER_MAX: usize = 256 * 1024;
const REDIRECTS_MAX: usize = 3;

/// The permitted addresses of a sign-in, because a server could name any: encrypted ones of the public internet, those
/// of the server's own host, and those of this machine if the server runs here.
#[derive(Clone, Debug)]
struct Endpoints {
    server: Url,
}

impl Endpoints {
    fn of(server: &Url) -> Self {
        Self { server: server.clone() }
    }

    /// Checks every address that a sign-in would use.
    fn check_all(&self, named: &AuthorizationMetadata) -> Result<(), McpError> {
        let endpoints = [&named.authorization_endpoint, &named.token_endpoint].into_iter();
        for endpoint in endpoints.chain(&named.registration_endpoint) {
            let url = Url::parse(endpoint).map_err(|problem| problem.to_string());
            url.and_then(|url| self.check(&url)).map_err(|why| McpError::SignIn { what: said(&why) })?;
        }
        Ok(())
    }

    /// Returns an error if an address may not be used.
    fn check(&self, url: &Url) -> Result<(), String> {
        let host = url.host().filter(|_| matches!(url.scheme(), "http" | "https"));
        let Some(host) = host else {
            return Err(format!("the server names `{}:…`, which is no address of a server", url.scheme()));
        };
        let is_here = is_loopback(&self.server) && is_loopback(url);
        let is_own = self.server.host() == Some(host.clone());
        if url.scheme() == "http" && !is_here && !(is_own && self.server.scheme() == "http") {
            return Err(format!("the server names the host `{host}` without encryption"));
        }
        let is_private = match host {
            Host::Domain(_) => is_loopback(url),
            Host::Ipv4(address) => !is_public(IpAddr::V4(address)),
            Host::Ipv6(address) => !is_public(IpAddr::V6(address)),
        };
        if is_private && !is_here && !is_own {
            return Err(format!("the server names `{host}`, which is no address of the public internet"));
        }
        Ok(())
    }
}

/// Resolves a host to its permitted addresses only.
impl Resolve for Endpoints {
    fn resolve(&self, name: Name) -> Resolving {
        let is_own = self.server.host_str() == Some(name.as_str());
        let is_here = is_loopback(&self.server);
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let is_allowed = |address: IpAddr| is_own || is_public(address) || is_here && address.is_loopback();
            let allowed: Vec<SocketAddr> = found.filter(|address| is_allowed(address.ip())).collect();
            if allowed.is_empty() {
                return Err(format!("`{}` leads to no address of the public internet", name.as_str()).into());
            }
            let addresses: Addrs = Box::new(allowed.into_iter());
            Ok(addresses)
        })
    }
}

/// An HTTP client with and without redirects: a request with tokens goes only to the address it was made for.
struct Web {
    endpoints: Endpoints,
    follows: Client,
    stops: Client,
}

impl Web {
    /// Creates a client that connects only to these endpoints.
    fn new(endpoints: Endpoints) -> Result<Self, McpError> {
        let client = |redirects: Policy| {
            let client = Client::builder().user_agent(concat!("candor/", env!("CARGO_PKG_VERSION")));
            let client = client.connect_timeout(CONNECT_TIMEOUT).timeout(TIMEOUT).redirect(redirects).no_proxy();
            let client = client.dns_resolver(std::sync::Arc::new(endpoints.clone()));
            client.build().map_err(|problem| McpError::unreachable(problem.to_string()))
        };
        let known = endpoints.clone();
        let follows = client(Policy::custom(move |attempt| match known.check(attempt.url()) {
            Ok(()) if attempt.previous().len() <= REDIRECTS_MAX => attempt.follow(),
            Ok(()) => attempt.error("there are too many redirects"),
            Err(why) => attempt.error(why),
        }))?;
        let stops = client(Policy::none())?;
        Ok(Self { endpoints, follows, stops })
    }
}

impl OAuthHttpClient for Web {
    fn execute(&self, asked: OAuthHttpRequest) -> OAuthHttpClientFuture<'_> {
        Box::pin(async move {
            let client = match asked.redirect_policy {
                OAuthHttpRedirectPolicy::Follow => &self.follows,
                _ => &self.stops,
            };
            let request = Request::try_from(asked.request)?;
            self.endpoints.check(request.url())?;
            let mut response = client.execute(request).await?;
            let mut answer = http::Response::builder().status(response.status());
            if let Some(headers) = answer.headers_mut() {
                headers.clone_from(response.headers());
            }
            let mut body = Vec::new();
            while let Some(chunk) = response.chunk().await? {
                if ANSWER_MAX < body.len() + chunk.len() {
                    return Err(format!("an answer is larger than {ANSWER_MAX} bytes").into());
                }
                body.extend(chunk);
            }
            Ok(answer.body(body)?)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Endpoints;

    #[test]
    fn a_server_names_only_what_is_encrypted_and_public_or_its_own() {
        let cases = [
            // The server, what it names, and whether that is used.
            ("https://tools.example/mcp", "https://login.example/authorize", true),
            ("https://tools.example/mcp", "https://tools.example:8443/token", true),
            ("https://tools.example/mcp", "http://login.example/authorize", false),
            ("https://tools.example/mcp", "http://tools.example/authorize", false),
            ("https://tools.example/mcp", "javascript:alert(1)", false),
            ("https://tools.example/mcp", "file:///etc/passwd", false),
            ("https://tools.example/mcp", "data:text/html,x", false),
            ("https://tools.example/mcp", "https://169.254.169.254/latest", false),
            ("https://tools.example/mcp", "https://10.0.0.7/token", false),
            ("https://tools.example/mcp", "https://[::ffff:192.168.0.1]/token", false),
            ("https://tools.example/mcp", "https://[fe80::1]/token", false),
            ("https://tools.example/mcp", "https://127.0.0.1/token", false),
            ("https://tools.example/mcp", "http://127.0.0.1:9180/reload", false),
            ("https://tools.example/mcp", "http://localhost/token", false),
            ("https://10.0.0.7/mcp", "https://10.0.0.7:9000/token", true),
            ("https://10.0.0.7/mcp", "https://10.0.0.8/token", false),
            ("http://10.0.0.7/mcp", "http://10.0.0.7/token", true),
            ("http://127.0.0.1:4000/mcp", "http://127.0.0.1:4001/token", true),
            ("http://localhost:4000/mcp", "http://127.0.0.1:4001/token", true),
            ("http://127.0.0.1:4000/mcp", "https://login.example/authorize", true),
            ("http://127.0.0.1:4000/mcp", "http://login.example/authorize", false),
            ("http://127.0.0.1:4000/mcp", "http://169.254.169.254/latest", false),
        ];
        for (server, named, expected) in cases {
            let checked = Endpoints::of(&server.parse().unwrap()).check(&named.parse().unwrap());
            assert_eq!(checked.is_ok(), expected, "{server} names {named}: {checked:?}");
        }
    }
}
