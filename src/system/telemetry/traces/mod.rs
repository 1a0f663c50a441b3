//! Traces for an OpenTelemetry collector, over OTLP (protobuf over HTTP). The standard environment variables name the
//! collector: without an address nothing is exported.
//!
//! Spans wait in a bounded queue for a thread of its own, which sends them in batches. An unresponsive collector only
//! costs the spans that do not fit into the queue.

mod attributes;
mod collector;

use std::time::Duration;

use opentelemetry::KeyValue;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_otlp::{SpanExporter, WithHttpConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{SdkTracer, SdkTracerProvider};
use tracing::{Subscriber, warn};
use tracing_opentelemetry::OpenTelemetryLayer;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::{LevelFilter, filter_fn};
use tracing_subscriber::registry::LookupSpan;

use crate::telemetry::origin::is_span_of_bot;
use crate::telemetry::traces::attributes::Bare;
use crate::telemetry::traces::collector::{Collector, NoTraces};

/// The longest that the end of the process waits for the collector.
const FLUSH_WITHIN: Duration = Duration::from_secs(2);

/// The traces of this process. Dropping them sends the waiting spans.
pub(super) struct Traces {
    provider: SdkTracerProvider,
}

impl Traces {
    /// Returns a layer that takes the bot's own spans, and no log lines.
    pub(super) fn layer<S>(&self) -> impl Layer<S> + use<S>
    where
        S: Subscriber + for<'span> LookupSpan<'span> + Send + Sync,
    {
        let layer: OpenTelemetryLayer<S, SdkTracer> =
            tracing_opentelemetry::layer().with_tracer(self.provider.tracer("candor"));
        layer
            .with_location(false)
            .with_threads(false)
            .with_target(false)
            .with_tracked_inactivity(false)
            .with_filter(filter_fn(is_span_of_bot).with_max_level_hint(LevelFilter::INFO))
    }
}

impl Drop for Traces {
    fn drop(&mut self) {
        if let Err(problem) = self.provider.shutdown_with_timeout(FLUSH_WITHIN) {
            warn!(error = %problem, "the last traces were not exported");
        }
    }
}

/// Starts the traces if the environment names a collector, or returns why they are not exported. Sends on the runtime
/// of the caller.
pub(super) fn begun() -> (Option<Traces>, Option<String>) {
    let named = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
    let collector = match Collector::named(named) {
        Ok(Some(collector)) => collector,
        Ok(None) => return (None, None),
        Err(why) => return (None, Some(why.to_string())),
    };
    let exporter = match SpanExporter::builder().with_http().with_http_client(collector).build() {
        Ok(exporter) => Bare::new(exporter),
        Err(problem) => return (None, Some(NoTraces::Setup(problem.to_string()).to_string())),
    };
    let mut resource = Resource::builder().with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")));
    let names_service = named("OTEL_RESOURCE_ATTRIBUTES").is_some_and(|given| given.contains("service.name="));
    if named("OTEL_SERVICE_NAME").is_none() && !names_service {
        resource = resource.with_service_name("candor");
    }
    let provider = SdkTracerProvider::builder().with_batch_exporter(exporter).with_resource(resource.build()).build();
    (Some(Traces { provider }), None)
}
