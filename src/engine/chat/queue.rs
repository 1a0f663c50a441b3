//! One turn at a time in each conversation: the running turn, and the messages that wait for the next.
//!
//! Messages that arrive while a turn runs are joined, in order, into the next turn. The last message takes over the
//! earlier ones and waits for all, so that a conversation never has more than one waiting task. In a shared
//! conversation, the next turn belongs to the person whose message came last.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::chat::arrivals::{Arrivals, Change};
use candor_core::agent::ConversationKey;
use candor_core::inbound::{Caller, CameWith, EventId, UserId};
use candor_core::language::{Language, say};
use candor_core::record::TurnId;
use candor_core::router::ChatText;

/// The most messages and characters that wait in one conversation. More is not a conversation any more, and would fill
/// the model's context.
pub(super) const MESSAGES_MAX: usize = 10;
pub(super) const CHARACTERS_MAX: usize = 8_000;

/// One person may use this fraction of it in a shared conversation, so that no person can block the others.
pub(super) const SHARE_OF_ONE: usize = 2;

/// The most people who are notified during one turn that too much waits.
const TOLD_MAX: usize = 100;

/// How long a turn may go on at shutdown. Afterwards its text must still be shown and stored before the process ends.
const LEAVES_AFTER: Duration = Duration::from_secs(15);

/// The running turns and the waiting messages. A conversation without a running turn has no entry.
#[derive(Default)]
pub(super) struct TurnQueues {
    queues: Mutex<HashMap<ConversationKey, TurnQueue>>,
    /// The messages that have no place yet. Accessed while `queues` is locked, so that no change is missed.
    pub(super) arrivals: Arc<Arrivals>,
    /// Read-locked while a turn reads its conversation, and write-locked while one is cleared, so that a new turn never
    /// sees words that are being removed.
    pub(super) clearing: tokio::sync::RwLock<()>,
    /// Cancelled at shutdown: then no waiting turn begins.
    pub(super) leaving: CancellationToken,
}

struct TurnQueue {
    running: Arc<RunningTurn>,
    waiting: Option<WaitingMessages>,
    /// The people who were notified that too much waits.
    told: BTreeSet<UserId>,
}

impl TurnQueue {
    /// Drops the waiting messages if the person of the next turn has none among them: a turn has the rights of a person
    /// who speaks in it.
    fn leave_out_absent(&mut self) {
        self.waiting.take_if(|waiting| waiting.said.values().all(|said| said.by.id != waiting.by));
    }
}

struct WaitingMessages {
    /// The event of the waiting task.
    event: EventId,
    /// The person of that event.
    by: UserId,
    /// The messages in the order of sending: events may overtake each other on their way here.
    said: BTreeMap<EventId, Said>,
    begin: oneshot::Sender<Admitted>,
}

/// A message, or the words for *Go on*.
#[derive(Clone, Debug)]
pub(super) struct Said {
    pub(super) event: EventId,
    pub(super) by: Caller,
    pub(super) words: ChatText,
    pub(super) came_with: CameWith,
    /// The turn with the pressed *Go on* button.
    pub(super) goes_on: Option<TurnId>,
}

pub(super) enum Entered {
    Turn(Admitted),
    /// A later message takes it along, the conversation was cleared, or it was deleted on its way.
    Joined,
    /// The queue has no room for it. The person is notified for the first such message.
    TooMuch {
        is_first: bool,
    },
    Leaving {
        /// The dropped messages, including this one.
        unsaid: Vec<Said>,
    },
}

impl TurnQueues {
    /// Waits until no turn runs in the conversation. The message may then be joined with others.
    pub(super) async fn enter(self: &Arc<Self>, key: ConversationKey, said: Said) -> Entered {
        let event = said.event;
        let mut begun = match self.join(&key, said) {
            Ok(begun) => begun,
            Err(entered) => return entered,
        };
        tokio::select! {
            biased;
            () = self.leaving.cancelled() => {
                let mut queues = self.lock();
                let waiting = queues.get_mut(&key).and_then(|queue| {
                    queue.waiting.take_if(|waiting| waiting.event == event)
                });
                let unsaid = waiting.into_iter().flat_map(|waiting| waiting.said.into_values()).collect();
                Entered::Leaving { unsaid }
            }
            begun = &mut begun => begun.map_or(Entered::Joined, Entered::Turn),
        }
    }

