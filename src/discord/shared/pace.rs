//! Limits the edits of growing replies per channel, for all turns together.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serenity::all::ChannelId;
use tokio::time::{Instant, sleep_until};

/// The time between two edits in one channel. Discord accepts about five in five seconds, and the end of a reply,
/// typing and other answers need some of them.
const EVERY: Duration = Duration::from_millis(1_200);

/// How many edits are skipped after a failed one.
const LEFT_OUT: u32 = 4;

/// When the next edit is allowed. A channel whose time has passed has no entry.
#[derive(Default)]
pub(crate) struct Pace(Mutex<HashMap<ChannelId, Instant>>);

impl Pace {
    /// Waits until an edit is allowed in this channel, and claims that time. The content is not queued: the caller
    /// decides after the wait what to show.
    pub(crate) async fn moment(&self, channel: ChannelId) {
        while let Some(at) = self.taken_until(channel) {
            sleep_until(at).await;
        }
    }

    pub(crate) fn rest(&self, channel: ChannelId) {
        let mut moments = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        moments.insert(channel, Instant::now() + EVERY * LEFT_OUT);
    }

    /// Returns when the next edit is allowed. `None` if that is now: then the time is claimed.
    fn taken_until(&self, channel: ChannelId) -> Option<Instant> {
        let mut moments = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        moments.retain(|_, at| now < *at);
        let taken = moments.get(&channel).copied();
        if taken.is_none() {
            moments.insert(channel, now + EVERY);
        }
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: ChannelId = ChannelId::new(1);
    const ELSEWHERE: ChannelId = ChannelId::new(2);

    /// The moments of so many edits of two replies in these channels, in milliseconds.
    async fn moments(pace: &Pace, channels: [ChannelId; 2]) -> Vec<u128> {
        let began = Instant::now();
        let one = async |channel| {
            let mut at = Vec::new();
            for _ in 0..2 {
                pace.moment(channel).await;
                at.push(began.elapsed().as_millis());
            }
            at
        };
        let (first, second) = tokio::join!(one(channels[0]), one(channels[1]));
        let mut all = [first, second].concat();
        all.sort_unstable();
        all
    }

    #[tokio::test(start_paused = true)]
    async fn a_channel_has_one_edit_in_a_while_whoevers_reply_it_is() {
        // tokio's clock counts whole milliseconds, and wakes one later.
        let near = |found: Vec<u128>, wanted: [u128; 4]| {
            found.iter().zip(wanted).all(|(found, wanted)| (wanted..wanted + 5).contains(found))
        };
        assert!(near(moments(&Pace::default(), [HERE, ELSEWHERE]).await, [0, 0, 1_200, 1_200]));
        assert!(near(moments(&Pace::default(), [HERE, HERE]).await, [0, 1_200, 2_400, 3_600]));
    }

    #[tokio::test(start_paused = true)]
    async fn an_edit_that_failed_is_followed_by_a_rest_and_what_has_passed_is_forgotten() {
        let pace = Pace::default();
        pace.rest(HERE);
        let began = Instant::now();
        pace.moment(HERE).await;
        assert!((4_800..4_805).contains(&began.elapsed().as_millis()));
        sleep_until(Instant::now() + EVERY * 2).await;
        pace.moment(ELSEWHERE).await;
        assert_eq!(pace.0.lock().unwrap().len(), 1);
    }
}
