//! The surface of a chat turn that began with a message: shows what runs, and asks before something changes.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

use serenity::all::{MessageId, Typing};
use serenity::async_trait;
use tokio::sync::oneshot::Receiver;
use tokio::sync::{Mutex, OnceCell, watch};
use tokio::time::{Instant, timeout};
use tracing::{info, warn};

use crate::edges::discord::custom_id::{Decision, QuestionId, Signer};
use crate::edges::discord::messages::draft::Draft;
use crate::edges::discord::messages::target::ReplyTarget;
use crate::edges::discord::render::button;
use crate::edges::discord::render::posts::{Post, posts, replying};
use crate::edges::discord::render::turn_text::SMALL;
use crate::edges::discord::rest::{RequestError, Rest, SendError, patiently};
use crate::edges::discord::shared::Shared;
use crate::edges::discord::shared::questions::Pressed;
use crate::host::OpenReply;
use candor_core::agent::tools::{Confirmation, Question, Surface};
use candor_core::inbound;
use candor_core::language::{Language, say};
use candor_core::reply::{Answer, Audience, Provenance};
use candor_core::text::{in_code_block, visible};

/// Discord takes five rows of components, and one is for the button below a folded answer.
const ROWS_BESIDE_BUTTON: usize = 4;

/// How much of a command is shown in a question, in UTF-16 units: the whole question fits a message.
const COMMAND_SHOWN_MAX: usize = 1_500;

/// The channel of one message, while it is answered.
pub(crate) struct ChannelSurface<'a> {
    rest: &'a Rest,
    pub(super) shared: &'a Shared,
    pub(super) target: ReplyTarget,
    /// The reply that the model is writing.
    pub(super) draft: watch::Sender<Draft>,
    /// The messages that show what is under way, in order.
    pub(super) shown: Mutex<Vec<Shown>>,
    /// A message that shows what is under way and may have arrived, though its request failed.
    pub(super) doubtful: Mutex<Option<Doubtful>>,
    /// How many messages showed what is under way: each has a nonce of its own.
    n_progress: AtomicU32,
    /// The question that waits for a click, and its text.
    question: Mutex<Option<ShownQuestion>>,
    /// A turn is under way: what is sent is not the whole reply.
    is_growing: AtomicBool,
    /// Whether the reply is stored as one that is being written, once it was tried.
    is_open: OnceCell<bool>,
}

/// A message that shows what is under way.
pub(crate) struct Shown {
    pub(super) id: MessageId,
    /// The words in it, with their label; none if it says what runs.
    pub(super) words: Option<String>,
}

/// A message that may have arrived.
pub(super) struct Doubtful {
    pub(super) post: Post,
    /// The end of its nonce.
    pub(super) part: String,
    pub(super) link: Link,
}

/// Why a question was not answered.
#[derive(Clone, Copy)]
enum Unanswered {
    InTime,
    Leaving,
    Stopped,
}

impl<'a> ChannelSurface<'a> {
    pub(crate) fn new(rest: &'a Rest, shared: &'a Shared, target: ReplyTarget) -> Self {
        Self {
            rest,
            shared,
            target,
            draft: watch::Sender::default(),
            shown: Mutex::default(),
            doubtful: Mutex::default(),
            n_progress: AtomicU32::new(0),
            question: Mutex::default(),
            is_growing: AtomicBool::new(false),
            is_open: OnceCell::new(),
        }
    }