    /// Takes a place in the queue, together with the waiting messages.
    fn join(self: &Arc<Self>, key: &ConversationKey, mut new: Said) -> Result<oneshot::Receiver<Admitted>, Entered> {
        let event = new.event;
        let by = new.by.id;
        let mut queues = self.lock();
        match self.arrivals.end(event) {
            Some(Change::Deleted) => return Err(Entered::Joined),
            Some(Change::Edited(words, came_with)) => (new.words, new.came_with) = (words, came_with),
            None => {}
        }
        let queue = match queues.entry(key.clone()) {
            Entry::Vacant(free) => {
                let running = Arc::new(RunningTurn::new(event, by, vec![new], self.leaving.clone()));
                free.insert(TurnQueue { running: running.clone(), waiting: None, told: BTreeSet::new() });
                return Err(Entered::Turn(self.admitted(key, running, false)));
            }
            Entry::Occupied(queue) => queue.into_mut(),
        };
        let waiting: Vec<_> = queue.waiting.iter().flat_map(|waiting| waiting.said.values()).collect();
        let is_too_much = |waiting: &[&Said], share: usize| {
            let length = |said: &&Said| said.words.as_str().chars().count();
            let n_characters = waiting.iter().chain([&&new]).map(length).sum::<usize>();
            MESSAGES_MAX / share <= waiting.len() || CHARACTERS_MAX / share < n_characters
        };
        let theirs: Vec<_> = waiting.iter().copied().filter(|said| said.by.id == by).collect();
        // A person who was notified gets no place during this turn.
        if queue.told.contains(&by) || is_too_much(&waiting, 1) || key.is_shared() && is_too_much(&theirs, SHARE_OF_ONE)
        {
            let is_first = queue.told.len() < TOLD_MAX && queue.told.insert(by);
            return Err(Entered::TooMuch { is_first });
        }
        let mut said = queue.waiting.take().map(|waiting| waiting.said).unwrap_or_default();
        said.insert(event, new);
        let (begin, begun) = oneshot::channel();
        queue.waiting = Some(WaitingMessages { event, by, said, begin });
        Ok(begun)
    }

    /// Begins the next turn with the waiting messages, or removes the conversation's entry.
    fn leave(self: &Arc<Self>, key: &ConversationKey) {
        let mut queues = self.lock();
        let Some(queue) = queues.get_mut(key) else { return };
        let Some(WaitingMessages { event, by, said, begin }) = queue.waiting.take() else {
            queues.remove(key);
            return;
        };
        let said = said.into_values().collect();
        queue.running = Arc::new(RunningTurn::new(event, by, said, self.leaving.clone()));
        queue.told.clear();
        let next = self.admitted(key, queue.running.clone(), true);
        drop(queues);
        // If the receiver is gone, the returned value leaves the queue when it is dropped.
        drop(begin.send(next));
    }

    fn admitted(self: &Arc<Self>, key: &ConversationKey, running: Arc<RunningTurn>, has_waited: bool) -> Admitted {
        Admitted { queues: self.clone(), key: key.clone(), running, has_waited }
    }

    /// Applies an edit. `now` is the new content, or `None` if it is no longer meant for the model. A turn that has
    /// read the message keeps the old words.
    pub(super) fn edited(&self, event: EventId, now: Option<(ChatText, CameWith)>) {
        let Some((words, came_with)) = now else { return self.deleted(event) };
        let mut queues = self.lock();
        self.arrivals.note(event, Change::Edited(words.clone(), came_with.clone()));
        queues.values_mut().for_each(|queue| {
            queue.running.edit(event, &words);
            let waiting = queue.waiting.as_mut().and_then(|waiting| waiting.said.get_mut(&event));
            let mut unread = queue.running.unread.lock().unwrap_or_else(PoisonError::into_inner);
            let said = waiting.or_else(|| unread.as_mut()?.iter_mut().find(|said| said.event == event));
            if let Some(said) = said {
                (said.words, said.came_with) = (words.clone(), came_with.clone());
            }
        });
    }

