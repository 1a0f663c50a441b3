//! Tests the client against servers with good and bad certificates.

use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use async_trait::async_trait;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, date_time_ymd};
use reqwest::Certificate;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};

use crate::web::{Names, PublicNames};
use crate::web::{Web, client};
use candor_core::contract::{Http as _, HttpError, HttpGet, HttpHosts, Validators};

struct Here;

#[async_trait]
impl Names for Here {
    async fn addresses(&self, _: &str) -> io::Result<Vec<IpAddr>> {
        Ok(vec![Ipv4Addr::LOCALHOST.into()])
    }
}

type Authority = CertifiedIssuer<'static, KeyPair>;

fn authority() -> Authority {
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}

/// Serves with a certificate for this host, until the end of this year.
async fn serve(host: &str, authority: &Authority, until: i32) -> u16 {
    let mut params = CertificateParams::new([host.to_owned()]).unwrap();
    params.not_after = date_time_ymd(until, 12, 31);
    let key = KeyPair::generate().unwrap();
    let certificate = params.signed_by(&key, authority).unwrap();
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let config = ServerConfig::builder().with_no_client_auth();
    let acceptor = TlsAcceptor::from(Arc::new(config.with_single_cert(vec![certificate.into()], key).unwrap()));
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        // A client that rejects the certificate ends the handshake.
        let Ok(mut stream) = acceptor.accept(stream).await else { return };
        let mut request = Vec::new();
        while !request.ends_with(b"\r\n\r\n") {
            request.push(stream.read_u8().await.unwrap());
        }
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nnews").await.unwrap();
        stream.shutdown().await.unwrap();
    });
    port
}

async fn read(trusted: &Authority, port: u16) -> Result<String, HttpError> {
    let names = PublicNames { names: Arc::new(Here), is_public: |_| true };
    let root = Certificate::from_der(trusted.der()).unwrap();
    let mut web = Web::over(client(names).add_root_certificate(root).build().unwrap());
    web.stand_in = Some(("https", port));
    let hosts = HttpHosts::declared(["news.example"]);
    let get = HttpGet {
        module: "feed",
        url: hosts.admit("https://news.example/feed")?,
        hosts: &hosts,
        known: &Validators::default(),
    };
    web.get(get).await.map(|response| response.text().unwrap_or_default().to_owned())
}

#[tokio::test]
async fn a_host_is_read_only_if_its_certificate_is_its_own_in_force_and_of_an_authority() {
    let known = authority();
    let unknown = authority();
    let cases = [
        ("news.example", &known, 2999, Ok("news".to_owned())),
        ("other.example", &known, 2999, Err(HttpError::Unreachable)),
        ("news.example", &known, 2020, Err(HttpError::Unreachable)),
        ("news.example", &unknown, 2999, Err(HttpError::Unreachable)),
    ];
    for (host, authority, until, expected) in cases {
        let port = serve(host, authority, until).await;
        assert_eq!(read(&known, port).await, expected, "{host}, until {until}");
    }
}
