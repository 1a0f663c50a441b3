//! Appends the receipts of the operator's commands that change the ledger itself.

use std::time::SystemTime;

use serde_json::Value;

use crate::database::Database;
use crate::tables::commands::append::append;
use candor_core::contract::ServiceError;
use candor_core::execution::{self, OperatorCommand};
use candor_core::record::ReceiptId;
use candor_engine::executor::Ledger as _;

impl Database {
    /// Appends the receipt of an operator's command. Signs it if this process has a key.
    pub(super) async fn record_operator_command(
        &self,
        command: OperatorCommand,
        arguments: &Value,
    ) -> Result<(), ServiceError> {
        let id = ReceiptId::from_number(self.number().await?);
        let receipt = execution::operator_receipt(command, id, arguments, SystemTime::now());
        let signer = self.signer.clone();
        let head =
            self.write(move |connection| Box::pin(async move { append(connection, &receipt, signer).await })).await?;
        self.publish(head);
        Ok(())
    }
}