    /// Whether the turn of this event answers a question that was edited meanwhile.
    pub(super) fn was_edited(&self, event: EventId) -> bool {
        self.lock().values().any(|queue| queue.running.event == event && queue.running.is_edited())
    }

    /// Whether a message is on its way, waiting, or being answered.
    pub(super) fn holds(&self, event: EventId) -> bool {
        let queues = self.lock();
        self.arrivals.holds(event)
            || queues.values().any(|queue| {
                queue.waiting.as_ref().is_some_and(|waiting| waiting.said.contains_key(&event))
                    || queue.running.answers.lock().unwrap_or_else(PoisonError::into_inner).contains(&event)
            })
    }

    /// Removes a deleted message. A turn that answers nothing else ends.
    pub(super) fn deleted(&self, event: EventId) {
        let mut queues = self.lock();
        self.arrivals.note(event, Change::Deleted);
        queues.values_mut().for_each(|queue| {
            if let Some(waiting) = &mut queue.waiting {
                waiting.said.remove(&event);
            }
            queue.leave_out_absent();
            if queue.running.withdraw(event) {
                queue.running.stop(Stop::Deleted);
            }
        });
    }

    /// Ends the running turn of a conversation and drops the waiting messages. Returns whether there was anything to
    /// end.
    pub(super) fn clear(&self, key: &ConversationKey) -> bool {
        let Some((running, waited)) = self.lock().get_mut(key).map(|queue| {
            // The queue is empty, so that people have room again.
            queue.told.clear();
            (queue.running.clone(), queue.waiting.take().is_some())
        }) else {
            return false;
        };
        running.clear();
        waited || !running.is_over.load(Ordering::Acquire)
    }

    /// The same for one person's words in a shared conversation: ends the turn if it answers them, and drops only their
    /// waiting messages.
    pub(super) fn clear_part(&self, key: &ConversationKey, user: UserId) -> bool {
        let mut queues = self.lock();
        let Some(queue) = queues.get_mut(key) else { return false };
        queue.told.remove(&user);
        let mut waited = false;
        if let Some(waiting) = &mut queue.waiting {
            let n_before = waiting.said.len();
            waiting.said.retain(|_, said| said.by.id != user);
            waited = waiting.said.len() < n_before;
        }
        queue.leave_out_absent();
        let running = queue.running.clone();
        drop(queues);
        if !running.speakers.contains(&user) {
            return waited;
        }
        running.clear();
        waited || !running.is_over.load(Ordering::Acquire)
    }

    /// Returns the conversations in which a turn of this person runs, or in which their words are being answered or
    /// wait.
    pub(super) fn of(&self, user: UserId) -> Vec<ConversationKey> {
        let waits = |waiting: &WaitingMessages| waiting.said.values().any(|said| said.by.id == user);
        let is_of = |(key, queue): &(&ConversationKey, &TurnQueue)| {
            key.user == user || queue.running.speakers.contains(&user) || queue.waiting.as_ref().is_some_and(waits)
        };
        self.lock().iter().filter(is_of).map(|(key, _)| key.clone()).collect()
    }

