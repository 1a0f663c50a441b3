//! A run's messages to channels. They are stored with its receipt, or not at all.

use std::sync::Arc;

use async_trait::async_trait;

use crate::host::executor::effects::staged::StagedChanges;
use crate::host::executor::ledger::StagedChange;
use candor_core::contract::{OUTBOX_MAX, OUTBOX_OF_PERSON_MAX, Outbox, Outgoing, SENT_BY_RUN_MAX, ServiceError};
use candor_core::inbound::UserId;

/// The messages of one run.
pub(super) struct StagedMessages {
    pub(super) stored: Arc<dyn Outbox>,
    pub(super) staged: Arc<StagedChanges>,
}

#[async_trait]
impl Outbox for StagedMessages {
    async fn n_waiting(&self, module: &str) -> Result<usize, ServiceError> {
        let changes = self.staged.open().await?;
        Ok(self.stored.n_waiting(module).await? + changes.made().iter().filter_map(StagedChange::message).count())
    }

    async fn n_waiting_of(&self, module: &str, person: UserId) -> Result<usize, ServiceError> {
        let changes = self.staged.open().await?;
        // Whatever a run sends is of one person.
        let n_sent = changes.made().iter().filter_map(StagedChange::message).count();
        Ok(self.stored.n_waiting_of(module, person).await? + n_sent)
    }

    async fn put(&self, message: Outgoing, person: UserId) -> Result<(), ServiceError> {
        let mut changes = self.staged.open().await?;
        let n_sent = changes.made().iter().filter_map(StagedChange::message).count();
        if SENT_BY_RUN_MAX <= n_sent {
            return Err(ServiceError::Full(format!("one run sends at most {SENT_BY_RUN_MAX} messages")));
        }
        // Counted once more when they are stored.
        if OUTBOX_MAX <= self.stored.n_waiting(&message.module).await? + n_sent {
            return Err(ServiceError::Full(format!("{OUTBOX_MAX} messages of this module wait, which is the most")));
        }
        if OUTBOX_OF_PERSON_MAX <= self.stored.n_waiting_of(&message.module, person).await? + n_sent {
            let why = format!("{OUTBOX_OF_PERSON_MAX} messages of this person and module wait, which is the most");
            return Err(ServiceError::Full(why));
        }
        changes.stage(StagedChange::Message(Box::new(message)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use candor_core::contract::{AllowedBy, ChannelMessage};
    use candor_core::inbound::ChannelId;
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
        assert!(matches!(of_a_run(&stored, false).put(message("a"), ANN).await, Err(ServiceError::NotConfirmed)));
        for n in 1..OUTBOX_MAX {
            stored.put(message("waits"), UserId(1_000 + n as u64)).await.unwrap();
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
        assert!(refused.contains("20 messages of this person and module wait"), "{refused}");
        of_a_run(&stored, true).put(message("of somebody else"), UserId(8)).await.unwrap();
    }
}
