//! Mention is not use: tool calls written as text are found so that nobody is shown them, and never run.
//!
//! Formats are many and new ones come, so this keeps replies tidy and nothing more: that no such text runs is a
//! matter of who reads it, not of what is found here. Every pass goes through the text once, whatever is in it.

mod cut;
mod fences;
mod markers;
mod payload;
mod source;
mod span;
mod tags;
#[cfg(test)]
mod tests;
mod values;

use crate::agent::honesty::stripped::Stripped;
use crate::agent::tools::OfferedSet;
use cut::{cut, widened};
use fences::Fence;
use source::Source;
use span::Span;

/// Takes out every piece of text that is shaped like a tool call, in any vendor's format. Programs in code fences,
/// other JSON and names in back-ticks stay as they are.
pub fn strip_tool_text(text: &str, offered: &OfferedSet) -> Stripped {
    let source = Source::new(text, offered);
    let mut spans = source.values.calls().to_vec();
    spans.extend(tags::calls(&source));
    spans.extend(markers::calls(&source));
    let spans = merged(spans);
    let fences: Vec<_> = source.fences.iter().filter_map(|fence| taken_with(&source, fence, &spans)).collect();
    let spans = merged(spans.into_iter().chain(fences).collect());
    let spans = merged(spans.into_iter().map(|span| widened(text, span)).collect());
    cut(text, &spans)
}

/// The same places in order, none of which touch.
fn merged(mut spans: Vec<Span>) -> Vec<Span> {
    spans.sort_unstable_by_key(|span| (span.start, span.end));
    let mut merged: Vec<Span> = Vec::with_capacity(spans.len());
    for span in spans {
        match merged.last_mut() {
            Some(last) if span.start <= last.end => last.end = last.end.max(span.end),
            _ => merged.push(span),
        }
    }
    merged
}

/// What of a fence goes with the calls in it: the whole of it, or, if it does not end, what is in front of a call.
fn taken_with(source: &Source<'_>, fence: &Fence, calls: &[Span]) -> Option<Span> {
    if fence.is_call {
        return Some(fence.span.clone());
    }
    let next = calls.partition_point(|span| span.end <= fence.span.start);
    let call = calls.get(next).filter(|call| !fence.is_code && call.start < fence.span.end)?;
    let is_first = source.lower(fence.body_start..call.start).trim().is_empty();
    match fence.is_closed {
        true => Some(fence.span.clone()),
        false => is_first.then_some(fence.span.start..call.end),
    }
}
