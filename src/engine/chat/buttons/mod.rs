//! Buttons and context menu of a reply: stop it, continue it, run offered commands, show the model's text, ask its
//! question again, and delete it.

#[cfg(test)]
mod tests;

use tracing::{info, warn};

use crate::chat::Chat;
use crate::chat::queue::{Said, Stop};
use candor_core::agent::ConversationKey;
use candor_core::contract::{Press, ServiceError};
use candor_core::inbound::{Caller, CommandPath, CommandType, EventId, Place};
use candor_core::language::{Language, say};
use candor_core::record::{GuardFinding, KeptTurn, Outcome, ReplyButton, TurnId, TurnRecord};
use candor_core::reply::{Answer, Author, PreparedCall, Provenance};
use candor_core::text::{in_code_block, in_code_span, one_line, utf16_length, visible};

/// An offered command whose button was pressed, until its run ended.
#[derive(Debug, PartialEq, Eq)]
pub struct Taken {
    turn: TurnId,
    /// The used button of a command that changes something. It is released only if the run certainly did nothing.
    used: Option<ReplyButton>,
}

impl Taken {
    /// Whether the command changes something: then it can be claimed once.
    pub fn is_change(&self) -> bool {
        self.used.is_some()
    }
}

impl Chat {
    /// Claims the command offered at this place under the reply of that turn, for the person of the turn. It then runs
    /// like every command. A complete command that changes something can be claimed once.
    ///
    /// # Errors
    /// Returns a text for the person, if there is nothing to run.
    pub async fn offered(&self, turn: TurnId, place: usize, caller: &Caller) -> Result<(PreparedCall, Taken), String> {
        let language = caller.language;
        if self.access.is_blocked(caller) {
            return Err(say!(language, "run-blocked"));
        }
        let unusable = |problem| {
            warn!(error = %problem, "cannot read or claim a turn");
            say!(language, "run-store")
        };
        let kept = self.turns.turn(turn).await.map_err(unusable)?;
        let Some(kept) = kept.filter(|kept| kept.user == caller.id) else {
            return Err(say!(language, "run-not-theirs"));
        };
        let Some(mut offer) = kept.record.offers.into_iter().nth(place) else {
            return Err(say!(language, "run-nothing"));
        };
        let private = self.talker.private_offers.of(turn, place, self.executor.clock.now());
        offer.arguments.extend(private.unwrap_or_default().0);
        let names: Vec<_> = offer.command.trim_start_matches('/').split(' ').collect();
        let path = CommandPath::at(CommandType::Slash, &names);
        let registry = self.executor.registry.now();
        let leaf = registry.find(&path).map(|(_, leaf)| leaf);
        let is_whole = leaf.is_some_and(|leaf| leaf.press(&offer.arguments) == Press::Runs);
        let used = (offer.writes && is_whole).then_some(ReplyButton::Offer(place));
        if let Some(button) = used
            && !self.turns.claim_button(turn, button).await.map_err(unusable)?
        {
            return Err(say!(language, "run-before"));
        }
        Ok((
            PreparedCall { path, arguments: offer.arguments, in_place: false, once: offer.writes, for_everyone: false },
            Taken { turn, used },
        ))
    }

    /// Ends the run of a claimed command. If it certainly did nothing, it can be claimed again.
    pub async fn offered_ended(&self, taken: Taken, answer: Option<&Answer>) {
        let outcome = answer.and_then(|answer| match &answer.provenance {
            Provenance::Command(receipt) => Some(receipt.facts().outcome),
            Provenance::Turn(_) | Provenance::Host => None,
        });
        if matches!(outcome, Some(Outcome::Done | Outcome::Answered)) {
            self.executor.counters.findings.count(GuardFinding::Recovered);
        }
        if let Some(button) = taken.used
            && matches!(outcome, None | Some(Outcome::Refused | Outcome::Asked))
        {
            self.release(taken.turn, button).await;
        }
    }

    /// Makes a button usable again after a press without effect.
    pub(in crate::chat) async fn release(&self, turn: TurnId, button: ReplyButton) {
        if let Err(problem) = self.turns.release_button(turn, button).await {
            warn!(error = %problem, button = button.key(), "a button that did nothing cannot be used again");
        }
    }
}

/// A reply, identified by the chosen message or the pressed button.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplyRef {
    Message(u64),
    Turn(TurnId),
}

impl Chat {
    /// Returns the messages that a reply answered, so that the same person can ask them again with their own rights.
    ///
    /// # Errors
    /// Returns a text for the person, if they may not, or if there are no messages.
    pub async fn questions(&self, reply: ReplyRef, caller: &Caller) -> Result<Vec<EventId>, String> {
        let language = caller.language;
        let kept = self.reply(reply, caller).await?;
        if kept.user != caller.id {
            return Err(say!(language, "ask-again-not-theirs"));
        }
        match kept.record.questions.as_slice() {
            [] => Err(say!(language, "ask-again-nothing")),
            questions => Ok(questions.iter().map(|&id| EventId(id)).collect()),
        }
    }

