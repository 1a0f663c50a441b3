//! What a streamed answer costs, from a server on this machine to its last word.
//!
//! Linear reading shows in the lengths: five times the pieces are about five times the time. Each piece has four
//! characters; 25,000 of them are the longest answer that the client takes.
#![expect(clippy::expect_used, reason = "a benchmark that cannot be set up has failed")]

use std::hint::black_box;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use divan::Bencher;
use divan::counter::ItemsCount;
use futures_util::stream;
use serde_json::json;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

use candor_core::agent::{Growth, Model as _, Probe, Request};
use candor_core::settings::ModelSettings;
use candor_providers::OpenAiCompatible;

const PIECES: [usize; 3] = [1_000, 5_000, 25_000];

/// Every event is a chunk of its own.
#[divan::bench(args = PIECES, sample_count = 20)]
fn words_in_pieces(bencher: Bencher<'_, '_>, n_pieces: usize) {
    let runtime = Runtime::new().expect("a runtime");
    let client = client(&runtime, n_pieces);
    bencher.counter(ItemsCount::new(n_pieces)).bench_local(|| {
        let probe = Probe::default();
        let request = Request { within: Duration::from_secs(600), ..probe.request("llama") };
        let answer = runtime.block_on(client.complete(request, &Shown)).expect("an answer");
        assert_eq!(answer.text.len(), 4 * n_pieces);
    });
}

/// Whoever shows the answer reads all of it each time.
struct Shown;

impl Growth for Shown {
    fn began(&self) {}

    fn grew(&self, text: &str) {
        black_box(text.chars().count());
    }
}

/// A client of a server that answers everything with so many pieces.
fn client(runtime: &Runtime, n_pieces: usize) -> OpenAiCompatible {
    let event = json!({"choices": [{"index": 0, "delta": {"content": "word"}, "finish_reason": null}]});
    let end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
    let (event, end) = (format!("data: {event}\n\n"), format!("data: {end}\n\ndata: [DONE]\n\n"));
    let answer = move || {
        let (event, end) = (event.clone(), end.clone());
        let pieces = std::iter::repeat_n(event, n_pieces).chain([end]).map(Ok::<_, std::io::Error>);
        std::future::ready(Body::from_stream(stream::iter(pieces)))
    };
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("a local port");
    let base_url = format!("http://{}/v1/", listener.local_addr().expect("bound"));
    runtime.spawn(async move { axum::serve(listener, Router::new().fallback(answer)).await });
    let server = ModelSettings::at(base_url.parse().expect("an address"), vec!["llama".to_owned()]);
    let settings = ModelSettings { stall: Duration::from_secs(60), ..server };
    OpenAiCompatible::new(&settings, None).expect("a client")
}
