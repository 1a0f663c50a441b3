//! Inserts of several rows by one statement.

use super::connection::Connection;
use super::value::Param;
use candor_core::contract::ServiceError;

/// How many rows one statement inserts. A batch takes the largest first. Few sizes, because each is a prepared statement.
const ROWS: [usize; 3] = [32, 8, 1];

/// An INSERT of a row of `N` values, as statements of several rows.
pub(crate) struct Insert<const N: usize>([String; ROWS.len()]);

impl<const N: usize> Insert<N> {
    /// `of_one` inserts one row: `INSERT … VALUES ($1, $2) …`.
    pub(crate) fn new(of_one: &str) -> Self {
        let names = |row: usize| (1..=N).map(|at| format!("${}", row * N + at)).collect::<Vec<_>>().join(", ");
        let row = |row| format!("({})", names(row));
        let of = |n: usize| of_one.replacen(&row(0), &(0..n).map(row).collect::<Vec<_>>().join(", "), 1);
        Self(ROWS.map(of))
    }

    /// Inserts all rows. Returns how many were inserted.
    pub(crate) async fn all(
        &'static self,
        connection: &mut dyn Connection,
        mut rows: &[[Param; N]],
    ) -> Result<u64, ServiceError> {
        let mut inserted = 0;
        for (n, statement) in ROWS.into_iter().zip(&self.0) {
            while let Some((first, rest)) = rows.split_at_checked(n) {
                inserted += connection.execute(statement, first.as_flattened()).await?;
                rows = rest;
            }
        }
        Ok(inserted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_has_as_many_rows_as_its_size_and_numbers_its_values() {
        let insert = Insert::<2>::new("INSERT INTO t (a, b) VALUES ($1, $2) ON CONFLICT (a) DO NOTHING");
        assert_eq!(insert.0[2], "INSERT INTO t (a, b) VALUES ($1, $2) ON CONFLICT (a) DO NOTHING");
        assert!(insert.0[1].starts_with("INSERT INTO t (a, b) VALUES ($1, $2), ($3, $4), "), "{}", insert.0[1]);
        assert!(insert.0[1].ends_with(", ($15, $16) ON CONFLICT (a) DO NOTHING"), "{}", insert.0[1]);
    }
}
