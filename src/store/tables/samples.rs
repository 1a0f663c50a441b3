//! Samples of the live metrics, one in each row.

use std::time::{Duration, SystemTime};

use async_trait::async_trait;

use crate::database::Database;
use crate::sql::Connection;
use candor_core::contract::ServiceError;
use candor_engine::sampler::{Sample, Samples, Visit};

/// Maximum number of distinct sets of keys. Each costs as much space as its keys are long.
const LAYOUTS_MAX: i64 = 100;

/// How many rows are read at once, so that other reads get their turn: a week of samples has very many rows.
const ROWS_AT_ONCE: usize = 500;

/// Stored times are whole milliseconds.
const NEXT: Duration = Duration::from_millis(1);

#[async_trait]
impl Samples for Database {
    async fn keep(&self, at: SystemTime, sample: &Sample) -> Result<(), ServiceError> {
        let sample = sample.clone();
        let is_kept = self.write(move |connection| Box::pin(keep(connection, at, sample))).await?;
        is_kept.then_some(()).ok_or_else(|| {
            ServiceError::Store(format!(
                "the metrics had {LAYOUTS_MAX} different sets of keys in the time that samples are kept: their producer \
                 should always write the same keys"
            ))
        })
    }

    async fn each(&self, from: SystemTime, until: SystemTime, visit: Visit<'_>) -> Result<(), ServiceError> {
        let page = "SELECT samples.at_ms, sample_layouts.keys, samples.figures FROM samples \
                    LEFT JOIN sample_layouts ON sample_layouts.number = samples.layout \
                    WHERE samples.at_ms BETWEEN $1 AND $2 ORDER BY samples.at_ms LIMIT $3";
        let mut from = from;
        let mut layout = String::new();
        let mut keys = Vec::new();
        loop {
            let rows = self.rows(page, vec![from.into(), until.into(), ROWS_AT_ONCE.into()]).await?;
            let n_rows = rows.len();
            for mut row in rows {
                let at = row.take()?;
                // Most samples have the layout of the previous one.
                if let Some(next) = row.take::<Option<String>>()?
                    && next != layout
                {
                    (keys, layout) = (parse(&next)?, next);
                }
                let figures: Option<Vec<u8>> = row.take()?;
                let numbers = figures.map(|figures| numbers(&figures));
                visit(at, numbers.as_deref().map(|numbers| (keys.as_slice(), numbers)));
                from = at + NEXT;
            }
            if n_rows < ROWS_AT_ONCE {
                return Ok(());
            }
        }
    }
}

/// Stores a sample. Returns false, and stores nothing, if its set of keys would exceed `LAYOUTS_MAX`.
async fn keep(connection: &mut dyn Connection, at: SystemTime, sample: Sample) -> Result<bool, ServiceError> {
    // The lock keeps a layout that was found from being removed as unused before its sample is stored.
    connection.lock("samples").await?;
    let (layout, figures): (Option<i64>, Option<Vec<u8>>) = match sample {
        Sample::Stale => (None, None),
        Sample::Figures(figures) => {
            let keys: Vec<_> = figures.iter().map(|(key, _)| key).collect();
            let keys = serde_json::to_string(&keys).map_err(|problem| ServiceError::Store(problem.to_string()))?;
            let known = "INSERT INTO sample_layouts (keys) SELECT $1 WHERE (SELECT count(*) FROM sample_layouts) < $2 \
                         ON CONFLICT (keys) DO NOTHING";
            connection.execute(known, &[keys.as_str().into(), LAYOUTS_MAX.into()]).await?;
            let layout = connection.value("SELECT number FROM sample_layouts WHERE keys = $1", &[keys.into()]).await?;
            (layout, Some(figures.iter().flat_map(|(_, number)| number.to_le_bytes()).collect()))
        }
    };
    let is_kept = layout.is_some() == figures.is_some();
    // A clock that was set back passes the same moment again: the newer sample counts.
    let kept = "INSERT INTO samples (at_ms, layout, figures) VALUES ($1, $2, $3) \
                ON CONFLICT (at_ms) DO UPDATE SET layout = excluded.layout, figures = excluded.figures";
    if is_kept {
        connection.execute(kept, &[at.into(), layout.into(), figures.into()]).await?;
    }
    Ok(is_kept)
}

pub(super) async fn remove_unused_layouts(connection: &mut dyn Connection) -> Result<(), ServiceError> {
    connection.lock("samples").await?;
    let unused =
        "DELETE FROM sample_layouts WHERE NOT EXISTS (SELECT 1 FROM samples WHERE layout = sample_layouts.number)";
    connection.execute(unused, &[]).await.map(drop)
}

fn numbers(figures: &[u8]) -> Vec<f64> {
    let (numbers, _) = figures.as_chunks::<8>();
    numbers.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect()
}

fn parse(keys: &str) -> Result<Vec<String>, ServiceError> {
    serde_json::from_str(keys).map_err(|problem| ServiceError::Store(format!("a list of keys is not JSON: {problem}")))
}