    /// Returns the messages that show a reply, so that they can be deleted or changed. Allowed for the person who asked
    /// and for operators. Commands that ran in the turn are not undone.
    ///
    /// # Errors
    /// Returns a text for the person, if they may not, or if the turn is unknown.
    pub async fn to_change(&self, reply: ReplyRef, caller: &Caller, place: Place) -> Result<Vec<u64>, String> {
        let language = caller.language;
        let kept = self.reply(reply, caller).await?;
        if kept.user != caller.id && !self.access.is_operator(caller, place) {
            return Err(say!(language, "reply-not-theirs"));
        }
        let messages = self.turns.messages_of(kept.id).await.map_err(|problem| unreadable(&problem, language))?;
        info!(user.id = %caller.id.0, turn = kept.id.0, "a reply is deleted or changed");
        Ok(messages)
    }

    /// Returns the turn of a reply, unless the caller is blocked.
    async fn reply(&self, reply: ReplyRef, caller: &Caller) -> Result<KeptTurn, String> {
        let language = caller.language;
        if self.access.is_blocked(caller) {
            return Err(say!(language, "chat-blocked"));
        }
        let kept = match reply {
            ReplyRef::Message(message) => self.turns.turn_of_message(message).await,
            ReplyRef::Turn(turn) => self.turns.turn(turn).await,
        };
        kept.map_err(|problem| unreadable(&problem, language))?.ok_or_else(|| say!(language, "said-none"))
    }
}

fn unreadable(problem: &ServiceError, language: Language) -> String {
    warn!(error = %problem, "cannot read a turn");
    say!(language, "said-store")
}

/// The most of the reply, and of each result, that is shown, in UTF-16 units.
const SAID_SHOWN_MAX: usize = 12_000;
const RESULT_SHOWN_MAX: usize = 1_000;

impl Chat {
    /// Returns the model's text of the turn whose reply this message shows, as code, so that nothing of it is rendered.
    /// Allowed for the person of the turn and for operators.
    pub async fn said(&self, message: u64, caller: &Caller, place: Place) -> String {
        let language = caller.language;
        // Applies to a blocked operator too.
        if self.access.is_blocked(caller) {
            return say!(language, "chat-blocked");
        }
        let kept = match self.turns.turn_of_message(message).await {
            Ok(Some(kept)) => kept,
            Ok(None) => return say!(language, "said-none"),
            Err(problem) => {
                warn!(error = %problem, "cannot read a turn");
                return say!(language, "said-store");
            }
        };
        if kept.user != caller.id && !self.access.is_operator(caller, place) {
            return say!(language, "said-not-theirs");
        }
        let record = kept.record;
        let mut text = match record.said.trim() {
            "" => say!(language, "said-nothing"),
            said => format!("{}\n{}", say!(language, "said-title"), as_code(said, SAID_SHOWN_MAX)),
        };
        // Results of commands may be for their person only.
        let is_theirs = kept.user == caller.id;
        let results = record.calls.iter().filter(|call| is_theirs && !call.result.is_empty());
        let results: Vec<_> = results
            .map(|call| format!("{}\n{}", in_code_span(&call.tool), as_code(&call.result, RESULT_SHOWN_MAX)))
            .collect();
        if !results.is_empty() {
            text.push_str(&format!("\n{}\n{}", say!(language, "said-results"), results.join("\n")));
        }
        text
    }
}

/// Formats text as a code block of at most about `max` UTF-16 units, in whole lines.
fn as_code(text: &str, max: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut left = max;
    for line in text.lines() {
        if left == 0 {
            lines.push("…".to_owned());
            break;
        }
        let line = visible(&line.replace('\t', "    "), left);
        left = left.saturating_sub(utf16_length(&line) + 1);
        lines.push(line);
    }
    in_code_block(&lines.join("\n"))
}

/// The most characters shown of a person's name.
const NAME_MAX: usize = 40;

/// A reply cannot be continued after this many failed turns.
const FAILED_MAX: usize = 10;

impl Chat {
    /// Ends the turn of this event with the text so far. Allowed for its person and for operators.
    ///
    /// # Errors
    /// Returns a text for the person, if nothing is ended.
    pub fn stop(&self, event: EventId, caller: &Caller, place: Place) -> Result<(), String> {
        let language = caller.language;
        if self.access.is_blocked(caller) {
            return Err(say!(language, "press-blocked"));
        }
        let Some(running) = self.talker.queues.running(event) else {
            return Err(say!(language, "stop-over"));
        };
        if running.user != caller.id && !self.access.is_operator(caller, place) {
            return Err(say!(language, "stop-not-theirs"));
        }
        info!(user.id = %caller.id.0, "a turn was stopped");
        running.stop(Stop::Pressed(one_line(&caller.name, NAME_MAX)));
        Ok(())
    }

