//! The words of people and models: phrases, and those of all languages that no single tool has.

mod phrase;
mod words;

pub(super) use phrase::{Phrase, Sentence, sentences, words};
pub(super) use words::LEXICON;
