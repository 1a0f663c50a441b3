//! What a client learns of its server and its models while it asks them, and need not find out again.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tracing::info;

use crate::edges::model::wire::request::AnswerForm;

/// What is known of a server and its models. Nothing is, at first.
#[derive(Debug, Default)]
pub(crate) struct Learned {
    /// The server refused to stream: it is asked for whole answers.
    refuses_streams: AtomicBool,
    /// The server refused to count the tokens of a stream: they are estimated.
    refuses_counts: AtomicBool,
    /// The models whose thinking was seen to begin without a mark: what they write is not shown before its end.
    think_unmarked: ModelNames,
    /// The models whose template refused a system message: their first user message begins with its text.
    refuse_system: ModelNames,
}

/// Some of the models in the settings, by name.
type ModelNames = Mutex<BTreeSet<String>>;

impl Learned {
    /// In which form the server is known to answer.
    pub(crate) fn form(&self) -> AnswerForm {
        if self.refuses_streams.load(Ordering::Relaxed) {
            AnswerForm::Whole
        } else if self.refuses_counts.load(Ordering::Relaxed) {
            AnswerForm::Stream
        } else {
            AnswerForm::CountedStream
        }
    }

    /// The server answered in this form, and refused those before it.
    pub(crate) fn settle_on(&self, form: AnswerForm) {
        if form == AnswerForm::Stream && !self.refuses_counts.swap(true, Ordering::Relaxed) {
            info!("the model's server does not count the tokens of a stream; they are estimated");
        }
        if form == AnswerForm::Whole && !self.refuses_streams.swap(true, Ordering::Relaxed) {
            info!("the model's server does not stream; replies are shown when they are whole");
        }
    }

    /// Whether this model's thinking was seen to begin without a mark.
    pub(crate) fn thinks_unmarked(&self, model: &str) -> bool {
        names(&self.think_unmarked).contains(model)
    }

    /// This model's thinking began without a mark, or a whole answer came without thinking.
    pub(crate) fn set_thinks_unmarked(&self, model: &str, thinks: bool) {
        if thinks {
            names(&self.think_unmarked).insert(model.to_owned());
        } else {
            names(&self.think_unmarked).remove(model);
        }
    }

    /// Whether this model's template is known to refuse a system message.
    pub(crate) fn refuses_system(&self, model: &str) -> bool {
        names(&self.refuse_system).contains(model)
    }

    /// This model answered when the system text stood in the first user message, and refused a system message before.
    pub(crate) fn set_refuses_system(&self, model: &str) {
        if names(&self.refuse_system).insert(model.to_owned()) {
            info!(
                model.name = model,
                "the model's template takes no system message; its text is put in front of the first user message"
            );
        }
    }
}

fn names(names: &ModelNames) -> MutexGuard<'_, BTreeSet<String>> {
    names.lock().unwrap_or_else(PoisonError::into_inner)
}