    /// Claims *Go on* once for a reply that was cut off, for the person of the turn. The claim is released if the model
    /// then adds nothing.
    ///
    /// # Errors
    /// Returns a text for the person, if the claim fails.
    pub async fn go_on(&self, turn: TurnId, caller: &Caller) -> Result<(), String> {
        let language = caller.language;
        if self.access.is_blocked(caller) {
            return Err(say!(language, "press-blocked"));
        }
        let kept = self.cut_turn(turn, caller).await?;
        if !self.turns.claim_button(turn, ReplyButton::GoOn).await.map_err(|problem| unusable(problem, language))? {
            return Err(say!(language, "go-on-before"));
        }
        let is_last = self.is_last(&kept, language).await;
        if is_last.is_err() {
            self.release(turn, ReplyButton::GoOn).await;
        }
        is_last
    }

    /// Checks whether the model can still continue that reply. Check again when the continuing turn begins, because
    /// another turn may have ended meanwhile.
    ///
    /// # Errors
    /// Returns a text for the person, if it cannot, or if that is unknown.
    pub(in crate::chat) async fn can_go_on(&self, turn: TurnId, caller: &Caller) -> Result<(), String> {
        let kept = self.cut_turn(turn, caller).await?;
        self.is_last(&kept, caller.language).await
    }

    async fn cut_turn(&self, turn: TurnId, caller: &Caller) -> Result<KeptTurn, String> {
        let kept = self.turns.turn(turn).await.map_err(|problem| unusable(problem, caller.language))?;
        kept.filter(|kept| kept.user == caller.id && kept.record.cut.is_some())
            .ok_or_else(|| say!(caller.language, "go-on-nothing"))
    }

    /// Checks that nothing was said or done in the conversation since: the model continues its last words.
    async fn is_last(&self, kept: &KeptTurn, language: Language) -> Result<(), String> {
        let unusable = |problem| unusable(problem, language);
        // A forgotten conversation cannot be continued.
        let key = ConversationKey::of_turn(kept);
        if self.conversations.n_exchanges(&key).await.map_err(unusable)? == 0 {
            return Err(say!(language, "go-on-nothing"));
        }
        // A turn that failed, or that was stopped before the first word, does not count.
        let is_nothing = |record: &TurnRecord| {
            (record.failure.is_some() || record.said.is_empty())
                && record.calls.iter().all(|call| call.receipt.is_none())
        };
        let of = (!key.is_shared()).then_some(kept.user);
        let later = self.turns.turns_after(kept.id, of, kept.place, FAILED_MAX).await.map_err(unusable)?;
        match later.len() < FAILED_MAX && later.iter().all(|later| is_nothing(&later.record)) {
            true => Ok(()),
            false => Err(say!(language, "go-on-over")),
        }
    }

    /// Separates the words for the model from presses whose reply is no longer the last in the conversation. The second
    /// value holds the reasons for those.
    pub(in crate::chat) async fn still_said(&self, said: Vec<Said>) -> (Vec<Said>, Vec<String>) {
        let mut still = Vec::with_capacity(said.len());
        let mut unsaid = Vec::new();
        for said in said {
            let can_be_said = match said.goes_on {
                Some(turn) => self.can_go_on(turn, &said.by).await,
                None => Ok(()),
            };
            match can_be_said {
                Ok(()) => still.push(said),
                Err(why) if unsaid.contains(&why) => {}
                Err(why) => unsaid.push(why),
            }
        }
        (still, unsaid)
    }

    /// Returns the messages that the continued replies had answered. Empty without summaries, which alone need them.
    pub(in crate::chat) async fn goes_on_from(&self, said: &[Said]) -> Vec<u64> {
        let mut messages = Vec::new();
        for turn in said.iter().filter_map(|said| said.goes_on).filter(|_| self.talker.summaries.is_some()) {
            match self.turns.turn(turn).await {
                Ok(kept) => messages.extend(kept.into_iter().flat_map(|kept| kept.record.answered())),
                Err(problem) => warn!(error = %problem, "could not read the question of the reply to go on with"),
            }
        }
        messages.sort_unstable();
        messages.dedup();
        messages
    }

    /// Ends a turn that was to continue these replies. If the model added nothing, the buttons stay usable.
    pub(in crate::chat) async fn gone_on(&self, turns: &[TurnId], answer: Option<&Answer>) {
        let said_more = answer.is_some_and(|answer| match &answer.provenance {
            Provenance::Turn(facts) => facts.author == Author::Model,
            Provenance::Command(_) | Provenance::Host => false,
        });
        if !said_more {
            for turn in turns {
                self.release(*turn, ReplyButton::GoOn).await;
            }
        }
    }
}

fn unusable(problem: ServiceError, language: Language) -> String {
    warn!(error = %problem, "cannot read or claim a turn");
    say!(language, "run-store")
}

#[cfg(test)]
mod said_tests {
    use super::as_code;

    #[test]
    fn lines_stay_lines_and_nothing_ends_the_block() {
        assert_eq!(as_code("one\n\ttwo\n```\nsta\u{202e}tus", 100), "```\none\n    two\nˋˋˋ\nsta\\u{202e}tus\n```");
    }

    #[test]
    fn a_long_text_is_cut_with_a_note() {
        assert_eq!(as_code("one\ntwo\nthree", 4), "```\none\n…\n```");
        let cut = as_code(&"x".repeat(5_000), 100);
        assert!(cut.contains("… (cut: ") && cut.len() < 300, "{cut}");
    }
}
