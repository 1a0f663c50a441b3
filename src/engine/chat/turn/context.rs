//! Gathers the surroundings of a turn's words before the model is asked: quoted messages and attached files.

use std::collections::HashSet;
use std::time::Duration;

use futures_util::future::join_all;
use tokio::time::timeout;
use tracing::warn;

use crate::chat::parts::Chat;
use crate::chat::queue::Said;
use crate::chat::turn::caller::TurnCaller;
use candor_core::agent::surroundings::{
    ContextSource, FILES_NAMED_MAX, FileContent, NAME_LENGTH_MAX, PlaceNames, QUOTED_MAX, ReadFile, Surroundings,
    Unread, is_picture, unread, unread_picture,
};
use candor_core::agent::{ConversationKey, Spoken};
use candor_core::inbound::{
    AttachedFile, Caller, CameWith, MentionedPerson, Place, Quoted, QuotedAuthor, QuotedMessage,
};
use candor_core::reply::Mentionable;
use candor_core::router::ChatText;
use candor_core::text::shortened;

/// How long to follow the chain of replies and to wait for files. Anything read until then is shown.
const WITHIN: Duration = Duration::from_secs(10);

/// The quoted length, in characters, of a reply that the conversation already holds: enough to identify it.
const KNOWN_LENGTH_MAX: usize = 200;

pub(in crate::chat) struct Heard {
    pub(in crate::chat) words: ChatText,
    /// The words of each speaker, in a shared conversation; else empty.
    pub(in crate::chat) spoken: Vec<Spoken>,
    pub(in crate::chat) speakers: Vec<MentionedPerson>,
    /// The attachments and quotes of each message.
    pub(in crate::chat) came_with: Vec<CameWith>,
    /// Ids of the messages this turn answers. A request to ask again is replaced by the messages it names.
    pub(in crate::chat) questions: Vec<u64>,
    /// Ids of the messages that the continued replies had answered.
    pub(in crate::chat) goes_on_from: Vec<u64>,
}

impl Heard {
    /// Joins the messages. Returns `None` without any.
    pub(in crate::chat) fn new(said: Vec<Said>, key: &ConversationKey, place: Place) -> Option<Self> {
        let mut said_by: Vec<(&Caller, ChatText)> = Vec::new();
        for Said { by, words, .. } in &said {
            match said_by.last_mut() {
                Some((before, all)) if before.id == by.id => *all = all.clone().followed_by(words),
                _ => said_by.push((by, words.clone())),
            }
        }
        let shared = said_by.iter().filter(|_| key.is_shared());
        let spoken = shared.map(|(by, words)| Spoken::new(by, words)).collect();
        let speaker = |(by, _): &(&Caller, ChatText)| MentionedPerson { id: by.id, name: by.name.clone() };
        let speakers = said_by.iter().map(speaker).collect();
        let words = said_by.into_iter().map(|(_, words)| words).reduce(|all, words| all.followed_by(&words))?;
        let messages = said.iter().filter(|said| said.goes_on.is_none() && place != Place::Console);
        let questions = messages.flat_map(|said| match said.came_with.asked_again.as_slice() {
            [] => std::slice::from_ref(&said.event),
            asked_again => asked_again,
        });
        let questions = questions.map(|event| event.0).collect();
        let came_with = said.into_iter().map(|said| said.came_with).collect();
        Some(Self { words, spoken, speakers, questions, goes_on_from: Vec::new(), came_with })
    }

    /// Returns the people and channels that a reply may mention. These are the mentions shown to the model, the
    /// speakers, and the people they mention. A console allows no mentions.
    pub(in crate::chat) fn mentionable(&self, shown: Mentionable, asker: &TurnCaller<'_>) -> Mentionable {
        if asker.place == Place::Console {
            return Mentionable::default();
        }
        let mentioned = self.came_with.iter().flat_map(|with| &with.mentioned);
        shown.with_people(mentioned.chain(&self.speakers).cloned().collect())
    }
}

/// The context that the model gets with the words.
#[derive(Default)]
pub(in crate::chat) struct Context {
    pub(in crate::chat) names: PlaceNames,
    pub(in crate::chat) around: Surroundings,
}

