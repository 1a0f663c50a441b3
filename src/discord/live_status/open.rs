//! Which live messages there are, and what ends them.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot::{Receiver, Sender, channel};

use crate::inbound::{ChannelId, UserId};

/// So many answers of persons are kept up to date at once: each is a command and an edit every half minute.
const PERSONS_MAX: usize = 8;

/// Whose a live message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Of {
    /// The answer to a person, who has one.
    Person(UserId),
    /// A message of a channel, which has one.
    Channel(ChannelId),
}

/// Why a live message ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Its token is over.
    Time,
    /// The same person asked for another.
    Replaced,
    /// It was the oldest of too many.
    Crowded,
    /// Somebody who may ended it.
    Asked,
    /// The bot leaves.
    Leaving,
    /// Its channel is not listed any more.
    Unlisted,
    /// The command may not run any more, for this reason.
    Denied(String),
}

impl End {
    /// The stable name, for the log.
    pub(super) fn name(&self) -> &'static str {
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

/// The live messages that are open.
#[derive(Default)]
pub(super) struct Open(Mutex<Entries>);

#[derive(Default)]
struct Entries {
    n_opened: u64,
    /// By number, so the oldest first. Whoever takes the sender ends it.
    by_number: BTreeMap<u64, (Of, Option<Sender<End>>)>,
}

impl Open {
    /// Opens one for a person. Their last one ends, and the oldest of all where there are too many.
    pub(super) fn add_for_person(&self, of: Of) -> (u64, Receiver<End>) {
        let mut entries = self.lock();
        entries.end(of, &End::Replaced);
        let live = |(_, (of, end)): &(&u64, &(Of, Option<Sender<End>>))| matches!(of, Of::Person(_)) && end.is_some();
        let persons: Vec<_> = entries.by_number.iter().filter(live).map(|(_, (of, _))| *of).collect();
        if let (Some(oldest), true) = (persons.first(), PERSONS_MAX <= persons.len()) {
            entries.end(*oldest, &End::Crowded);
        }
        entries.add(of)
    }

    /// Opens one for a channel, unless it has one.
    pub(super) fn add_for_channel(&self, channel: ChannelId) -> Option<(u64, Receiver<End>)> {
        let mut entries = self.lock();
        let has_one = entries.by_number.values().any(|(of, _)| *of == Of::Channel(channel));
        (!has_one).then(|| entries.add(Of::Channel(channel)))
    }

    /// Whether there is one that nobody ended.
    pub(super) fn has(&self, wanted: Of) -> bool {
        self.lock().by_number.values().any(|(of, end)| *of == wanted && end.is_some())
    }

    /// Ends one. Says whether there was one.
    pub(super) fn end(&self, of: Of, end: End) -> bool {
        self.lock().end(of, &end)
    }

    /// It is over.
    pub(super) fn remove(&self, number: u64) {
        self.lock().by_number.remove(&number);
    }

    fn lock(&self) -> MutexGuard<'_, Entries> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Entries {
    fn add(&mut self, of: Of) -> (u64, Receiver<End>) {
        self.n_opened += 1;
        let (end, ended) = channel();
        self.by_number.insert(self.n_opened, (of, Some(end)));
        (self.n_opened, ended)
    }

    fn end(&mut self, wanted: Of, end: &End) -> bool {
        let open = self.by_number.values_mut().filter(|(of, _)| *of == wanted);
        let senders: Vec<_> = open.filter_map(|(_, sender)| sender.take()).collect();
        let n_ended = senders.into_iter().filter_map(|sender| sender.send(end.clone()).ok()).count();
        0 < n_ended
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn person(id: u64) -> Of {
        Of::Person(UserId(id))
    }

    #[test]
    fn a_person_has_one_and_the_next_ends_it() {
        let open = Open::default();
        let (_, mut first) = open.add_for_person(person(1));
        let (_, mut other) = open.add_for_person(person(2));
        let (_, mut second) = open.add_for_person(person(1));
        assert_eq!(first.try_recv(), Ok(End::Replaced));
        assert!(second.try_recv().is_err() && other.try_recv().is_err());
        assert!(open.end(person(1), End::Asked) && !open.end(person(1), End::Asked));
        assert_eq!(second.try_recv(), Ok(End::Asked));
        assert!(!open.has(person(1)) && open.has(person(2)));
    }

    #[test]
    fn the_oldest_of_too_many_ends_and_channels_do_not_count() {
        let open = Open::default();
        let _channels: Vec<_> = (100..120).map(|id| open.add_for_channel(ChannelId(id)).unwrap()).collect();
        let mut persons: Vec<_> = (0..8).map(|id| open.add_for_person(person(id)).1).collect();
        assert!(persons.iter_mut().all(|ended| ended.try_recv().is_err()));
        let (number, _ninth) = open.add_for_person(person(8));
        assert_eq!(persons[0].try_recv(), Ok(End::Crowded));
        assert!(persons[1].try_recv().is_err());
        // One that is over leaves its place.
        open.remove(number);
        let _tenth = open.add_for_person(person(9));
        assert!(persons[1].try_recv().is_err());
    }

    #[test]
    fn a_channel_has_one_until_it_is_over() {
        let open = Open::default();
        let (number, mut ended) = open.add_for_channel(ChannelId(7)).unwrap();
        assert!(open.add_for_channel(ChannelId(7)).is_none());
        assert!(open.end(Of::Channel(ChannelId(7)), End::Asked));
        assert_eq!(ended.try_recv(), Ok(End::Asked));
        assert!(open.add_for_channel(ChannelId(7)).is_none(), "its last edit is under way");
        open.remove(number);
        assert!(open.add_for_channel(ChannelId(7)).is_some());
    }
}
