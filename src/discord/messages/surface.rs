//! Shows the progress of a chat turn in its channel, and asks before something changes.

use std::sync::atomic::Ordering;
use std::time::SystemTime;

use serenity::async_trait;
use tokio::sync::oneshot::Receiver;
use tokio::time::{Instant, timeout};
use tracing::{info, warn};

use crate::custom_id::Decision;
use crate::messages::channel::{ChannelSurface, Doubtful, Draft, Link, Shown};
use crate::messages::question::{self, OpenQuestion, ShownQuestion, Unanswered};
use crate::render::button;
use crate::render::posts::{Post, posts};
use crate::render::turn_text::SMALL;
use crate::rest::{SendError, Standing, is_here, standing};
use crate::shared::questions::Pressed;
use crate::shared::things::AnswerMessage;
use candor_core::agent::surroundings::ContextSource;
use candor_core::agent::tools::{self, Confirmation, Question, Surface};
use candor_core::inbound::{Caller, Member};
use candor_core::language::say;
use candor_core::reply::{Answer, Audience, Provenance};

/// Discord accepts five rows of components, and one is for the button below a folded answer.
const ROWS_BESIDE_BUTTON: usize = 4;

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

    /// Shows the running command in the first progress message.
    async fn running(&self, command: &str) {
        let language = self.language;
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
                let part = self.growing_part();
                let link = Link::Reply;
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
        self.notes(|replies, event| replies.reply_runs(event, command)).await;
    }

    /// Shows the answer at once, in place of the message about the running command. It stays even if the model's words
    /// fail.
    async fn ran(&self, answer: &Answer) -> tools::Shown {
        let receipt = match &answer.provenance {
            Provenance::Command(receipt) => Some(receipt.id()),
            Provenance::Turn(_) | Provenance::Host => None,
        };
        self.notes(|replies, event| replies.reply_ran(event, receipt)).await;
        let Some((shown, more)) = self.presented(answer).await else { return tools::Shown::Nothing };
        let is_part = more.is_some() && !self.shared.dispatcher.executor.is_for_one(answer);
        let language = self.language;
        let mut posts = posts(&shown, &self.shared.mentions, self.signer(), language);
        let Some(mut post) = (!posts.is_empty()).then(|| posts.remove(0)) else { return tools::Shown::Nothing };
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
        if let Ok(id) = sent {
            self.shared.things.update(answer, language, AnswerMessage::Id(id));
        }
        let mut is_shown = sent.is_ok();
        for post in posts {
            is_shown &= self.send(&post, &self.next_part("r"), Link::None).await.is_ok();
        }
        match is_shown {
            false => tools::Shown::Nothing,
            true if is_part => tools::Shown::Part,
            true => tools::Shown::Whole,
        }
    }

    fn context(&self) -> Option<&dyn ContextSource> {
        Some(self)
    }

    async fn member_now(&self, caller: &Caller) -> Option<Member> {
        match standing(&self.shared.rest, caller, self.target.place()).await {
            Standing::Here(caller) => caller.member,
            Standing::Left => None,
            Standing::Unknown => {
                warn!(user.id = %caller.id.0, "a person's permissions are unknown; treating them as none");
                None
            }
        }
    }

    async fn is_here(&self, caller: &Caller) -> bool {
        is_here(&self.shared.rest, caller, self.target.place()).await
    }

    async fn confirm(&self, question: &Question) -> Confirmation {
        let Some((id, mut answered)) = self.shared.questions.open(self.target.event.0, question.asked) else {
            warn!(user.id = %question.asked.0, "a question waits for this person already, or too many do; not asked");
            return Confirmation::Unanswered;
        };
        // The answer goes below the question, so messages above it cannot become its first part. If the turn is stopped
        // meanwhile, the rest is deleted at its end.
        let mut under_way = self.shown.lock().await;
        self.settle(&mut under_way).await;
        while let Some(last) = under_way.last() {
            self.delete(last.id).await;
            under_way.pop();
        }
        drop(under_way);
        // Closes the question on every path, also if the turn is dropped.
        let _open = OpenQuestion { shared: self.shared, id };
        let signer = self.shared.custom_ids.for_person(question.asked, SystemTime::now());
        // Two ids always fit. Without buttons there could be no answer.
        let Some(buttons) = button::answers(id, signer, self.language) else {
            return Confirmation::Unanswered;
        };
        let within = self.shared.settings.chat.confirm_within;
        let (post, text) = question::post(question, within, buttons, self.language);
        // The message's id is part of the nonce, so part of the number is enough.
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
                // A click just before the closing still decides.
                answered.try_recv().map_err(|_| why)
            }
        };
        info!(user.id = %question.asked.0, decided = ?decided.as_ref().ok().map(|choice| choice.decision), "a person was asked");
        match decided {
            Ok(Pressed { by, press, decision: Decision::Confirm }) => {
                Confirmation::Confirmed { by: Box::new(by), press }
            }
            Ok(Pressed { decision: Decision::Decline, .. }) => Confirmation::Declined,
            Err(why) => {
                self.show_end(message, &text, why).await;
                match why {
                    Unanswered::Leaving => Confirmation::Leaving,
                    Unanswered::InTime | Unanswered::Stopped => Confirmation::Unanswered,
                }
            }
        }
    }
}

impl ChannelSurface<'_> {
    /// Returns a command's answer as it is shown here, and the receipt and label of a button for the rest. An answer
    /// for one person is not shown to others, and a long one is folded; both are stored for `/receipt`. If storing
    /// fails, a long answer is shown whole, and one for one person is not shown: `None`.
    async fn presented(&self, answer: &Answer) -> Option<(Answer, Option<(String, String)>)> {
        let language = self.language;
        let whole = || Some((answer.clone(), None));
        let Provenance::Command(receipt) = &answer.provenance else { return whole() };
        let is_public = self.target.guild.is_some();
        let is_private = is_public && self.shared.dispatcher.executor.is_for_one(answer);
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
        match self.shared.dispatcher.executor.keep(answer).await {
            true => Some((shown, Some((receipt.id().to_string(), label)))),
            false if is_private => None,
            false => whole(),
        }
    }

    /// Waits for the click, until the timeout or the shutdown of the bot.
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
}
