//! The client against a real server on this machine, which stands for the hosts of the internet.

mod tls;

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use flate2::Compression;
use flate2::write::GzEncoder;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use crate::web::{Names, PublicNames};
use crate::web::{Web, client};
use candor_core::contract::{
    ANY_HOST, Http as _, HttpError, HttpGet, HttpHosts, HttpResponse, RESPONSE_SIZE_MAX, Validators, is_public,
};

const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// What the server answers at each path, whichever host is asked; `None` answers nothing.
type Site = BTreeMap<&'static str, Option<Vec<u8>>>;

/// The addresses of each host: one answer after the other, the last one for ever. Others do not exist.
struct Book(Mutex<BTreeMap<&'static str, Vec<Vec<IpAddr>>>>);

#[async_trait]
impl Names for Book {
    async fn addresses(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        let mut book = self.0.lock().unwrap();
        let answers = book.get_mut(name).ok_or(io::ErrorKind::NotFound)?;
        Ok(if answers.len() == 1 { answers[0].clone() } else { answers.remove(0) })
    }
}

fn book<const N: usize>(entries: [(&'static str, &[&[&str]]); N]) -> Book {
    let addresses = |answer: &&[&str]| answer.iter().map(|address| address.parse().unwrap()).collect();
    let entry = |(name, answers): (&'static str, &[&[&str]])| (name, answers.iter().map(addresses).collect());
    Book(Mutex::new(entries.into_iter().map(entry).collect()))
}

/// A server with this site, and what it was asked.
async fn serve(site: Site) -> (u16, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind((HERE, 0)).await.unwrap();
    let (port, asked) = (listener.local_addr().unwrap().port(), Arc::<Mutex<Vec<String>>>::default());
    let (site, seen) = (Arc::new(site), asked.clone());
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let (site, seen) = (site.clone(), seen.clone());
            tokio::spawn(async move {
                let mut request = Vec::new();
                while !request.ends_with(b"\r\n\r\n") {
                    request.push(stream.read_u8().await.unwrap());
                }
                let request = String::from_utf8(request).unwrap();
                let path = request.split(' ').nth(1).unwrap().to_owned();
                seen.lock().unwrap().push(request);
                match site.get(path.as_str()) {
                    // The client may have gone before the end.
                    Some(Some(answer)) => drop(stream.write_all(answer).await),
                    Some(None) => tokio::time::sleep(Duration::from_secs(60)).await,
                    None => drop(stream.write_all(&page(404, &[], b"")).await),
                }
            });
        }
    });
    (port, asked)
}

fn page(status: u16, headers: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
    let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let head = format!("HTTP/1.1 {status} Any\r\nconnection: close\r\ncontent-length: {}\r\n{headers}\r\n", body.len());
    [head.as_bytes(), body].concat()
}

fn redirect(location: &str) -> Option<Vec<u8>> {
    Some(page(302, &[("location", location)], b"elsewhere"))
}

/// A client for which these hosts lead to the server.
fn web(port: u16, book: Book) -> Web {
    let names = PublicNames { names: Arc::new(book), is_public: |address| address == HERE || is_public(address) };
    let mut web = Web::over(client(names).build().unwrap());
    (web.stand_in, web.within) = (Some(("http", port)), Duration::from_secs(5));
    web
}

async fn read(web: &Web, hosts: &HttpHosts, address: &str, known: &Validators) -> Result<HttpResponse, HttpError> {
    web.get(HttpGet { module: "feed", url: hosts.admit(address)?, hosts, known }).await
}

fn named() -> HttpHosts {
    HttpHosts::declared(["example.org", "other.example", "inside.example", "twice.example"])
}

fn nothing() -> Validators {
    Validators::default()
}

#[tokio::test]
async fn a_page_is_read_and_asked_for_again_only_if_it_changed() {
    let date = "Sun, 22 Nov 2026 08:00:00 GMT";
    let headers = [("content-type", "text/xml"), ("etag", "\"one\""), ("last-modified", date), ("set-cookie", "id=1")];
    let site = Site::from([
        ("/feed?x=1", Some(page(200, &headers, b"\xef\xbb\xbfnews"))),
        ("/same", Some(page(304, &[], b""))),
    ]);
    let (port, asked) = serve(site).await;
    let web = web(port, book([("example.org", &[&["127.0.0.1"]])]));

    let first = read(&web, &named(), "https://example.org/feed?x=1", &nothing()).await.unwrap();
    let validators = Validators { etag: Some("\"one\"".to_owned()), last_modified: Some(date.to_owned()) };
    assert_eq!((first.status, first.content_type.as_deref(), first.text()), (200, Some("text/xml"), Some("news")));
    assert_eq!(first.validators, validators);
    let same = read(&web, &named(), "https://example.org/same", &first.validators).await.unwrap();
    assert!(same.is_unchanged() && same.body.is_empty());
    let missing = read(&web, &named(), "https://example.org/missing", &nothing()).await.unwrap();
    assert_eq!((missing.status, missing.is_success()), (404, false));

    let asked = asked.lock().unwrap();
    for request in asked.iter() {
        assert!(request.contains(concat!("user-agent: candor/", env!("CARGO_PKG_VERSION"))), "{request}");
        assert!(request.contains("host: example.org"), "{request}");
        assert!(!request.contains("cookie") && !request.contains("referer"), "{request}");
    }
    let conditions = ["if-none-match: \"one\"".to_owned(), format!("if-modified-since: {date}")];
    assert!(conditions.iter().all(|condition| asked[1].contains(condition) && !asked[0].contains(condition)));
}

#[tokio::test]
async fn each_redirect_is_held_to_what_the_first_address_is() {
    let site = Site::from([
        ("/", Some(page(200, &[], b"here"))),
        ("/near", redirect("/")),
        ("/next", redirect("https://other.example/near")),
        ("/private", redirect("https://inside.example/")),
        ("/literal", redirect("https://127.0.0.1/")),
        ("/decimal", redirect("https://2130706433/")),
        ("/metadata", redirect("http://169.254.169.254/latest/meta-data/")),
        ("/plain", redirect("http://other.example/")),
        ("/port", redirect("https://other.example:8443/")),
        ("/stranger", redirect("https://stranger.example/")),
        ("/file", redirect("file:///etc/passwd")),
        ("/nowhere", Some(page(302, &[], b""))),
        ("/round", redirect("/round")),
        ("/four", redirect("/three")),
        ("/three", redirect("/next")),
    ]);
    let (port, asked) = serve(site).await;
    let here: &[&[&str]] = &[&["127.0.0.1"]];
    let hosts = [("example.org", here), ("other.example", here), ("stranger.example", here)];
    let [a, b, c] = hosts;
    let web = web(port, book([a, b, c, ("inside.example", &[&["10.0.0.1", "127.0.0.2"]])]));
    for (path, expected) in [
        ("/near", Ok("here")),
        ("/next", Ok("here")),
        ("/private", Err(HttpError::NotPublic)),
        ("/literal", Err(HttpError::Address)),
        ("/decimal", Err(HttpError::Address)),
        ("/metadata", Err(HttpError::Address)),
        ("/plain", Err(HttpError::Address)),
        ("/port", Err(HttpError::Address)),
        ("/stranger", Err(HttpError::HostNotAllowed)),
        ("/file", Err(HttpError::Address)),
        ("/nowhere", Err(HttpError::Redirects)),
        ("/round", Err(HttpError::Redirects)),
        ("/three", Ok("here")),
        ("/four", Err(HttpError::Redirects)),
    ] {
        let read = read(&web, &named(), &format!("https://example.org{path}"), &nothing()).await;
        assert_eq!(read.map(|page| page.text().unwrap().to_owned()), expected.map(str::to_owned), "{path}");
    }
    let asked = asked.lock().unwrap();
    assert!(
        !asked.iter().any(|request| request.contains("host: stranger") || request.contains("host: inside")),
        "{asked:?}"
    );
}

#[tokio::test]
async fn a_name_that_leads_elsewhere_the_next_time_gains_nothing() {
    let (port, asked) = serve(Site::from([("/", Some(page(200, &[], b"here")))])).await;
    let names = book([
        ("twice.example", &[&["127.0.0.1"], &["10.0.0.1"]]),
        // Of several addresses, those that are not public are as if they were not there.
        ("other.example", &[&["10.0.0.1", "127.0.0.1", "::1", "169.254.169.254"]]),
        ("example.org", &[&["10.0.0.1", "::ffff:192.168.0.1", "fe80::1"]]),
    ]);
    let web = web(port, names);
    let read = async |host: &str| read(&web, &named(), &format!("https://{host}/"), &nothing()).await;
    assert_eq!(read("twice.example").await.unwrap().body, b"here");
    assert_eq!(read("twice.example").await, Err(HttpError::NotPublic));
    assert_eq!(read("other.example").await.unwrap().body, b"here");
    assert_eq!(read("example.org").await, Err(HttpError::NotPublic));
    assert_eq!(read("inside.example").await, Err(HttpError::Unreachable), "nobody knows its name");
    assert_eq!(asked.lock().unwrap().len(), 2);
}

#[tokio::test]
async fn the_machine_itself_is_not_read_by_any_name() {
    let web = Web::new().unwrap();
    let all = HttpHosts::declared([ANY_HOST]).given([ANY_HOST]).unwrap();
    assert_eq!(read(&web, &all, "https://localhost/", &nothing()).await, Err(HttpError::NotPublic));
}

#[tokio::test]
async fn what_is_too_large_is_not_read_to_its_end() {
    let packed = |size: usize| {
        let mut packing = GzEncoder::new(Vec::new(), Compression::best());
        packing.write_all(&vec![b'x'; size]).unwrap();
        page(200, &[("content-encoding", "gzip")], &packing.finish().unwrap())
    };
    let site = Site::from([
        ("/most", Some(page(200, &[], &vec![b'x'; RESPONSE_SIZE_MAX]))),
        ("/more", Some(page(200, &[], &vec![b'x'; RESPONSE_SIZE_MAX + 1]))),
        ("/packed", Some(packed(RESPONSE_SIZE_MAX))),
        ("/bomb", Some(packed(50 * RESPONSE_SIZE_MAX))),
    ]);
    let (port, _) = serve(site).await;
    let web = web(port, book([("example.org", &[&["127.0.0.1"]])]));
    for (path, expected) in [
        ("/most", Ok(RESPONSE_SIZE_MAX)),
        ("/more", Err(HttpError::TooLarge)),
        ("/packed", Ok(RESPONSE_SIZE_MAX)),
        ("/bomb", Err(HttpError::TooLarge)),
    ] {
        let read = read(&web, &named(), &format!("https://example.org{path}"), &nothing()).await;
        assert_eq!(read.map(|page| page.body.len()), expected, "{path}");
    }
}

#[tokio::test]
async fn a_host_that_is_slow_or_breaks_off_is_not_waited_for() {
    let mut short = page(200, &[], b"only the beginning");
    short.truncate(short.len() - 4);
    let site = Site::from([("/silent", None), ("/short", Some(short)), ("/silent-next", redirect("/silent"))]);
    let (port, _) = serve(site).await;
    let mut web = web(port, book([("example.org", &[&["127.0.0.1"]])]));
    web.within = Duration::from_millis(300);
    for (path, expected) in
        [("/silent", HttpError::TimedOut), ("/silent-next", HttpError::TimedOut), ("/short", HttpError::Unreachable)]
    {
        let read = read(&web, &named(), &format!("https://example.org{path}"), &nothing()).await;
        assert_eq!(read, Err(expected), "{path}");
    }
}

#[tokio::test]
async fn more_than_a_few_at_once_wait_and_are_then_told() {
    let (port, asked) = serve(Site::from([("/silent", None)])).await;
    let mut web = web(port, book([("example.org", &[&["127.0.0.1"]])]));
    web.within = Duration::from_millis(2_500);
    let web = Arc::new(web);
    let reading = (0..9).map(|_| {
        let web = web.clone();
        tokio::spawn(async move { read(&web, &named(), "https://example.org/silent", &nothing()).await })
    });
    let mut outcomes = Vec::new();
    for reading in reading.collect::<Vec<_>>() {
        outcomes.push(reading.await.unwrap());
    }
    let count = |wanted| outcomes.iter().filter(|outcome| **outcome == Err(wanted)).count();
    assert_eq!((count(HttpError::TimedOut), count(HttpError::Busy)), (8, 1), "{outcomes:?}");
    assert_eq!(asked.lock().unwrap().len(), 8);
}
