//! Signs the end of the chain in the transaction that appends to it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use tracing::warn;

use crate::receipt_keys::{RECEIPT_KEYS, endorsements, known};
use crate::sql::{Connection, Row};
use candor_core::contract::ServiceError;
use candor_core::record::{
    Bytes, Digest, Head, ProvenHead, PublicKey, ReceiptKey, SignedHead, milliseconds, trusted_keys,
};

/// The most receipts under one head. Only a backlog of unsigned receipts needs several heads.
const LINKS_MAX: usize = 1_000;

pub(crate) const LAST_HEAD: &str =
    "SELECT position, at_ms, previous, links, key, signature FROM heads ORDER BY position DESC LIMIT 1";

/// A head that was signed in a transaction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewHead {
    pub(crate) signed: SignedHead,
    /// Whether the chain no longer had the last head that this process signed and committed.
    pub(crate) is_cut: bool,
}

/// Returns whether the chain has the receipt of a head, or a checkpoint in its place.
async fn is_in_chain(connection: &mut dyn Connection, head: &Head) -> Result<bool, ServiceError> {
    let receipt = "SELECT link FROM receipts WHERE position = $1";
    if let Some(mut row) = connection.row(receipt, &[head.position.into()]).await? {
        return Ok(Digest(bytes(row.take()?)?) == head.link);
    }
    let checkpoint = "SELECT position FROM checkpoints WHERE position >= $1 LIMIT 1";
    Ok(connection.row(checkpoint, &[head.position.into()]).await?.is_some())
}

#[derive(Debug)]
pub(crate) struct Signer {
    pub(crate) key: Arc<ReceiptKey>,
    /// Identifies the store.
    pub(crate) store: Digest,
    /// The last head that this process signed and committed.
    pub(crate) committed: Mutex<Option<SignedHead>>,
}

impl Signer {
    pub(crate) fn new(key: Arc<ReceiptKey>, store: Digest) -> Self {
        Self { key, store, committed: Mutex::default() }
    }

    /// Remembers a head whose transaction was committed.
    pub(crate) fn committed(&self, head: &NewHead) {
        let mut committed = self.committed.lock().unwrap_or_else(PoisonError::into_inner);
        if head.is_cut || committed.is_none_or(|last| last.head.position < head.signed.head.position) {
            *committed = Some(head.signed);
        }
    }

