//! Starts signing a chain, also the checkpoints of older versions, and returns its key and last head.

use std::sync::Arc;
use std::time::SystemTime;

use serde_json::json;
use tracing::error;

use crate::database::Database;
use crate::receipt_keys::KnownKey;
use crate::signing::{LAST_HEAD, Signer, head};
use crate::sql::Connection;
use crate::tables::commands::chain::item::{Checkpoint, checkpoint, of_checkpoints};
use crate::tables::commands::chain::keys::{STORE, SigningError, insert, last_key, new_key};
use crate::tables::commands::chain::operator::append_command;
use crate::tables::commands::chain::trust::KEY;
use candor_core::contract::ServiceError;
use candor_core::execution::OperatorCommand;
use candor_core::record::{Digest, PublicKey, ReceiptId, ReceiptKey, SignedHead, Withdrawal, milliseconds};
use candor_engine::Secrets as _;
use candor_engine::executor::Ledger as _;

/// How many checkpoints are read at once.
const AT_ONCE: usize = 1_000;

/// Signs those checkpoints that are this store's. The others stay as they are, as evidence.
async fn sign_checkpoints(
    connection: &mut dyn Connection,
    signer: &Signer,
    is_ours: impl Fn(&Checkpoint) -> bool + Send,
) -> Result<(), ServiceError> {
    let page = of_checkpoints!("WHERE position > $1 ORDER BY position LIMIT $2");
    let mut position = 0;
    loop {
        let rows = connection.rows(page, &[position.into(), AT_ONCE.into()]).await?;
        if rows.is_empty() {
            return Ok(());
        }
        for row in rows {
            let gap = checkpoint(row)?;
            position = gap.position;
            let removal = gap.removal().filter(|_| is_ours(&gap));
            let Some(signature) = removal.and_then(|removal| removal.signed(signer.store, &signer.key)) else {
                continue;
            };
            let signed = "UPDATE checkpoints SET key = $1, signature = $2 WHERE position = $3";
            let values = [signer.key.public().0[..].into(), signature.0[..].into(), gap.position.into()];
            connection.execute(signed, &values).await?;
        }
    }
}

impl Database {
    /// Returns the key with which this process signs.
    pub fn signing_key(&self) -> Option<PublicKey> {
        self.signer.as_ref().map(|signer| signer.key.public())
    }

    /// Signs the chain with this key from now on, and all receipts that have no signature yet. `outside` is the newest
    /// head that was written beside the store.
    pub async fn signed_by(self, key: Arc<ReceiptKey>, outside: Option<&SignedHead>) -> Result<Self, SigningError> {
        let given = key.public();
        let mac = self.key(KEY).await?;
        let store = Digest::of(&[b"candor store", self.key(STORE).await?.bytes()]);
        // Checkpoints of older versions are signed once. If the store was signed before, somebody removed its keys.
        let was_signed = outside.is_some_and(|head| head.key == given && head.is_signed());
        let signer = Arc::new(Signer::new(key, store));
        let database = self.signing(signer.clone());
        // Of two processes with different keys, one is the first.
        let signed = database.write(move |connection| {
            Box::pin(async move {
                connection.lock("receipts").await?;
                match last_key(connection).await? {
                    Some(last) if last == given => {}
                    Some(last) => return Ok(Err(SigningError::OtherKey { last, given })),
                    None => {
                        insert(connection, &new_key(&signer.key, None, None)).await?;
                        if was_signed {
                            error!(
                                "the signatures of the receipts were removed from the store: run `candor receipts verify`"
                            );
                        } else {
                            // Older versions made them with a key in the store.
                            sign_checkpoints(connection, &signer, |gap| gap.has_code(&mac)).await?;
                        }
                    }
                }
                signer.sign(connection, 0, None).await.map(Ok)
            })
        });
        let head = signed.await??;
        database.publish(head);
        Ok(database)
    }

    /// Adds these keys behind one that leaked, and signs all receipts and checkpoints again with the last of them.
    pub(super) async fn sign_again(
        &self,
        leaked: PublicKey,
        following: Vec<KnownKey>,
        key: Arc<ReceiptKey>,
    ) -> Result<(), SigningError> {
        let given = key.public();
        let trust = self.trust(Some(leaked)).await?;
        let id = ReceiptId::from_number(self.number().await?);
        let signer = Arc::new(Signer::new(key, trust.store()));
        let signed = self.write(move |connection| {
            Box::pin(async move {
                connection.lock("receipts").await?;
                match last_key(connection).await? {
                    Some(last) if last == leaked => {}
                    last => return Ok(Err(SigningError::OtherKey { last: last.unwrap_or(given), given: leaked })),
                }
                for key in &following {
                    insert(connection, key).await?;
                }
                sign_checkpoints(connection, &signer, |gap| gap.signed_removal(&trust).is_some()).await?;
                connection.execute("DELETE FROM heads WHERE position > $1", &[0_u64.into()]).await?;
                let (head, _) = signer.sign_behind(connection, None).await?;
                let position = head.map_or(0, |head| head.head.position);
                let at_ms = milliseconds(SystemTime::now());
                let withdrawal = Withdrawal::of(signer.store, leaked, position, at_ms, &signer.key);
                let withdrawal = withdrawal.ok_or_else(|| ServiceError::Store("nothing was signed".to_owned()))?;
                let arguments = json!(withdrawal);
                append_command(connection, OperatorCommand::WithdrawKey, id, &arguments, Some(signer)).await?;
                Ok(Ok(()))
            })
        });
        signed.await?
    }

    /// Returns the last signed head. `None` if the chain was never signed.
    pub async fn last_head(&self) -> Result<Option<SignedHead>, ServiceError> {
        let Some(store) = self.store_id().await? else { return Ok(None) };
        Ok(self.row(LAST_HEAD, Vec::new()).await?.map(|row| head(row, store)).transpose()?.map(|head| head.signed))
    }
}
