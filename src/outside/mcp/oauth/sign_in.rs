//! A sign-in: an address for a browser, and the address that it is sent back to.

use rmcp::transport::auth::{AuthorizationRequest, AuthorizationSession};
use secrecy::ExposeSecret as _;
use url::Url;

use crate::mcp::address::{HttpAddress, OAuth};
use crate::mcp::error::McpError;
use crate::mcp::oauth::tokens::{failed, manager};
use crate::mcp::oauth::web::Endpoints;

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
