//! The tokens for a server: each request gets a valid one.

use std::io;
use std::path::Path;
use std::sync::Arc;

use rmcp::transport::auth::{AuthError, AuthorizationManager, ClientCredentialsConfig, OAuthClientConfig};
use secrecy::{ExposeSecret as _, SecretString};

use crate::mcp::address::{Authorization, HttpAddress, Machine, OAuth, OAuthClient};
use crate::mcp::error::{McpError, said};
use crate::mcp::oauth::token_store::Kept;
use crate::mcp::oauth::web::{Endpoints, Web};

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

pub(super) async fn manager(address: &HttpAddress, oauth: &OAuth) -> Result<AuthorizationManager, McpError> {
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

pub(super) fn failed(problem: AuthError) -> McpError {
    match problem {
        AuthError::AuthorizationRequired | AuthError::TokenRefreshRejected(_) => McpError::SignedOut,
        other => {
            let cause = std::error::Error::source(&other).map(|cause| format!(": {cause}")).unwrap_or_default();
            McpError::SignIn { what: said(&format!("{other}{cause}")) }
        }
    }
}
