//! Appends the receipts of the operator's commands that change the ledger itself.

use std::sync::Arc;
use std::time::SystemTime;

use serde_json::Value;

use crate::database::Database;
use crate::signing::{NewHead, Signer};
use crate::sql::{Connection, Row};
use crate::tables::commands::append::append;
use candor_core::contract::ServiceError;
use candor_core::execution::{self, OperatorCommand};
use candor_core::record::ReceiptId;
use candor_engine::executor::Ledger as _;

/// The receipt of an operator's command.
pub(super) struct Recorded {
    pub(super) position: u64,
    pub(super) id: ReceiptId,
    pub(super) arguments: String,
}

impl Database {
    /// Appends the receipt of an operator's command. Signs it if this process has a key.
    pub(super) async fn record_operator_command(
        &self,
        command: OperatorCommand,
        arguments: &Value,
    ) -> Result<(), ServiceError> {
        let id = ReceiptId::from_number(self.number().await?);
        let arguments = arguments.clone();
        let signer = self.signer.clone();
        let appended = self.write(move |connection| {
            Box::pin(async move { append_command(connection, command, id, &arguments, signer).await })
        });
        let head = appended.await?;
        self.publish(head);
        Ok(())
    }

    /// Returns the operator's last commands of this name, the newest first.
    pub(super) async fn operator_arguments(
        &self,
        command: OperatorCommand,
        limit: usize,
    ) -> Result<Vec<Recorded>, ServiceError> {
        let newest = "SELECT position, number, arguments FROM receipts WHERE substr(command, 1, 1) <> '/' AND command = $1 \
                      AND arguments IS NOT NULL ORDER BY position DESC LIMIT $2";
        let rows = self.rows(newest, vec![command.name().into(), limit.into()]).await?;
        let recorded = |mut row: Row| {
            let position = row.take()?;
            let id = ReceiptId::from_number(row.take()?);
            Ok(Recorded { position, id, arguments: row.take()? })
        };
        rows.into_iter().map(recorded).collect()
    }
}

/// Appends the receipt of an operator's command in a transaction. Returns the new head if the chain is signed.
pub(super) async fn append_command(
    connection: &mut dyn Connection,
    command: OperatorCommand,
    id: ReceiptId,
    arguments: &Value,
    signer: Option<Arc<Signer>>,
) -> Result<Option<NewHead>, ServiceError> {
    let receipt = execution::operator_receipt(command, id, arguments, SystemTime::now());
    append(connection, &receipt, signer).await
}
