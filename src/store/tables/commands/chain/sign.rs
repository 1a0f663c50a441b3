//! Starts signing a chain, also the checkpoints of older versions, and returns its key and last head.

use std::sync::Arc;

use tracing::error;

use crate::database::Database;
use crate::signing::{LAST_HEAD, Signer, head};
use crate::sql::Connection;
use crate::tables::commands::chain::item::{checkpoint, of_checkpoints};
use crate::tables::commands::chain::keys::{STORE, SigningError};
use crate::tables::commands::chain::trust::KEY;
use candor_core::contract::ServiceError;
use candor_core::record::{Digest, PublicKey, ReceiptKey, SignedHead};
use candor_engine::{Secrets as _, SigningKey};

/// How many checkpoints are read at once.
const AT_ONCE: usize = 1_000;

/// Signs the checkpoints that older versions made with the store's own key. Those that it did not make stay unsigned, as
/// evidence.
pub(super) async fn sign_checkpoints(
    connection: &mut dyn Connection,
    key: &ReceiptKey,
    mac: &SigningKey,
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
            let signature = gap.removal().filter(|_| gap.has_code(mac)).and_then(|removal| removal.signed(key));
            let Some(signature) = signature else { continue };
            let signed = "UPDATE checkpoints SET key = $1, signature = $2 WHERE position = $3";
            let values = [key.public().0[..].into(), signature.0[..].into(), gap.position.into()];
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
        let keys = self.receipt_keys().await?;
        let given = key.public();
        // Checkpoints of older versions are signed once. If the store was signed before, somebody removed its keys.
        let was_signed = outside.is_some_and(|head| head.key == given && head.is_signed());
        let is_first = keys.is_empty() && !was_signed;
        if keys.is_empty() && was_signed {
            error!("the signatures of the receipts were removed from the store: run `candor receipts verify`");
        }
        match keys.last() {
            None => self.register(&key, None, None).await?,
            Some(last) if last.key == given => {}
            Some(last) => return Err(SigningError::OtherKey { last: last.key, given }),
        }
        let store = Digest::of(&[b"candor store", self.key(STORE).await?.bytes()]);
        let mac = if is_first { Some(self.key(KEY).await?) } else { None };
        let signer = Arc::new(Signer::new(key, store));
        let database = self.signing(signer.clone());
        let rest = database.write(move |connection| {
            Box::pin(async move {
                connection.lock("receipts").await?;
                if let Some(mac) = mac {
                    sign_checkpoints(connection, &signer.key, &mac).await?;
                }
                signer.sign(connection, 0).await
            })
        });
        let head = rest.await?;
        database.publish(head);
        Ok(database)
    }

    /// Returns the last signed head. `None` if the chain was never signed.
    pub async fn last_head(&self) -> Result<Option<SignedHead>, ServiceError> {
        let Some(store) = self.store_id().await? else { return Ok(None) };
        Ok(self.row(LAST_HEAD, Vec::new()).await?.map(|row| head(row, store)).transpose()?.map(|head| head.signed))
    }
}