    /// Returns the turn of this event, if it runs.
    pub(super) fn running(&self, event: EventId) -> Option<Arc<RunningTurn>> {
        let queues = self.lock();
        let running = queues.values().map(|queue| &queue.running).find(|running| running.event == event);
        running.filter(|running| !running.is_over.load(Ordering::Acquire)).cloned()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ConversationKey, TurnQueue>> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A turn that may run now. Blocks the next turn of its conversation until dropped.
pub(super) struct Admitted {
    queues: Arc<TurnQueues>,
    pub(super) key: ConversationKey,
    pub(super) running: Arc<RunningTurn>,
    /// Whether its messages waited for another turn.
    pub(super) has_waited: bool,
}

impl Drop for Admitted {
    fn drop(&mut self) {
        self.queues.leave(&self.key);
    }
}

pub(super) struct RunningTurn {
    event: EventId,
    pub(super) user: UserId,
    /// The people whose words it answers, including `user`.
    speakers: BTreeSet<UserId>,
    /// The messages since the last turn, in order, until they are read.
    unread: Mutex<Option<Vec<Said>>>,
    /// The messages that it answers.
    answers: Mutex<Vec<EventId>>,
    /// The words of those messages when they were read.
    read: Mutex<Vec<(EventId, ChatText)>>,
    /// Whether one of those messages was edited after it was read.
    is_edited: AtomicBool,
    /// The answered messages that were deleted since.
    withdrawn: Mutex<Vec<u64>>,
    stopped: CancellationToken,
    leaving: CancellationToken,
    why: OnceLock<Stop>,
    is_cleared: AtomicBool,
    /// The answer is ready and only needs to be shown.
    is_over: AtomicBool,
}

/// Reasons for an early end of a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// This person pressed *Stop*.
    Pressed(String),
    Cleared,
    Deleted,
    Leaving,
    /// Another process of the bot took the conversation over.
    Elsewhere,
}

impl Stop {
    /// Returns the line under the reply.
    pub(super) fn told(&self, language: Language) -> String {
        match self {
            Self::Pressed(person) => say!(language, "note-stopped", person = person.as_str()),
            Self::Cleared => say!(language, "note-cleared"),
            Self::Deleted => say!(language, "note-deleted"),
            Self::Leaving => say!(language, "note-leaving"),
            Self::Elsewhere => say!(language, "note-elsewhere"),
        }
    }
}

impl RunningTurn {
    fn new(event: EventId, user: UserId, said: Vec<Said>, leaving: CancellationToken) -> Self {
        Self {
            leaving,
            event,
            user,
            speakers: said.iter().map(|said| said.by.id).chain([user]).collect(),
            answers: Mutex::new(said.iter().map(|said| said.event).collect()),
            unread: Mutex::new(Some(said)),
            read: Mutex::default(),
            is_edited: AtomicBool::new(false),
            withdrawn: Mutex::default(),
            stopped: CancellationToken::new(),
            why: OnceLock::new(),
            is_cleared: AtomicBool::new(false),
            is_over: AtomicBool::new(false),
        }
    }

    /// Takes the messages since the last turn, in order, with their current words. Later edits do not change them.
    pub(super) fn read(&self) -> Vec<Said> {
        let said = self.unread.lock().unwrap_or_else(PoisonError::into_inner).take().unwrap_or_default();
        let words = said.iter().map(|said| (said.event, said.words.clone()));
        self.read.lock().unwrap_or_else(PoisonError::into_inner).extend(words);
        said
    }

    /// Records an edit. An edit that does not change the words, such as an unfurled link, is ignored.
    fn edit(&self, event: EventId, words: &ChatText) {
        let read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if read.iter().any(|(read, before)| *read == event && before != words) {
            self.is_edited.store(true, Ordering::Release);
        }
    }

    /// Whether a question was edited after the turn read it.
    pub(super) fn is_edited(&self) -> bool {
        self.is_edited.load(Ordering::Acquire)
    }

    /// Removes a deleted message. Returns whether it was the last one to answer.
    fn withdraw(&self, event: EventId) -> bool {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        let n_before = answers.len();
        answers.retain(|answered| *answered != event);
        if let Some(unread) = &mut *self.unread.lock().unwrap_or_else(PoisonError::into_inner) {
            unread.retain(|said| said.event != event);
        }
        let was_answered = answers.len() < n_before;
        if was_answered {
            self.withdrawn.lock().unwrap_or_else(PoisonError::into_inner).push(event.0);
        }
        was_answered && answers.is_empty()
    }

