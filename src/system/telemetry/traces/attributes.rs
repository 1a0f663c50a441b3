//! Limits exported spans to a list of attributes, without any text that people or models wrote.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use opentelemetry::trace::Status;
use opentelemetry::{Array, KeyValue, Value};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::trace::{SpanData, SpanEvents, SpanExporter, SpanLinks};
use tracing::warn;

/// Every attribute that a span may have. Those of generative AI are named by OpenTelemetry's conventions.
pub(super) const ATTRIBUTES: [&str; 16] = [
    "candor.command.name",
    "candor.outcome",
    "candor.receipt.id",
    "candor.route",
    "candor.surface",
    "candor.turn.ending",
    "error.type",
    "gen_ai.agent.name",
    "gen_ai.operation.name",
    "gen_ai.provider.name",
    "gen_ai.request.model",
    FINISH_REASONS,
    "gen_ai.tool.name",
    "gen_ai.tool.type",
    "gen_ai.usage.input_tokens",
    "gen_ai.usage.output_tokens",
];

/// A list in the conventions; a span's field cannot be one.
const FINISH_REASONS: &str = "gen_ai.response.finish_reasons";

/// An exporter that gets only bare spans. Logs when it begins to fail.
#[derive(Debug)]
pub(super) struct Bare<E> {
    exporter: E,
    is_failing: AtomicBool,
}

impl<E> Bare<E> {
    pub(super) fn new(exporter: E) -> Self {
        Self { exporter, is_failing: AtomicBool::new(false) }
    }
}

impl<E: SpanExporter> SpanExporter for Bare<E> {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let exported = self.exporter.export(batch.into_iter().map(bare).collect()).await;
        let was_failing = self.is_failing.swap(exported.is_err(), Ordering::Relaxed);
        if let (Err(problem), false) = (&exported, was_failing) {
            warn!(error = %problem, "the collector does not take traces; they are lost until it does");
        }
        exported
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.exporter.shutdown_with_timeout(timeout)
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.exporter.force_flush()
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.exporter.set_resource(resource);
    }
}

/// Returns a span with the listed attributes only, without events, links and the description of an error.
fn bare(span: SpanData) -> SpanData {
    let attributes = span.attributes.into_iter().filter(is_listed).map(in_its_form).collect();
    let status = match span.status {
        Status::Error { .. } => Status::error(""),
        other => other,
    };
    SpanData { attributes, status, events: SpanEvents::default(), links: SpanLinks::default(), ..span }
}

fn is_listed(attribute: &KeyValue) -> bool {
    ATTRIBUTES.contains(&attribute.key.as_str())
}

fn in_its_form(attribute: KeyValue) -> KeyValue {
    match attribute.value {
        Value::String(reason) if attribute.key.as_str() == FINISH_REASONS => {
            KeyValue::new(attribute.key, Value::Array(Array::String(vec![reason])))
        }
        _ => attribute,
    }
}
