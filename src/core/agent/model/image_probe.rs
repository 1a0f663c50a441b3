//! The probe of images: one small request that finds out whether a model accepts them.

use std::time::Duration;

use crate::agent::prompt::Transcript;
use crate::agent::tools::{Completion, OfferedSet};
use crate::agent::{ModelFailure, Request};
use crate::inbound::Picture;

const QUESTION: &str = "Which colour fills this image? Answer with the name of the colour alone.";

/// The picture: 96 × 96 pixels of one colour. The colour is not an obvious guess, because some servers silently drop
/// images.
const PICTURE: &[u8] = include_bytes!("orange.png");

/// The colour, as models name it.
const COLOUR: &str = "orange";

/// The maximum length of an answer that names a colour, in words. A longer one may list several.
const WORDS_MAX: usize = 12;

/// A model that writes for longer than this has not understood.
const WITHIN: Duration = Duration::from_secs(30);

pub struct ImageProbe {
    transcript: Transcript,
    tools: OfferedSet,
}

impl Default for ImageProbe {
    fn default() -> Self {
        let picture = Picture {
            media_type: "image/png",
            data: PICTURE.into(),
            size: (96, 96),
            made_of: "image/png 96x96".to_owned(),
        };
        Self { transcript: Transcript::of_host(QUESTION.to_owned()).showing(vec![picture]), tools: OfferedSet::none() }
    }
}

impl ImageProbe {
    pub fn request<'a>(&'a self, model: &'a str) -> Request<'a> {
        Request { conversation: None, model, transcript: &self.transcript, tools: &self.tools, within: WITHIN }
    }

    /// Returns whether the model accepts images, judging by its answer.
    ///
    /// # Errors
    /// If the answer is inconclusive, with the reason.
    pub fn found(answer: Result<Completion, ModelFailure>) -> Result<bool, ModelFailure> {
        match answer {
            Ok(Completion { text, .. }) => {
                let words: Vec<_> =
                    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
                Ok(words.len() <= WORDS_MAX && words.iter().any(|word| word.eq_ignore_ascii_case(COLOUR)))
            }
            // Servers refuse images that their model cannot take, some of them with a server error.
            Err(
                ModelFailure::Refused(_)
                | ModelFailure::ServerError(_)
                | ModelFailure::Reported
                | ModelFailure::Empty
                | ModelFailure::ToolCall
                | ModelFailure::ToolsUnsupported,
            ) => Ok(false),
            Err(failure) => Err(failure),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_model_that_names_the_colour_sees() {
        let says = |text: &str| Ok(Completion { text: text.to_owned(), ..Completion::default() });
        let guesses = "I cannot see it, but images are often red, orange, yellow, green, blue or violet.";
        let cases = [
            (says("Orange"), Ok(true)),
            (says("The colour is **orange**."), Ok(true)),
            (says("blue"), Ok(false)),
            (says("I see no image."), Ok(false)),
            (says(guesses), Ok(false)),
            (says(""), Ok(false)),
            (Err(ModelFailure::Refused(400)), Ok(false)),
            (Err(ModelFailure::ServerError(500)), Ok(false)),
            (Err(ModelFailure::Unreachable), Err(ModelFailure::Unreachable)),
            (Err(ModelFailure::Unauthorized), Err(ModelFailure::Unauthorized)),
            (Err(ModelFailure::CutOff), Err(ModelFailure::CutOff)),
        ];
        for (answer, expected) in cases {
            assert_eq!(ImageProbe::found(answer.clone()), expected, "{answer:?}");
        }
    }

    #[test]
    fn the_request_shows_one_picture_behind_its_question() {
        let probe = ImageProbe::default();
        let request = probe.request("llama");
        assert_eq!(request.transcript.messages().len(), 1);
        let (index, pictures) = request.transcript.pictures().unwrap();
        assert_eq!((index, pictures.len(), pictures[0].media_type), (0, 1, "image/png"));
        assert!(PICTURE.starts_with(b"\x89PNG"));
        assert!(request.tools.is_empty());
    }
}