    /// Returns the messages that were deleted after the turn took them.
    pub(super) fn withdrawn(&self) -> Vec<u64> {
        self.withdrawn.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Ends the turn as soon as possible. The first reason counts.
    pub(super) fn stop(&self, why: Stop) {
        let _first = self.why.set(why);
        self.stopped.cancel();
    }

    /// Ends the turn because its conversation is cleared: nothing of it is stored.
    pub(super) fn clear(&self) {
        self.is_cleared.store(true, Ordering::Release);
        self.stop(Stop::Cleared);
    }

    /// Waits until the turn must end. At shutdown, it has some time left.
    pub(super) async fn stopped(&self) {
        let left_behind = async {
            self.leaving.cancelled().await;
            sleep(LEAVES_AFTER).await;
        };
        tokio::select! {
            () = self.stopped.cancelled() => {}
            () = left_behind => self.stop(Stop::Leaving),
        }
    }

    /// Whether its conversation was cleared: then nothing of it is stored.
    pub(super) fn is_cleared(&self) -> bool {
        self.is_cleared.load(Ordering::Acquire)
    }

    /// Marks the turn as over: only its answer remains to be shown.
    pub(super) fn over(&self) {
        self.is_over.store(true, Ordering::Release);
    }

    /// Returns the reason if the turn must end.
    pub(super) fn why(&self) -> Option<&Stop> {
        self.why.get()
    }
}

#[cfg(test)]
mod tests {
    use tokio_util::task::AbortOnDropHandle;

    use super::*;
    use crate::chat::arrivals::Arriving;
    use candor_core::inbound::Place;
    use candor_core::testing::chat;

    const ANN: UserId = UserId(7);

    fn ann() -> ConversationKey {
        ConversationKey::new(Place::Console, ANN)
    }

    fn said(event: u64, text: &str) -> Said {
        said_by(ANN, event, text)
    }

    fn said_by(by: UserId, event: u64, text: &str) -> Said {
        let by = Caller::new(by, "somebody");
        let came_with = CameWith::default();
        Said { event: EventId(event), by, words: chat(text), came_with, goes_on: None }
    }

    fn text_of(admitted: &Admitted) -> String {
        admitted.running.read().iter().map(|said| said.words.as_str()).collect::<Vec<_>>().join("\n")
    }

    /// A task that enters the queue and waits there: it has entered when this returns.
    async fn waits(queues: &Arc<TurnQueues>, event: u64, text: &str) -> AbortOnDropHandle<Entered> {
        let queues = queues.clone();
        let words = said(event, text);
        let task = tokio::spawn(async move { queues.enter(ann(), words).await });
        tokio::task::yield_now().await;
        AbortOnDropHandle::new(task)
    }

    async fn begins(queues: &Arc<TurnQueues>, event: u64, text: &str) -> Admitted {
        match queues.enter(ann(), said(event, text)).await {
            Entered::Turn(admitted) => admitted,
            _ => panic!("{text} waits"),
        }
    }

    #[tokio::test]
    async fn what_waits_is_one_turn_in_the_order_in_which_it_was_sent() {
        let queues = Arc::new(TurnQueues::default());
        let first = begins(&queues, 1, "one").await;
        let four = waits(&queues, 4, "four").await;
        let two = waits(&queues, 2, "two").await;
        let three = waits(&queues, 3, "three").await;
        for overtaken in [four, two] {
            assert!(matches!(overtaken.await.unwrap(), Entered::Joined));
        }
        drop(first);
        let Entered::Turn(next) = three.await.unwrap() else { panic!("its turn does not begin") };
        assert_eq!(text_of(&next), "two\nthree\nfour");
        drop(next);
        assert!(queues.lock().is_empty(), "an idle conversation has no entry");
    }

