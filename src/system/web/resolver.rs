//! Resolves a host, and returns only addresses of the public internet.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use async_trait::async_trait;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

#[async_trait]
pub(super) trait Names: Send + Sync {
    async fn addresses(&self, name: &str) -> io::Result<Vec<IpAddr>>;
}

pub(super) struct SystemNames;

#[async_trait]
impl Names for SystemNames {
    async fn addresses(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        Ok(tokio::net::lookup_host((name, 0)).await?.map(|address| address.ip()).collect())
    }
}

/// The error for a host without a public address.
#[derive(Debug, thiserror::Error)]
#[error("the name leads to no public address")]
pub(super) struct NotPublic;

/// The client's resolver: asked for each connection, it returns only the public addresses of a host.
pub(super) struct PublicNames {
    pub(super) names: Arc<dyn Names>,
    /// [`is_public`](candor_core::contract::is_public()), except for a test's own server.
    pub(super) is_public: fn(IpAddr) -> bool,
}

impl Resolve for PublicNames {
    fn resolve(&self, name: Name) -> Resolving {
        let names = Arc::clone(&self.names);
        let is_public = self.is_public;
        Box::pin(async move {
            let found = names.addresses(name.as_str()).await?;
            let public: Vec<_> = found.iter().copied().filter(|address| is_public(*address)).collect();
            if public.is_empty() && !found.is_empty() {
                return Err(NotPublic.into());
            }
            // The port of the URL replaces 0.
            let addresses: Addrs = Box::new(public.into_iter().map(|address| SocketAddr::new(address, 0)));
            Ok(addresses)
        })
    }
}