impl Chat {
    /// Looks up the surroundings of the words. Anything that cannot be read is named as such; nothing fails.
    pub(in crate::chat) async fn gather(
        &self,
        key: &ConversationKey,
        heard: &Heard,
        asker: &TurnCaller<'_>,
        source: Option<&dyn ContextSource>,
    ) -> Context {
        let names = async {
            match source {
                Some(source) => timeout(WITHIN, source.names()).await.unwrap_or_default(),
                None => PlaceNames::default(),
            }
        };
        let around = async {
            let mut quoted: Vec<Quoted> = heard.came_with.iter().flat_map(|with| &with.quoted).cloned().collect();
            quoted.truncate(QUOTED_MAX);
            let chain = self.follow(&mut quoted, key, source);
            if timeout(WITHIN, chain).await.is_err() {
                warn!("a chain of replies was not read to its end in time");
            }
            let own = heard.came_with.iter().flat_map(|with| &with.files);
            let theirs = quoted.iter().flat_map(|quoted| match quoted {
                Quoted::Message(message) => message.files.as_slice(),
                Quoted::Gone => &[],
            });
            let files: Vec<_> = own.chain(theirs).take(FILES_NAMED_MAX).collect();
            let sees = files.iter().any(|file| is_picture(file)) && self.sees(key, asker).await;
            let files = self.read(&files, sees, source).await;
            let unseen = heard.came_with.iter().flat_map(|with| &with.unseen);
            let unseen = unseen.map(|thing| shortened(thing, NAME_LENGTH_MAX)).collect();
            let is_asked_again = heard.came_with.iter().any(|with| !with.asked_again.is_empty());
            Surroundings { quoted, files, unseen, is_asked_again }
        };
        let (names, around) = tokio::join!(names, around);
        Context { names, around }
    }

    async fn sees(&self, key: &ConversationKey, asker: &TurnCaller<'_>) -> bool {
        let Some(client) = self.model.as_deref() else { return false };
        let here = self.talker.places.at(asker.place, &asker.rights.rules);
        match self.talker.candidates(key, &here).await {
            Ok(models) => match models.first() {
                Some(model) => self.talker.modes.sees(&model.name, client).await,
                None => false,
            },
            // The turn reports the failure.
            Err(_) => false,
        }
    }

    /// Reads the selected files, all at once. `sees`: whether pictures are read.
    async fn read(&self, files: &[&AttachedFile], sees: bool, source: Option<&dyn ContextSource>) -> Vec<ReadFile> {
        let mut n_texts = 0;
        let mut n_pictures = 0;
        let reading = files.iter().map(|&file| {
            let is_picture = is_picture(file);
            let (unread, n_read) = match is_picture {
                true if !sees => (Some(Unread::Image), &mut n_pictures),
                true => (unread_picture(file, n_pictures), &mut n_pictures),
                false => (unread(file, n_texts), &mut n_texts),
            };
            *n_read += usize::from(unread.is_none());
            async move {
                let content = match (unread, source) {
                    (Some(why), _) => Err(why),
                    (None, None) => Err(Unread::Unreachable),
                    (None, Some(source)) if is_picture => {
                        let read = timeout(WITHIN, self.pictures.read(file, source)).await;
                        read.unwrap_or(Err(Unread::Late)).map(FileContent::Picture)
                    }
                    (None, Some(source)) => {
                        let read = timeout(WITHIN, source.file(file)).await;
                        read.unwrap_or(Err(Unread::Unreachable)).map(FileContent::Text)
                    }
                };
                ReadFile { file: file.clone(), content: content.unwrap_or_else(FileContent::Unread) }
            }
        });
        join_all(reading.collect::<Vec<_>>()).await
    }

    /// Follows the chain of replies upwards. Stops at a cycle, and at messages that the conversation already holds.
    async fn follow(&self, quoted: &mut Vec<Quoted>, key: &ConversationKey, source: Option<&dyn ContextSource>) {
        let mut seen = HashSet::new();
        loop {
            let Some(Quoted::Message(last)) = quoted.last_mut() else { return };
            if !seen.insert(last.id) || self.is_known(last, key).await {
                last.text = shortened(&last.text, KNOWN_LENGTH_MAX);
                return;
            }
            let (Some(next), Some(source)) = (last.replies_to, source) else { return };
            if QUOTED_MAX <= quoted.len() || seen.contains(&next) {
                return;
            }
            quoted.push(source.message(next).await);
        }
    }

    /// Whether a message is a reply in this conversation.
    async fn is_known(&self, message: &QuotedMessage, key: &ConversationKey) -> bool {
        if message.by != QuotedAuthor::Itself {
            return false;
        }
        match self.turns.turn_of_message(message.id.0).await {
            Ok(turn) => turn.is_some_and(|turn| ConversationKey::of_turn(&turn) == *key),
            Err(problem) => {
                warn!(error = %problem, "whose reply a message is cannot be looked up");
                false
            }
        }
    }
}