    pub(crate) fn last_committed(&self) -> Option<SignedHead> {
        *self.committed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Signs all receipts after the last head and returns the new head. `None` if there are no such receipts. The caller
    /// holds the lock of the receipts, and appended `n_own` of them. `before` is the link of the receipt before these.
    pub(crate) async fn sign(
        &self,
        connection: &mut dyn Connection,
        n_own: usize,
        before: Option<Digest>,
    ) -> Result<Option<NewHead>, ServiceError> {
        let last = connection.row(LAST_HEAD, &[]).await?.map(|row| head(row, self.store)).transpose()?;
        let committed = self.last_committed();
        if let Some(last) = &last
            && committed != Some(last.signed)
            && !(last.signed.is_signed() && self.knows(connection, last.signed.key).await?)
        {
            return Err(ServiceError::Store(
                "the last head in the store is forged: run `candor receipts verify`".to_owned(),
            ));
        }
        let behind = last.as_ref().map_or(0, |last| last.signed.head.position);
        let end = last.as_ref().map(|last| last.signed);
        let mut is_cut = committed.is_some_and(|committed| {
            behind < committed.head.position || behind == committed.head.position && end != Some(committed)
        });
        // The newest receipt is never removed, so the last head is its head, unless another program appended receipts.
        if let Some(end) = end
            && before != Some(end.head.link)
        {
            is_cut |= !is_in_chain(connection, &end.head).await?;
        }
        if let Some(committed) = committed.filter(|committed| end != Some(*committed)) {
            is_cut |= !is_in_chain(connection, &committed.head).await?;
        }
        let (signed, n_signed) = self.sign_behind(connection, last).await?;
        if n_signed < n_own {
            return Err(ServiceError::Store("a head stands behind the end of the chain of receipts".to_owned()));
        }
        if n_own < n_signed {
            let strange = n_signed - n_own;
            warn!(
                n_receipts = strange,
                position = behind + 1,
                "signed receipts that had no signature: expected at the first start with a key, otherwise another program appended them"
            );
        }
        Ok(signed.map(|signed| NewHead { signed, is_cut }))
    }

    /// Signs all receipts after a head. Returns the last new head and the number of the receipts.
    pub(crate) async fn sign_behind(
        &self,
        connection: &mut dyn Connection,
        mut last: Option<ProvenHead>,
    ) -> Result<(Option<SignedHead>, usize), ServiceError> {
        let mut n_signed = 0;
        let mut signed = None;
        loop {
            let mut position = last.as_ref().map_or(0, |last| last.signed.head.position);
            let rest = "SELECT position, link FROM receipts WHERE position > $1 ORDER BY position LIMIT $2";
            let rows = connection.rows(rest, &[position.into(), LINKS_MAX.into()]).await?;
            if rows.is_empty() {
                return Ok((signed, n_signed));
            }
            n_signed += rows.len();
            let mut links = Vec::with_capacity(rows.len());
            for mut row in rows {
                position = row.take()?;
                links.push(Digest(bytes(row.take()?)?));
            }
            let next = self.next(last.as_ref(), position, links)?;
            insert(connection, &next).await?;
            signed = Some(next.signed);
            last = Some(next);
        }
    }

    /// Returns whether a key is this one, or one that it endorsed: another process may have rotated the key meanwhile.
    async fn knows(&self, connection: &mut dyn Connection, key: PublicKey) -> Result<bool, ServiceError> {
        let own = self.key.public();
        if key == own {
            return Ok(true);
        }
        let known = connection.rows(RECEIPT_KEYS, &[]).await?.into_iter().map(known).collect::<Result<Vec<_>, _>>()?;
        Ok(trusted_keys(own, &endorsements(&known)).contains(&key))
    }

    fn next(&self, last: Option<&ProvenHead>, position: u64, links: Vec<Digest>) -> Result<ProvenHead, ServiceError> {
        let head = Head {
            store: self.store,
            position,
            at_ms: milliseconds(SystemTime::now()),
            previous: last.map_or(Digest::START, |last| last.signed.digest()),
            group: Head::group_of(&links),
            link: links.last().copied().unwrap_or(Digest::START),
        };
        let signed = head.signed(&self.key);
        let signed = signed.ok_or_else(|| ServiceError::Store("the end of the chain was not signed".to_owned()))?;
        Ok(ProvenHead { signed, links })
    }
}

async fn insert(connection: &mut dyn Connection, head: &ProvenHead) -> Result<(), ServiceError> {
    let SignedHead { head: Head { position, at_ms, previous, .. }, key, signature } = head.signed;
    let inserted = "INSERT INTO heads (position, at_ms, previous, links, key, signature) \
                    VALUES ($1, $2, $3, $4, $5, $6)";
    let links: Vec<u8> = head.links.iter().flat_map(|link| link.0).collect();
    let values = [
        position.into(),
        at_ms.into(),
        previous.0[..].into(),
        links[..].into(),
        key.0[..].into(),
        signature.0[..].into(),
    ];
    connection.execute(inserted, &values).await.map(drop)
}

/// Reads a row of position, at_ms, previous, links, key, signature.
pub(crate) fn head(mut row: Row, store: Digest) -> Result<ProvenHead, ServiceError> {
    let position = row.take()?;
    let at_ms = row.take()?;
    let previous = Digest(bytes(row.take()?)?);
    let links: Vec<u8> = row.take()?;
    let links: Vec<_> = links.as_chunks().0.iter().map(|link| Digest(*link)).collect();
    let key = Bytes(bytes(row.take()?)?);
    let signature = Bytes(bytes(row.take()?)?);
    let link = links.last().copied().ok_or_else(unreadable)?;
    let signed = SignedHead {
        head: Head { store, position, at_ms, previous, group: Head::group_of(&links), link },
        key,
        signature,
    };
    Ok(ProvenHead { signed, links })
}

fn bytes<const N: usize>(bytes: Vec<u8>) -> Result<[u8; N], ServiceError> {
    bytes.try_into().map_err(|_| unreadable())
}

fn unreadable() -> ServiceError {
    ServiceError::Store("a head of the ledger cannot be read: another program changed it".to_owned())
}
