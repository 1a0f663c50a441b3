//! Samples of the live metrics, one in each row.

use std::collections::HashMap;
use std::time::SystemTime;

use async_trait::async_trait;
use futures_util::TryStreamExt as _;
use sqlx::{Row as _, query, query_as, query_scalar};

use crate::edges::store::sqlite::Sqlite;
use crate::edges::store::sqlite::cause::service_error;
use crate::edges::store::sqlite::columns::{time, time_column};
use crate::host::sampler::{KEPT, Sample, Samples, Visit};
use candor_core::contract::ServiceError;

/// Old samples removed with each one that is kept. Normally it is one; a clock that is far ahead for some samples must
/// not cost the whole history.
const REMOVED_AT_ONCE_MAX: u32 = 20;

/// How many rows are read before other tasks get their turn.
const ROWS_AT_ONCE: usize = 500;

#[async_trait]
impl Samples for Sqlite {
    async fn keep(&self, at: SystemTime, sample: &Sample) -> Result<(), ServiceError> {
        let mut transaction = self.begin().await?;
        let (layout, figures): (Option<i64>, Option<Vec<u8>>) = match sample {
            Sample::Stale => (None, None),
            Sample::Figures(figures) => {
                let keys: Vec<_> = figures.iter().map(|(key, _)| key).collect();
                let keys = serde_json::to_string(&keys).map_err(|problem| ServiceError::Store(problem.to_string()))?;
                let known = query("INSERT INTO sample_layouts (keys) VALUES (?) ON CONFLICT (keys) DO NOTHING");
                known.bind(&keys).execute(&mut *transaction).await.map_err(service_error)?;
                let layout = query_scalar("SELECT number FROM sample_layouts WHERE keys = ?").bind(&keys);
                let layout = layout.fetch_one(&mut *transaction).await.map_err(service_error)?;
                (Some(layout), Some(figures.iter().flat_map(|(_, number)| number.to_le_bytes()).collect()))
            }
        };
        // A clock that was set back passes the same moment again: the newer sample counts.
        let kept = query("INSERT OR REPLACE INTO samples (at_ms, layout, figures) VALUES (?, ?, ?)");
        let kept = kept.bind(time_column(at)).bind(layout).bind(figures);
        kept.execute(&mut *transaction).await.map_err(service_error)?;
        query("DELETE FROM samples WHERE at_ms IN (SELECT at_ms FROM samples WHERE at_ms < ? ORDER BY at_ms LIMIT ?)")
            .bind(at.checked_sub(KEPT).map_or(0, time_column))
            .bind(REMOVED_AT_ONCE_MAX)
            .execute(&mut *transaction)
            .await
            .map_err(service_error)?;
        let unused = query("DELETE FROM sample_layouts WHERE NOT EXISTS (SELECT 1 FROM samples WHERE layout = number)");
        unused.execute(&mut *transaction).await.map_err(service_error)?;
        transaction.commit().await.map_err(service_error)
    }

    async fn each(&self, from: SystemTime, until: SystemTime, visit: Visit<'_>) -> Result<(), ServiceError> {
        // In one transaction, so that no layout is removed between the two.
        let mut transaction = self.readers.begin().await.map_err(service_error)?;
        let layouts = query_as("SELECT number, keys FROM sample_layouts").fetch_all(&mut *transaction).await;
        let layouts: Vec<(i64, String)> = layouts.map_err(service_error)?;
        let layouts = layouts.into_iter().map(|(number, keys)| Ok((number, parse(&keys)?)));
        let layouts: HashMap<i64, Vec<String>> = layouts.collect::<Result<_, ServiceError>>()?;
        let mut rows = query("SELECT at_ms, layout, figures FROM samples WHERE at_ms BETWEEN ? AND ? ORDER BY at_ms")
            .bind(time_column(from))
            .bind(time_column(until))
            .fetch(&mut *transaction);
        let mut n_rows = 0_usize;
        while let Some(row) = rows.try_next().await.map_err(service_error)? {
            let at = row.try_get("at_ms").map(time).map_err(service_error)?;
            let layout: Option<i64> = row.try_get("layout").map_err(service_error)?;
            let figures: Option<Vec<u8>> = row.try_get("figures").map_err(service_error)?;
            let keys = layout.map(|layout| layouts.get(&layout).map(Vec::as_slice).unwrap_or_default());
            let numbers = figures.map(|figures| numbers(&figures));
            visit(at, keys.zip(numbers.as_deref()));
            n_rows += 1;
            // A week of samples is much to look at in one go: others wait for an answer meanwhile.
            if n_rows.is_multiple_of(ROWS_AT_ONCE) {
                tokio::task::yield_now().await;
            }
        }
        Ok(())
    }
}

fn numbers(figures: &[u8]) -> Vec<f64> {
    let (numbers, _) = figures.as_chunks::<8>();
    numbers.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect()
}

fn parse(keys: &str) -> Result<Vec<String>, ServiceError> {
    serde_json::from_str(keys).map_err(|problem| ServiceError::Store(format!("a list of keys is not JSON: {problem}")))
}