    /// Signs components for whoever asked.
    pub(crate) fn signer(&self) -> Signer<'_> {
        self.shared.custom_ids.for_person(self.target.person, SystemTime::now())
    }

    /// Shows that whoever is asked types.
    pub(crate) fn typing(&self, rest: &Rest) -> Typing {
        self.target.channel.start_typing(rest)
    }

    /// Nothing more grows. Returns the messages that showed what was under way, to be reused.
    pub(crate) async fn end(&self) -> Vec<MessageId> {
        if let Some(ShownQuestion { message, post, part, text }) = self.question.lock().await.take() {
            // If it was still being sent, it may have arrived: the same nonce finds it, or sends it.
            let found = match message {
                Some(id) => Ok(id),
                None => self.send(&post, &part, Link::Reply).await,
            };
            if let Ok(id) = found {
                self.show_end(id, &text, Unanswered::Stopped).await;
            }
        }
        self.take_shown().await
    }

    /// The turn is over.
    pub(crate) fn over(&self) {
        self.is_growing.store(false, Ordering::Relaxed);
        self.draft.send_replace(Draft::Over);
    }

    async fn take_shown(&self) -> Vec<MessageId> {
        let mut shown = self.shown.lock().await;
        self.settle(&mut shown).await;
        shown.drain(..).map(|shown| shown.id).collect()
    }

    /// Finds the message that may have arrived, so that it does not say for ever that something is under way: with the
    /// same nonce Discord returns it, or creates it now.
    async fn settle(&self, shown: &mut Vec<Shown>) {
        let mut doubtful = self.doubtful.lock().await;
        let Some(Doubtful { post, part, link }) = &*doubtful else { return };
        let sent = self.send(post, part, *link).await;
        *doubtful = None;
        if let Ok(id) = sent {
            self.next_part("g");
            shown.push(Shown { id, words: None });
        }
    }

    /// Sends a message for what was asked. With the same nonce, Discord creates no second message; a reply says which
    /// message it is about.
    pub(crate) async fn send(&self, post: &Post, part: &str, link: Link) -> Result<MessageId, SendError> {
        let sent = patiently(|| self.send_once(post, part, link)).await;
        sent.map_err(|problem| self.report(&problem, "could not send a message"))
    }

    pub(super) async fn send_once(&self, post: &Post, part: &str, link: Link) -> Result<MessageId, RequestError> {
        let body = post.created(self.target.event, part);
        let body = match link {
            Link::Reply => replying(body, (self.target.channel, self.target.message)),
            Link::None => body,
        };
        let is_open = self.is_growing.load(Ordering::Relaxed) && *self.is_open.get_or_init(|| self.begins()).await;
        if is_open && let Err(problem) = self.shared.open_replies.reply_sends(self.target.event, part).await {
            warn!(error = %problem, "a message of a reply could not be stored");
        }
        let id = self.rest.post(self.target.channel, post.files(), &body).await?.id;
        if is_open && let Err(problem) = self.shared.open_replies.reply_shows(self.target.event, id.get()).await {
            warn!(error = %problem, "a message of a reply could not be stored");
        }
        Ok(id)
    }

    /// Stores that a reply is being written, until [`Self::is_whole`]: it says so if the bot ends in the middle of it.
    /// Whether it is stored.
    async fn begins(&self) -> bool {
        let target = &self.target;
        let reply = OpenReply {
            event: target.event,
            channel: inbound::ChannelId(target.channel.get()),
            question: target.message.get(),
            messages: Vec::new(),
            in_doubt: None,
            began: SystemTime::now(),
            language: self.shared.language(),
        };
        let stored = self.shared.open_replies.reply_begins(&reply).await;
        if let Err(problem) = &stored {
            warn!(error = %problem, "a reply that begins could not be stored");
        }
        stored.is_ok()
    }

    /// The reply is whole, or says why it is not.
    pub(super) async fn is_whole(&self) {
        if self.is_open.get() == Some(&true)
            && let Err(problem) = self.shared.open_replies.reply_is_over(self.target.event).await
        {
            warn!(error = %problem, "a reply that is whole is still stored as open");
        }
    }

    pub(super) async fn edit_once(&self, id: MessageId, post: &Post) -> Result<(), RequestError> {
        self.rest.edit(self.target.channel, id, &post.edited(), post.files()).await
    }

    /// Edits a message of ours in this channel.
    pub(crate) async fn edit(&self, id: MessageId, post: &Post) -> Result<(), SendError> {
        let edited = patiently(|| self.edit_once(id, post)).await;
        edited.map_err(|problem| self.report(&problem, "could not change a message"))
    }

    /// Deletes a message of ours. If that fails it stays: nothing depends on it.
    pub(crate) async fn delete(&self, id: MessageId) {
        if let Err(problem) = patiently(|| self.rest.delete(self.target.channel, id)).await {
            self.report(&problem, "could not delete a message");
        }
    }

    fn report(&self, problem: &RequestError, what: &'static str) -> SendError {
        warn!(channel.id = self.target.channel.get(), error = %problem, "{what}");
        SendError::of(problem)
    }

    /// The end of a nonce, different for each message of this turn.
    pub(super) fn next_part(&self, kind: &str) -> String {
        format!("{kind}{}", self.n_progress.fetch_add(1, Ordering::Relaxed))
    }

    /// The same for a growing message, until [`Self::next_part`]: one that failed may have arrived.
    pub(super) fn growing_part(&self) -> String {
        format!("g{}", self.n_progress.load(Ordering::Relaxed))
    }

    /// A command's answer as it is shown here, and the receipt and label of a button for what is not. An answer for one
    /// person is not shown to others, and a long one is folded; both are kept for `/receipt`. If that fails, a long one
    /// is shown whole, and one for one person not at all: `None`.
    async fn presented(&self, answer: &Answer) -> Option<(Answer, Option<(String, String)>)> {
        let language = self.shared.language();
        let whole = || Some((answer.clone(), None));
        let Provenance::Command(receipt) = &answer.provenance else { return whole() };
        let is_public = self.target.guild.is_some();
        let is_private = is_public && self.shared.dispatcher.is_for_one(answer);
        let (shown, label) = if is_private {
            let person = format!("<@{}>", self.target.person);
            let command = receipt.facts().command.as_str();
            let line = say!(language, "note-private", person = person, command = command);
            (answer.clone().withheld(line).shown_to(Audience::Place), say!(language, "button-show"))
        } else if let Some(folded) = answer.folded(ROWS_BESIDE_BUTTON, language) {
            (folded, say!(language, "button-show-all"))
        } else {
            return whole();
        };
        match self.shared.dispatcher.keep(answer).await {
            true => Some((shown, Some((receipt.id().to_string(), label)))),
            false if is_private => None,
            false => whole(),
        }
    }

    /// Waits for the click, until the time for it is over or the bot shuts down.
    async fn wait_for(&self, answered: &mut Receiver<Pressed>) -> Result<Pressed, Unanswered> {
        tokio::select! {
            biased;
            choice = timeout(self.shared.settings.chat.confirm_within, answered) => match choice {
                Ok(Ok(choice)) => Ok(choice),
                Ok(Err(_)) | Err(_) => Err(Unanswered::InTime),
            },
            () = self.shared.gate.closing() => Err(Unanswered::Leaving),
        }
    }

    /// Shows that a question is closed.
    async fn show_end(&self, id: MessageId, text: &str, why: Unanswered) {
        let end = match why {
            Unanswered::InTime => say!(self.shared.language(), "question-unanswered"),
            Unanswered::Leaving => say!(self.shared.language(), "question-restarting"),
            Unanswered::Stopped => say!(self.shared.language(), "question-stopped"),
        };
        // If it fails, a click on the remaining buttons is answered that they are no longer in use.
        let _shown = self.edit(id, &Post::text(format!("{text}\n{SMALL}{end}"))).await;
    }
}

