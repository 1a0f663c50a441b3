//! A run's messages to channels. They are stored with its receipt, or not at all.

use std::sync::Arc;

use async_trait::async_trait;

use crate::executor::effects::stage::StagedChanges;
use crate::executor::ledger::StagedChange;
use candor_core::contract::{Outbox, Outgoing, SENT_BY_RUN_MAX, ServiceError, Waiting};
use candor_core::inbound::{ChannelId, UserId};

pub(super) struct StagedMessages {
    pub(super) stored: Arc<dyn Outbox>,
    pub(super) staged: Arc<StagedChanges>,
}

#[async_trait]
impl Outbox for StagedMessages {
    async fn count_waiting(&self, module: &str, channel: ChannelId, person: UserId) -> Result<Waiting, ServiceError> {
        let changes = self.staged.open().await?;
        let stored = self.stored.count_waiting(module, channel, person).await?;
        Ok(with_staged(stored, changes.made(), channel, person))
    }

    async fn put(&self, message: Outgoing, person: UserId) -> Result<(), ServiceError> {
        let mut changes = self.staged.open().await?;
        let n_sent = changes.made().iter().filter_map(StagedChange::message).count();
        if SENT_BY_RUN_MAX <= n_sent {
            return Err(ServiceError::Full(format!("one run sends at most {SENT_BY_RUN_MAX} messages")));
        }
        // Counted again when they are stored.
        let stored = self.stored.count_waiting(&message.module, message.channel, person).await?;
        with_staged(stored, changes.made(), message.channel, person).check()?;
        changes.stage(StagedChange::Message(Box::new(message)))
    }
}

/// Adds the messages that a run has staged so far. All are from one person and module.
fn with_staged(stored: Waiting, made: &[StagedChange], channel: ChannelId, person: UserId) -> Waiting {
    let staged = || made.iter().filter_map(StagedChange::message);
    Waiting {
        of_module: stored.of_module + staged().count(),
        in_channel: stored.in_channel + staged().filter(|message| message.channel == channel).count(),
        of_person: if person == UserId::NOBODY { 0 } else { stored.of_person + staged().count() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use candor_core::contract::{AllowedBy, ChannelMessage, OUTBOX_MAX, OUTBOX_OF_PERSON_MAX};
    use candor_core::reply::Reply;
    use candor_core::testing::InMemoryOutbox;

    const ANN: UserId = UserId(7);

    fn message(text: &str) -> Outgoing {
        let message = ChannelMessage::of(Reply::text(text)).unwrap();
        Outgoing { module: "news".to_owned(), channel: ChannelId(5), allowed_by: AllowedBy::Operator, message }
    }

    fn of_a_run(stored: &Arc<InMemoryOutbox>, may_change: bool) -> StagedMessages {
        StagedMessages { stored: stored.clone(), staged: Arc::new(StagedChanges::none(may_change)) }
    }

    #[tokio::test]
    async fn a_run_sends_so_many_in_their_order_and_none_before_its_end() {
        let stored = Arc::new(InMemoryOutbox::default());
        let run = of_a_run(&stored, true);
        for n in 0..SENT_BY_RUN_MAX {
            run.put(message(&n.to_string()), ANN).await.unwrap();
        }
        assert!(matches!(run.put(message("one more"), ANN).await, Err(ServiceError::Full(_))));
        assert_eq!(stored.all(), []);
        let staged: Vec<_> = run.staged.end().await.iter().filter_map(StagedChange::message).cloned().collect();
        assert_eq!(staged, (0..SENT_BY_RUN_MAX).map(|n| message(&n.to_string())).collect::<Vec<_>>());
        assert!(run.put(message("late"), ANN).await.is_err());
    }

    #[tokio::test]
    async fn what_waits_already_counts_and_a_run_that_may_change_nothing_sends_nothing() {
        let stored = Arc::new(InMemoryOutbox::default());
        assert!(matches!(of_a_run(&stored, false).put(message("a"), ANN).await, Err(ServiceError::ReadsOnly)));
        for n in 1..OUTBOX_MAX as u64 {
            let waits = Outgoing { channel: ChannelId(1_000 + n), ..message("waits") };
            stored.put(waits, UserId(1_000 + n)).await.unwrap();
        }
        let run = of_a_run(&stored, true);
        run.put(message("the last"), ANN).await.unwrap();
        assert!(matches!(run.put(message("one more"), ANN).await, Err(ServiceError::Full(_))));
    }

    #[tokio::test]
    async fn one_person_leaves_room_for_others() {
        let stored = Arc::new(InMemoryOutbox::default());
        for _ in 1..OUTBOX_OF_PERSON_MAX {
            stored.put(message("waits"), ANN).await.unwrap();
        }
        let run = of_a_run(&stored, true);
        run.put(message("the last"), ANN).await.unwrap();
        let refused = run.put(message("one more"), ANN).await.unwrap_err().to_string();
        assert!(refused.contains("20 messages of one person and module wait"), "{refused}");
        of_a_run(&stored, true).put(message("of somebody else"), UserId(8)).await.unwrap();
        // What servers have run has nobody's name: it is not one person's.
        for _ in 0..2 * OUTBOX_OF_PERSON_MAX as u64 {
            stored.put(Outgoing { channel: ChannelId(6), ..message("waits") }, UserId::NOBODY).await.unwrap();
        }
        of_a_run(&stored, true).put(message("of another server"), UserId::NOBODY).await.unwrap();
    }
}
