//! Checks that each receipt stands under a head, and that a trusted key signed the heads.

use std::collections::VecDeque;

use crate::tables::commands::chain::item::ChainBreak;
use crate::tables::commands::chain::trust::Trust;
use candor_core::record::{Digest, Head, ProvenHead, SignedHead};

#[derive(Debug)]
struct Gap {
    behind: u64,
    until: u64,
}

/// Takes receipts and heads in the order of the chain. A head names the digest of the one before it, which covers its
/// signature. So a signature is verified only where the next head does not name it: one for each run of heads.
pub(super) struct HeadCheck<'a> {
    trust: &'a Trust,
    /// Receipts behind the last head.
    receipts: VecDeque<(u64, Digest)>,
    last_receipt: u64,
    /// Removed receipts: the position of the receipt before them, and that of the last one.
    gaps: Vec<Gap>,
    /// The last head. Its signature was not verified yet.
    last: Option<SignedHead>,
}

impl<'a> HeadCheck<'a> {
    pub(super) fn new(trust: &'a Trust) -> Self {
        Self { trust, receipts: VecDeque::new(), last_receipt: 0, gaps: Vec::new(), last: None }
    }

    pub(super) fn receipt(&mut self, position: u64, link: Digest) {
        self.receipts.push_back((position, link));
        self.last_receipt = position;
    }

    /// Takes a checkpoint in its place between the receipts.
    pub(super) fn gap(&mut self, position: u64) {
        self.gaps.push(Gap { behind: self.last_receipt, until: position });
    }

    /// Takes the next head. The caller has passed its receipts and checkpoints before.
    pub(super) fn head(&mut self, head: &ProvenHead) -> Result<(), ChainBreak> {
        let Head { position, previous, link, .. } = head.signed.head;
        let broken = || ChainBreak::Head(position);
        // Some links may be of receipts that were removed.
        let mut links = head.links.iter();
        let mut last = None;
        while let Some(receipt) = self.receipts.pop_front_if(|receipt| receipt.0 <= position) {
            if !links.any(|link| *link == receipt.1) {
                return Err(broken());
            }
            last = Some(receipt);
        }
        let is_there = last.is_some_and(|last| last == (position, link));
        let was_removed = self.gaps.iter().any(|gap| gap.behind < position && position <= gap.until);
        if !is_there && !was_removed {
            return Err(broken());
        }
        self.gaps.retain(|gap| position < gap.until);
        if self.last.is_some_and(|last| last.digest() != previous) {
            // A head between them was removed, or one of the two was changed.
            self.verify_last()?;
        }
        self.last = Some(head.signed);
        Ok(())
    }

    /// Verifies the signature of the last head.
    pub(super) fn verify_last(&self) -> Result<(), ChainBreak> {
        let Some(last) = self.last else { return Ok(()) };
        let is_good = self.trust.holds(last.key) && last.is_signed();
        is_good.then_some(()).ok_or(ChainBreak::Head(last.head.position))
    }

    pub(super) fn last(&self) -> Option<SignedHead> {
        self.last
    }

    pub(super) fn position(&self) -> u64 {
        self.last.map_or(0, |last| last.head.position)
    }

    pub(super) fn last_receipt(&self) -> u64 {
        self.last_receipt
    }

    pub(super) fn n_unsigned(&self) -> u64 {
        self.receipts.len() as u64
    }
}
