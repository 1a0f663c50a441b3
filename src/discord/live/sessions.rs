//! The open live messages, and the reasons for their end.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot::{Receiver, Sender, channel};

use candor_core::inbound::{ChannelId, UserId};

/// The maximum of live answers of persons at once: each costs a command and an edit every half minute.
const PERSONS_MAX: usize = 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LiveOwner {
    /// A person, who has at most one.
    Person(UserId),
    /// A channel, which has at most one.
    Channel(ChannelId),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StopReason {
    Time,
    Replaced,
    /// It was the oldest of too many.
    Crowded,
    /// A person with the right to do so ended it.
    Asked,
    Leaving,
    Unlisted,
    Denied(String),
}

impl StopReason {
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::Replaced => "replaced",
            Self::Crowded => "crowded",
            Self::Asked => "asked",
            Self::Leaving => "leaving",
            Self::Unlisted => "unlisted",
            Self::Denied(_) => "denied",
        }
    }
}

#[derive(Default)]
pub(crate) struct LiveSessions(Mutex<Entries>);

#[derive(Default)]
struct Entries {
    n_opened: u64,
    /// By number, so the oldest comes first. Taking the sender ends the message.
    by_number: BTreeMap<u64, (LiveOwner, Option<Sender<StopReason>>)>,
}

impl LiveSessions {
    /// Opens one for a person. Ends their last one, and the oldest of all if there are too many.
    pub(crate) fn add_for_person(&self, of: LiveOwner) -> (u64, Receiver<StopReason>) {
        let mut entries = self.lock();
        entries.end(of, &StopReason::Replaced);
        let live = |(_, (of, end)): &(&u64, &(LiveOwner, Option<Sender<StopReason>>))| {
            matches!(of, LiveOwner::Person(_)) && end.is_some()
        };
        let persons: Vec<_> = entries.by_number.iter().filter(live).map(|(_, (of, _))| *of).collect();
        if let (Some(oldest), true) = (persons.first(), PERSONS_MAX <= persons.len()) {
            entries.end(*oldest, &StopReason::Crowded);
        }
        entries.add(of)
    }

    pub(crate) fn add_for_channel(&self, channel: ChannelId) -> Option<(u64, Receiver<StopReason>)> {
        let mut entries = self.lock();
        let has_one = entries.by_number.values().any(|(of, _)| *of == LiveOwner::Channel(channel));
        (!has_one).then(|| entries.add(LiveOwner::Channel(channel)))
    }

    /// Returns whether this owner has one that has not been ended.
    pub(crate) fn has(&self, wanted: LiveOwner) -> bool {
        self.lock().by_number.values().any(|(of, end)| *of == wanted && end.is_some())
    }

    pub(crate) fn end(&self, of: LiveOwner, end: StopReason) -> bool {
        self.lock().end(of, &end)
    }

    pub(crate) fn remove(&self, number: u64) {
        self.lock().by_number.remove(&number);
    }

    fn lock(&self) -> MutexGuard<'_, Entries> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Entries {
    fn add(&mut self, of: LiveOwner) -> (u64, Receiver<StopReason>) {
        self.n_opened += 1;
        let (end, ended) = channel();
        self.by_number.insert(self.n_opened, (of, Some(end)));
        (self.n_opened, ended)
    }

    fn end(&mut self, wanted: LiveOwner, end: &StopReason) -> bool {
        let open = self.by_number.values_mut().filter(|(of, _)| *of == wanted);
        let senders: Vec<_> = open.filter_map(|(_, sender)| sender.take()).collect();
        let n_ended = senders.into_iter().filter_map(|sender| sender.send(end.clone()).ok()).count();
        0 < n_ended
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn person(id: u64) -> LiveOwner {
        LiveOwner::Person(UserId(id))
    }

    #[test]
    fn a_person_has_one_and_the_next_ends_it() {
        let open = LiveSessions::default();
        let (_, mut first) = open.add_for_person(person(1));
        let (_, mut other) = open.add_for_person(person(2));
        let (_, mut second) = open.add_for_person(person(1));
        assert_eq!(first.try_recv(), Ok(StopReason::Replaced));
        assert!(second.try_recv().is_err() && other.try_recv().is_err());
        assert!(open.end(person(1), StopReason::Asked) && !open.end(person(1), StopReason::Asked));
        assert_eq!(second.try_recv(), Ok(StopReason::Asked));
        assert!(!open.has(person(1)) && open.has(person(2)));
    }

    #[test]
    fn the_oldest_of_too_many_ends_and_channels_do_not_count() {
        let open = LiveSessions::default();
        let _channels: Vec<_> = (100..120).map(|id| open.add_for_channel(ChannelId(id)).unwrap()).collect();
        let mut persons: Vec<_> = (0..8).map(|id| open.add_for_person(person(id)).1).collect();
        assert!(persons.iter_mut().all(|ended| ended.try_recv().is_err()));
        let (number, _ninth) = open.add_for_person(person(8));
        assert_eq!(persons[0].try_recv(), Ok(StopReason::Crowded));
        assert!(persons[1].try_recv().is_err());
        // One that is over frees its place.
        open.remove(number);
        let _tenth = open.add_for_person(person(9));
        assert!(persons[1].try_recv().is_err());
    }

    #[test]
    fn a_channel_has_one_until_it_is_over() {
        let open = LiveSessions::default();
        let (number, mut ended) = open.add_for_channel(ChannelId(7)).unwrap();
        assert!(open.add_for_channel(ChannelId(7)).is_none());
        assert!(open.end(LiveOwner::Channel(ChannelId(7)), StopReason::Asked));
        assert_eq!(ended.try_recv(), Ok(StopReason::Asked));
        assert!(open.add_for_channel(ChannelId(7)).is_none(), "its last edit is under way");
        open.remove(number);
        assert!(open.add_for_channel(ChannelId(7)).is_some());
    }
}
