//! The daily use of chat.

use async_trait::async_trait;

use crate::database::Database;
use crate::sql::{Param, Row};
use candor_core::agent::{Budget, Day, Spending, Spent, Subject, Tokens, Verdict};
use candor_core::contract::ServiceError;

const SPENT: &str = "SELECT tokens, estimated_tokens, turns FROM spending WHERE day_ms = $1 AND subject = $2";

const LARGEST: &str = "SELECT subject, tokens, estimated_tokens, turns FROM spending \
                       WHERE day_ms = $1 AND subject <> $2 \
                       ORDER BY tokens + estimated_tokens DESC, turns DESC, subject LIMIT $3";

/// Name of the number in `sequences` that holds the day of the last budget warning to the operator.
const WARNED: &str = "budget_warned_ms";

/// Adds to the stored values. Several processes may add at once.
const ADD: &str = "INSERT INTO spending (day_ms, subject, tokens, estimated_tokens, turns) VALUES ($1, $2, $3, $4, $5) \
                   ON CONFLICT (day_ms, subject) DO UPDATE SET tokens = spending.tokens + excluded.tokens, \
                   estimated_tokens = spending.estimated_tokens + excluded.estimated_tokens, \
                   turns = spending.turns + excluded.turns";

#[async_trait]
impl Spending for Database {
    async fn begin_turn(&self, day: Day, mut budgets: Vec<Budget>) -> Result<Option<Subject>, ServiceError> {
        // The same order everywhere avoids deadlocks.
        budgets.sort_by_key(|budget| budget.subject);
        self.write(move |connection| {
            Box::pin(async move {
                for budget in &budgets {
                    let key = budget.subject.key();
                    connection.lock(&format!("spending {key}")).await?;
                    let spent = connection.row(SPENT, &[day.begins().into(), key.into()]).await?;
                    let spent = spent.map(spent_of).transpose()?.unwrap_or_default();
                    if budget.verdict(spent) == Verdict::Used {
                        return Ok(Some(budget.subject));
                    }
                }
                for budget in &budgets {
                    let turn = Spent { turns: 1, ..Spent::default() };
                    connection.execute(ADD, &added(day, budget.subject, turn)).await?;
                }
                Ok(None)
            })
        })
        .await
    }

    async fn add_tokens(&self, day: Day, subjects: &[Subject], tokens: Tokens) -> Result<(), ServiceError> {
        let mut subjects = subjects.to_vec();
        subjects.sort();
        self.write(move |connection| {
            Box::pin(async move {
                for subject in subjects {
                    connection.execute(ADD, &added(day, subject, Spent { tokens, turns: 0 })).await?;
                }
                Ok(())
            })
        })
        .await
    }

    async fn spent(&self, day: Day, subject: Subject) -> Result<Spent, ServiceError> {
        let spent = self.row(SPENT, vec![day.begins().into(), subject.key().into()]).await?;
        Ok(spent.map(spent_of).transpose()?.unwrap_or_default())
    }

    async fn warns_first(&self, day: Day) -> Result<bool, ServiceError> {
        // A stored day later than this one was written while the clock was wrong.
        let warned = "INSERT INTO sequences (name, last) VALUES ($1, $2) ON CONFLICT (name) \
                      DO UPDATE SET last = excluded.last WHERE sequences.last <> excluded.last";
        Ok(self.execute(warned, vec![WARNED.into(), day.begins().into()]).await? == 1)
    }

    async fn largest(&self, day: Day, n: usize) -> Result<Vec<(Subject, Spent)>, ServiceError> {
        let n = u64::try_from(n).unwrap_or(u64::MAX);
        let rows = self.rows(LARGEST, vec![day.begins().into(), Subject::Bot.key().into(), n.into()]).await?;
        let read = |mut row: Row| {
            let key: String = row.take()?;
            // A later version may count other subjects too.
            Subject::from_key(&key).map(|subject| Ok((subject, spent_of(row)?))).transpose()
        };
        rows.into_iter().filter_map(|row| read(row).transpose()).collect()
    }
}

fn added(day: Day, subject: Subject, spent: Spent) -> [Param; 5] {
    let Spent { tokens: Tokens { counted, estimated }, turns } = spent;
    [day.begins().into(), subject.key().into(), counted.into(), estimated.into(), turns.into()]
}

fn spent_of(mut row: Row) -> Result<Spent, ServiceError> {
    let tokens = Tokens { counted: row.take()?, estimated: row.take()? };
    Ok(Spent { tokens, turns: row.take()? })
}