/// Whether a message is sent as a reply.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Link {
    /// It is a reply.
    Reply,
    /// It follows a message that is a reply.
    None,
}

#[async_trait]
impl Surface for ChannelSurface<'_> {
    fn thinking(&self) {
        self.is_growing.store(true, Ordering::Relaxed);
        self.draft.send_replace(Draft::Thinking(Instant::now()));
    }

    fn writing(&self, text: &str) {
        if text.is_empty() {
            self.draft.send_replace(Draft::Nothing);
        } else if self.shared.settings.chat.stream {
            self.draft.send_replace(Draft::Words(text.to_owned()));
        }
    }

    /// The first message that shows what is under way says what runs.
    async fn running(&self, command: &str) {
        let language = self.shared.language();
        let post = Post::text(format!("{SMALL}{}", say!(language, "running", command = command)));
        let post = match button::stop(self.target.event, self.signer(), language) {
            Some(row) => post.with(row),
            None => post,
        };
        let mut shown = self.shown.lock().await;
        self.settle(&mut shown).await;
        while 1 < shown.len() {
            if let Some(further) = shown.pop() {
                self.delete(further.id).await;
            }
        }
        match shown.first_mut() {
            Some(first) => {
                first.words = None;
                let _shown = self.edit(first.id, &post).await;
            }
            None => {
                let (part, link) = (self.growing_part(), Link::Reply);
                match self.send(&post, &part, link).await {
                    Ok(id) => {
                        self.next_part("g");
                        shown.push(Shown { id, words: None });
                    }
                    Err(SendError::Lost) => *self.doubtful.lock().await = Some(Doubtful { post, part, link }),
                    Err(_) => {}
                }
            }
        }
    }

    /// Shows the answer at once, in place of the message that said what runs: it stands there whatever becomes of the
    /// model's words.
    async fn ran(&self, answer: &Answer) -> bool {
        let Some((shown, more)) = self.presented(answer).await else { return false };
        let language = self.shared.language();
        let mut posts = posts(&shown, &self.shared.mentions, self.signer(), language);
        let Some(mut post) = (!posts.is_empty()).then(|| posts.remove(0)) else { return false };
        if let Some(row) = more.and_then(|(id, label)| button::receipt(&id, &label, self.signer())) {
            post = post.with(row);
        }
        let mut under_way = self.take_shown().await.into_iter();
        let sent = match under_way.next() {
            Some(id) if self.edit(id, &post).await.is_ok() => Ok(id),
            Some(id) => {
                self.delete(id).await;
                self.send(&post, &self.next_part("r"), Link::Reply).await
            }
            None => self.send(&post, &self.next_part("r"), Link::Reply).await,
        };
        for further in under_way {
            self.delete(further).await;
        }
        let mut is_shown = sent.is_ok();
        for post in posts {
            is_shown &= self.send(&post, &self.next_part("r"), Link::None).await.is_ok();
        }
        is_shown
    }

    async fn confirm(&self, question: &Question) -> Confirmation {
        let Some((id, mut answered)) = self.shared.questions.open(self.target.event.0, question.asked) else {
            warn!(user.id = question.asked.0, "a question waits for this person already, or too many do; not asked");
            return Confirmation::Unanswered;
        };
        // The answer goes below the question, so what stands above it cannot become its first part. If the turn is
        // stopped meanwhile, the rest is deleted at its end.
        let mut under_way = self.shown.lock().await;
        self.settle(&mut under_way).await;
        while let Some(last) = under_way.last() {
            self.delete(last.id).await;
            under_way.pop();
        }
        drop(under_way);
        // However this ends, also when the turn is dropped, the question is closed.
        let _open = OpenQuestion { shared: self.shared, id };
        let text = text(question, self.shared.settings.chat.confirm_within, self.shared.language());
        let signer = self.shared.custom_ids.for_person(question.asked, SystemTime::now());
        // Two ids always fit. Without buttons nobody could answer.
        let Some(buttons) = button::answers(id, signer, self.shared.language()) else {
            return Confirmation::Unanswered;
        };
        let post = Post::text(text.clone()).with(buttons);
        // The message's id is part of the nonce, so the number need not be whole.
        let part = format!("q{}", id.number % 1_000);
        let mut shown = ShownQuestion { message: None, post, part, text: text.clone() };
        *self.question.lock().await = Some(shown.clone());
        let Ok(message) = self.send(&shown.post, &shown.part, Link::Reply).await else {
            self.question.lock().await.take();
            return Confirmation::Unanswered;
        };
        shown.message = Some(message);
        *self.question.lock().await = Some(shown);
        let waited = self.wait_for(&mut answered).await;
        self.question.lock().await.take();
        let decided = match waited {
            Ok(choice) => Ok(choice),
            Err(why) => {
                self.shared.questions.close(id);
                // A click that came before the closing decides.
                answered.try_recv().map_err(|_| why)
            }
        };
        info!(user.id = question.asked.0, decided = ?decided.as_ref().ok().map(|choice| choice.decision), "a person was asked");
        match decided {
            Ok(Pressed { by, decision: Decision::Confirm }) => Confirmation::Confirmed(Box::new(by)),
            Ok(Pressed { decision: Decision::Decline, .. }) => Confirmation::Declined,
            Err(why) => {
                self.show_end(message, &text, why).await;
                Confirmation::Unanswered
            }
        }
    }
}

