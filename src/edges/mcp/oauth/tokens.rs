//! The tokens of a sign-in: each request gets one that holds.

use std::io;
use std::path::Path;
use std::sync::Arc;

use rmcp::transport::auth::{AuthError, AuthorizationManager, OAuthClientConfig};
use secrecy::{ExposeSecret as _, SecretString};

use crate::address::{HttpAddress, OAuth, OAuthClient};
use crate::error::{McpError, said};
use crate::oauth::kept::Kept;
use crate::oauth::web::Web;

/// Removes the tokens of a sign-in. Returns whether there were any. The server knows them until they expire.
///
/// # Errors
/// The file cannot be removed.
pub fn sign_out(file: &Path) -> io::Result<bool> {
    Kept(file.to_owned()).remove()
}

/// The tokens of a sign-in.
pub(crate) struct Tokens(AuthorizationManager);

impl Tokens {
    pub(crate) async fn open(address: &HttpAddress, oauth: &OAuth) -> Result<Self, McpError> {
        let mut manager = manager(address, oauth).await?;
        if !manager.initialize_from_store().await.map_err(failed)? {
            return Err(McpError::SignedOut);
        }
        if let Some(client) = &oauth.client {
            manager.configure_client(config(client, address.url.as_str())).map_err(failed)?;
        }
        Ok(Self(manager))
    }

    /// A token that holds for a while.
    pub(crate) async fn access(&self) -> Result<SecretString, McpError> {
        self.0.get_access_token().await.map(SecretString::from).map_err(failed)
    }

    /// Gets another token, because the server does not accept the one that it should.
    pub(crate) async fn renew(&self) -> Result<(), McpError> {
        self.0.refresh_token().await.map(drop).map_err(failed)
    }
}

/// The client that was registered by hand. `redirect` counts at the sign-in alone.
fn config(client: &OAuthClient, redirect: &str) -> OAuthClientConfig {
    let config = OAuthClientConfig::new(&client.id, redirect);
    match &client.secret {
        Some(secret) => config.with_client_secret(secret.expose_secret()),
        None => config,
    }
}

pub(super) async fn manager(address: &HttpAddress, oauth: &OAuth) -> Result<AuthorizationManager, McpError> {
    address.check()?;
    let web = Arc::new(Web::new(address.url.scheme() == "http")?);
    let url = address.url.as_str();
    let mut manager = AuthorizationManager::new_with_oauth_http_client(url, web).await.map_err(failed)?;
    manager.set_credential_store(Kept(oauth.file.clone()));
    Ok(manager)
}

pub(super) fn failed(problem: AuthError) -> McpError {
    match problem {
        AuthError::AuthorizationRequired | AuthError::TokenRefreshRejected(_) => McpError::SignedOut,
        other => {
            let cause = std::error::Error::source(&other).map(|cause| format!(": {cause}")).unwrap_or_default();
            McpError::SignIn { what: said(&format!("{other}{cause}")) }
        }
    }
}