    #[tokio::test]
    async fn so_much_waits_and_no_more_and_it_is_told_once() {
        let cases = [(MESSAGES_MAX, "x".to_owned()), (4, "x".repeat(CHARACTERS_MAX / 4))];
        for (fit, text) in cases {
            let queues = Arc::new(TurnQueues::default());
            let first = begins(&queues, 1, "one").await;
            let mut waiting = Vec::new();
            for event in (2..).take(fit) {
                waiting.push(waits(&queues, event, &text).await);
            }
            for expected in [true, false] {
                let refused = queues.enter(ann(), said(99, "y")).await;
                assert!(matches!(refused, Entered::TooMuch { is_first } if is_first == expected));
            }
            drop(first);
            let Entered::Turn(next) = waiting.pop().unwrap().await.unwrap() else { panic!("it does not begin") };
            assert!(!text_of(&next).contains('y'));
        }
    }

    #[tokio::test]
    async fn whoever_waits_no_more_holds_nobody_up() {
        let queues = Arc::new(TurnQueues::default());
        let first = begins(&queues, 1, "one").await;
        let gone = waits(&queues, 2, "two").await;
        drop(gone);
        tokio::task::yield_now().await;
        drop(first);
        drop(begins(&queues, 3, "three").await);
        assert!(queues.lock().is_empty());
    }

    #[tokio::test]
    async fn a_cleared_turn_is_stopped_and_keeps_nothing_and_what_waits_is_dropped() {
        let queues = Arc::new(TurnQueues::default());
        assert!(!queues.clear(&ann()), "nothing runs");
        let first = begins(&queues, 1, "one").await;
        let waiting = waits(&queues, 2, "two").await;
        assert!(queues.clear(&ann()));
        first.running.stopped().await;
        assert_eq!(first.running.why(), Some(&Stop::Cleared));
        assert!(first.running.is_cleared());
        assert!(matches!(waiting.await.unwrap(), Entered::Joined));
        // Until it has ended, nothing else begins.
        let next = waits(&queues, 3, "three").await;
        drop(first);
        let Entered::Turn(next) = next.await.unwrap() else { panic!("it does not begin") };
        assert_eq!((text_of(&next).as_str(), next.running.why()), ("three", None));
    }

    #[tokio::test]
    async fn what_was_too_much_is_forgotten_with_the_rest_and_there_is_room_again() {
        let queues = Arc::new(TurnQueues::default());
        let first = begins(&queues, 1, "one").await;
        let long = "x".repeat(CHARACTERS_MAX + 1);
        assert!(matches!(queues.enter(ann(), said(2, &long)).await, Entered::TooMuch { is_first: true }));
        assert!(queues.clear(&ann()));
        let next = waits(&queues, 3, "three").await;
        drop(first);
        let Entered::Turn(next) = next.await.unwrap() else { panic!("it does not begin") };
        assert_eq!(text_of(&next), "three");
    }

    #[tokio::test(start_paused = true)]
    async fn a_turn_ends_a_while_after_the_bot_began_to_leave() {
        let queues = Arc::new(TurnQueues::default());
        let first = begins(&queues, 1, "one").await;
        queues.leaving.cancel();
        let began = tokio::time::Instant::now();
        first.running.stopped().await;
        assert!(LEAVES_AFTER <= began.elapsed());
        assert_eq!(first.running.why(), Some(&Stop::Leaving));
    }

    #[tokio::test]
    async fn nothing_that_waits_begins_once_the_bot_leaves() {
        let queues = Arc::new(TurnQueues::default());
        let first = begins(&queues, 1, "one").await;
        let waiting = waits(&queues, 2, "two").await;
        queues.leaving.cancel();
        assert!(matches!(waiting.await.unwrap(), Entered::Leaving { unsaid } if unsaid.len() == 1));
        drop(first);
        assert!(queues.lock().is_empty());
    }

    fn edit(queues: &TurnQueues, event: u64, text: Option<&str>) {
        queues.edited(EventId(event), text.map(|text| (chat(text), CameWith::default())));
    }

