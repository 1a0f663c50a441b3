//! A sign-in: an address for a browser, and what the browser is sent back with.

use rmcp::transport::auth::{AuthorizationRequest, AuthorizationSession};
use secrecy::ExposeSecret as _;
use url::Url;

use crate::address::{HttpAddress, OAuth};
use crate::error::McpError;
use crate::oauth::tokens::{failed, manager};

/// A sign-in that somebody has to finish in a browser.
pub struct SignIn(AuthorizationSession);

impl SignIn {
    /// Asks the server where to sign in, and registers there. `back` is where the browser is sent afterwards.
    ///
    /// # Errors
    /// The server knows no OAuth, or what it says of it cannot be used.
    pub async fn begin(address: &HttpAddress, oauth: &OAuth, back: &Url) -> Result<Self, McpError> {
        let mut manager = manager(address, oauth).await?;
        let found = manager.resolve_metadata().await.map_err(failed)?;
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
        AuthorizationSession::new(manager, request).await.map(Self).map_err(|(_, problem)| failed(problem))
    }

    /// The address to open in a browser.
    pub fn url(&self) -> &str {
        self.0.get_authorization_url()
    }

    /// Takes the address to which the browser was sent back, gets tokens for it and keeps them.
    ///
    /// # Errors
    /// The address is of another sign-in, or the person or the server refused.
    pub async fn finish(self, sent_back: &Url) -> Result<(), McpError> {
        let said = |wanted: &str| sent_back.query_pairs().find(|(name, _)| name == wanted).map(|(_, value)| value);
        if let Some(error) = said("error") {
            let why = said("error_description").unwrap_or(error);
            return Err(McpError::SignIn { what: crate::error::said(&format!("it was refused: {why}")) });
        }
        self.0.handle_callback_url(sent_back.as_str()).await.map(drop).map_err(failed)
    }
}