/// The question that waits for an answer.
#[derive(Clone)]
pub(super) struct ShownQuestion {
    /// None while it is being sent.
    message: Option<MessageId>,
    post: Post,
    /// The end of its nonce.
    part: String,
    text: String,
}

/// Closes a question when it is dropped.
struct OpenQuestion<'a> {
    shared: &'a Shared,
    id: QuestionId,
}

impl Drop for OpenQuestion<'_> {
    fn drop(&mut self) {
        self.shared.questions.close(self.id);
    }
}

/// The text of a question, with the command made harmless.
fn text(question: &Question, within: Duration, language: Language) -> String {
    let Question { asked, command } = question;
    format!(
        "{}\n{}\n{}",
        say!(language, "question-asked"),
        in_code_block(&visible(command, COMMAND_SHOWN_MAX)),
        say!(language, "question-confirm", person = format!("<@{asked}>"), seconds = within.as_secs())
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use candor_core::inbound::UserId;

    #[test]
    fn a_question_shows_the_command_as_text_that_ends_no_block_and_hides_nothing() {
        let command = "/files write path: \"a`.txt\" content: \"```\u{202e}<@1>\"".to_owned();
        let question = Question { asked: UserId(5), command };
        let expected = format!(
            "{}\n```\n/files write path: \"aˋ.txt\" content: \"ˋˋˋ\\u{{202e}}<@1>\"\n```\n{}",
            say!(Language::ENGLISH, "question-asked"),
            say!(Language::ENGLISH, "question-confirm", person = "<@5>", seconds = 60)
        );
        assert_eq!(text(&question, Duration::from_secs(60), Language::ENGLISH), expected);
    }

    #[test]
    fn a_long_command_is_cut_with_a_note_and_the_question_fits_a_message() {
        for character in ['x', '😀', '\u{e0041}'] {
            let command = String::from(character).repeat(20_000);
            let text =
                text(&Question { asked: UserId(u64::MAX), command }, Duration::from_secs(600), Language::ENGLISH);
            assert!(text.encode_utf16().count() + 100 < 2_000);
            assert!(text.contains("… (cut: 1") && text.contains(" more characters)\n```"), "{text}");
        }
    }
}
