//! Properties of a provider and its models that a client learns from responses and need not find out again.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tracing::info;

use crate::wire::request::AnswerForm;

/// The known properties of a provider and its models. Empty at first.
#[derive(Debug, Default)]
pub(crate) struct Learned {
    /// The server refused to stream, so it is asked for whole answers.
    refuses_streams: AtomicBool,
    /// The server refused to count the tokens of a stream, so they are estimated.
    refuses_counts: AtomicBool,
    /// The models whose thinking began without a mark. Their text is not shown before its end.
    think_unmarked: ModelNames,
    /// The models whose template refused a system message. Its text goes to the beginning of their first user message.
    refuse_system: ModelNames,
}

/// The names of some of the models in the settings.
type ModelNames = Mutex<BTreeSet<String>>;

impl Learned {
    /// Returns the form in which the server is known to answer.
    pub(crate) fn form(&self) -> AnswerForm {
        if self.refuses_streams.load(Ordering::Relaxed) {
            AnswerForm::Whole
        } else if self.refuses_counts.load(Ordering::Relaxed) {
            AnswerForm::Stream
        } else {
            AnswerForm::CountedStream
        }
    }

    /// Records the form in which the server answered, after it refused the forms before.
    pub(crate) fn settle_on(&self, form: AnswerForm) {
        if form == AnswerForm::Stream && !self.refuses_counts.swap(true, Ordering::Relaxed) {
            info!("the model's server does not count the tokens of a stream; they are estimated");
        }
        if form == AnswerForm::Whole && !self.refuses_streams.swap(true, Ordering::Relaxed) {
            info!("the model's server does not stream; replies are shown when they are whole");
        }
    }

    pub(crate) fn thinks_unmarked(&self, model: &str) -> bool {
        names(&self.think_unmarked).contains(model)
    }

    /// Records that this model's thinking began without a mark, or that a whole answer came without thinking.
    pub(crate) fn set_thinks_unmarked(&self, model: &str, thinks: bool) {
        if thinks {
            names(&self.think_unmarked).insert(model.to_owned());
        } else {
            names(&self.think_unmarked).remove(model);
        }
    }

    pub(crate) fn refuses_system(&self, model: &str) -> bool {
        names(&self.refuse_system).contains(model)
    }

    /// Records that this model refused a system message, and then answered with its text in the first user message.
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