    #[tokio::test]
    async fn an_edit_is_followed_until_the_turn_reads_what_was_said() {
        let queues = Arc::new(TurnQueues::default());
        let first = begins(&queues, 1, "one").await;
        let waiting = waits(&queues, 2, "two").await;
        edit(&queues, 1, Some("One"));
        edit(&queues, 2, Some("Two"));
        edit(&queues, 3, Some("nobody's"));
        assert_eq!([1, 2, 3].map(|event| queues.holds(EventId(event))), [true, true, false]);
        assert_eq!(text_of(&first), "One");
        edit(&queues, 1, Some("One"));
        assert!(!queues.was_edited(EventId(1)), "no word changed");
        edit(&queues, 1, Some("too late"));
        assert_eq!(text_of(&first), "", "it is read once");
        assert_eq!([1, 2].map(|event| queues.was_edited(EventId(event))), [true, false]);
        drop(first);
        let Entered::Turn(next) = waiting.await.unwrap() else { panic!("it does not begin") };
        assert_eq!(text_of(&next), "Two");
    }

    #[tokio::test]
    async fn what_becomes_of_a_message_on_its_way_counts_when_it_takes_its_place() {
        let queues = Arc::new(TurnQueues::default());
        // Each change in turn; `None` deletes it.
        let cases: [(&[Option<&str>], Option<&str>); 5] = [
            (&[], Some("hi")),
            (&[Some("hello")], Some("hello")),
            (&[Some("hello"), Some("hello there")], Some("hello there")),
            (&[None], None),
            (&[None, Some("hello")], None),
        ];
        for (n, (changes, expected)) in (1..).zip(cases) {
            let arriving = Arriving::begin(&queues.arrivals, EventId(n));
            assert!(queues.holds(EventId(n)));
            changes.iter().for_each(|text| edit(&queues, n, *text));
            assert_eq!(arriving.is_gone(), expected.is_none());
            let entered = queues.enter(ann(), said(n, "hi")).await;
            match (entered, expected) {
                (Entered::Turn(admitted), Some(expected)) => assert_eq!(text_of(&admitted), expected),
                (Entered::Joined, None) => {}
                _ => panic!("{changes:?}"),
            }
            assert!(!queues.holds(EventId(n)), "nothing is left of it");
        }
        // Of a message that is delivered twice, the second one ends nothing.
        let first = Arriving::begin(&queues.arrivals, EventId(9));
        drop(Arriving::begin(&queues.arrivals, EventId(9)));
        queues.deleted(EventId(9));
        assert!(first.is_gone());
        drop(first);
        assert!(!queues.holds(EventId(9)));
        // A deletion that is handled before its message counts, and other messages are not gone.
        queues.deleted(EventId(10));
        assert!(Arriving::begin(&queues.arrivals, EventId(10)).is_gone());
        assert!(!Arriving::begin(&queues.arrivals, EventId(11)).is_gone());
    }

    #[tokio::test]
    async fn a_deleted_question_is_not_answered_and_ends_its_turn() {
        let queues = Arc::new(TurnQueues::default());
        let first = begins(&queues, 1, "one").await;
        let gone = waits(&queues, 2, "two").await;
        queues.deleted(EventId(2));
        assert!(matches!(gone.await.unwrap(), Entered::Joined));
        let second = waits(&queues, 3, "three").await;
        let third = waits(&queues, 4, "four").await;
        // What is no longer words for the model counts as deleted.
        edit(&queues, 3, None);
        assert_eq!(first.running.why(), None);
        queues.deleted(EventId(1));
        first.running.stopped().await;
        assert_eq!(first.running.why(), Some(&Stop::Deleted));
        drop((first, second));
        let Entered::Turn(next) = third.await.unwrap() else { panic!("it does not begin") };
        assert_eq!(text_of(&next), "four");
        queues.deleted(EventId(9));
        assert_eq!(next.running.why(), None);

        // Of several people, the last one's turn answers all: without that person's words, nobody's rights are left.
        let ben = tokio::spawn({
            let queues = queues.clone();
            async move { queues.enter(ann(), said_by(UserId(8), 5, "five")).await }
        });
        tokio::task::yield_now().await;
        let ann_again = waits(&queues, 6, "six").await;
        assert!(matches!(ben.await.unwrap(), Entered::Joined));
        queues.deleted(EventId(6));
        assert!(matches!(ann_again.await.unwrap(), Entered::Joined));
    }
}
