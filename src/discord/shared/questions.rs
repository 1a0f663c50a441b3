//! Questions that wait for a person's click.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use crate::custom_id::{Decision, QuestionId};
use crate::gate::AT_ONCE_MAX;
use candor_core::inbound::{Caller, EventId, UserId};

/// The maximum of open questions. Each belongs to a message that holds its slot as long, so no more are needed.
const QUESTIONS_MAX: usize = AT_ONCE_MAX;

#[derive(Default)]
pub(crate) struct Questions(Mutex<OpenQuestions>);

#[derive(Default)]
struct OpenQuestions {
    waiting: BTreeMap<QuestionId, PendingQuestion>,
    n_asked: u64,
}

struct PendingQuestion {
    asked: UserId,
    answer: oneshot::Sender<Pressed>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pressed {
    /// The person, with the roles and permissions of that moment.
    pub(crate) by: Caller,
    /// The interaction.
    pub(crate) press: EventId,
    pub(crate) decision: Decision,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Click {
    /// It answered the question. No other click can.
    Decided,
    NotTheirs,
    /// The question was answered before, is too old, or is from before a restart.
    Closed,
}

impl Questions {
    /// Opens a question to this person about this message. `None` if there is no room, or if they have an open one
    /// already: one person must not take every slot with unanswered questions.
    pub(crate) fn open(&self, message: u64, asked: UserId) -> Option<(QuestionId, oneshot::Receiver<Pressed>)> {
        let mut open = self.lock();
        let is_asked = open.waiting.values().any(|waiting| waiting.asked == asked);
        if is_asked || QUESTIONS_MAX <= open.waiting.len() {
            return None;
        }
        open.n_asked += 1;
        let id = QuestionId { message, number: open.n_asked };
        let (answer, answered) = oneshot::channel();
        open.waiting.insert(id, PendingQuestion { asked, answer });
        Some((id, answered))
    }

    /// Handles a click. The click that removes the question from the list decides it, so it is decided once.
    pub(crate) fn click(&self, id: QuestionId, by: &Caller, press: EventId, decision: Decision) -> Click {
        let mut open = self.lock();
        match open.waiting.get(&id) {
            None => return Click::Closed,
            Some(waiting) if waiting.asked != by.id => return Click::NotTheirs,
            Some(_) => {}
        }
        let pressed = Pressed { by: by.clone(), press, decision };
        let sent = open.waiting.remove(&id).map(|waiting| waiting.answer.send(pressed));
        if matches!(sent, Some(Ok(()))) { Click::Decided } else { Click::Closed }
    }

    /// Closes a question after its timeout. An earlier click counts: it has removed the question.
    pub(crate) fn close(&self, id: QuestionId) {
        self.lock().waiting.remove(&id);
    }

    fn lock(&self) -> MutexGuard<'_, OpenQuestions> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALICE: UserId = UserId(1);
    const PRESS: EventId = EventId(5);

    fn person(id: UserId) -> Caller {
        Caller::new(id, "somebody")
    }

    #[test]
    fn only_the_person_asked_decides_and_only_once() {
        let questions = Questions::default();
        let (id, mut answered) = questions.open(7, ALICE).unwrap();
        assert_eq!(questions.click(id, &person(UserId(2)), PRESS, Decision::Confirm), Click::NotTheirs);
        assert!(answered.try_recv().is_err());
        assert_eq!(questions.click(id, &person(ALICE), PRESS, Decision::Decline), Click::Decided);
        assert_eq!(questions.click(id, &person(ALICE), PRESS, Decision::Confirm), Click::Closed);
        assert_eq!(answered.try_recv(), Ok(Pressed { by: person(ALICE), press: PRESS, decision: Decision::Decline }));
    }

    #[test]
    fn what_is_closed_or_was_never_open_decides_nothing() {
        let questions = Questions::default();
        let (id, mut answered) = questions.open(7, ALICE).unwrap();
        questions.close(id);
        assert_eq!(questions.click(id, &person(ALICE), PRESS, Decision::Confirm), Click::Closed);
        assert!(answered.try_recv().is_err());
        let (dropped, answered) = questions.open(7, ALICE).unwrap();
        drop(answered);
        assert_eq!(questions.click(dropped, &person(ALICE), PRESS, Decision::Confirm), Click::Closed);
        assert_eq!(
            questions.click(QuestionId { message: 7, number: 99 }, &person(ALICE), PRESS, Decision::Confirm),
            Click::Closed
        );
    }

    #[test]
    fn there_is_room_for_so_many_and_room_comes_back() {
        let questions = Questions::default();
        let held: Vec<_> = (100..164).map(|person| questions.open(person, UserId(person)).unwrap()).collect();
        assert!(questions.open(999, ALICE).is_none());
        questions.close(held[0].0);
        assert!(questions.open(999, ALICE).is_some());
    }

    #[test]
    fn a_person_has_one_question_at_a_time_and_others_have_theirs() {
        let questions = Questions::default();
        let (id, _answered) = questions.open(7, ALICE).unwrap();
        assert!(questions.open(8, ALICE).is_none());
        assert!(questions.open(8, UserId(2)).is_some());
        assert_eq!(questions.click(id, &person(ALICE), PRESS, Decision::Decline), Click::Decided);
        let (id, _answered) = questions.open(8, ALICE).unwrap();
        questions.close(id);
        assert!(questions.open(9, ALICE).is_some());
    }
}
