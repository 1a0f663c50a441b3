//! Signed heads reveal a cut chain, an older store and a copy. Proofs stay valid through every change of the store.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, prop_oneof};
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;

use super::ledger::{ANN, Bot, HERE, noon, signing};
use crate::store::{Trial, on_every_engine};
use candor_core::record::{Origin, Proof, ReceiptKey, SEED_LENGTH, SignedHead};
use candor_store::{
    ChainBreak, HeadFinding, ProofRange, ProveError, ReceiptKind, RestoreSigning, SigningError, back_up, newest_head,
    read_heads, restore,
};

on_every_engine!(
    a_head_is_signed_with_each_receipt_and_fits,
    an_end_that_was_cut_without_its_heads_shows,
    what_a_published_head_says_of_a_store_that_lost_its_end,
    a_change_of_a_head_shows,
    a_restore_that_another_program_wrote_excuses_nothing,
    no_receipt_is_signed_behind_a_head_that_another_program_added,
    after_its_keys_were_removed_a_store_signs_no_checkpoint_that_it_finds,
    receipts_from_before_the_first_key_are_signed_at_the_next_start,
    another_key_is_refused_and_a_new_one_is_told,
    of_two_first_starts_with_different_keys_one_is_refused,
    whatever_happens_to_the_store_each_proof_stays_valid,
);

fn key(seed: u8) -> ReceiptKey {
    ReceiptKey::from_seed(&[seed; SEED_LENGTH]).unwrap()
}

/// A bot that ran this many commands, and the head after each.
async fn ran(trial: &Trial, n: u64) -> (Bot, Vec<SignedHead>) {
    let bot = Bot::new(trial).await;
    let mut heads = Vec::new();
    for event in 1..=n {
        bot.run_for(Origin::Person, event, ANN, HERE, "note").await.unwrap();
        heads.push(bot.store.last_head().await.unwrap().unwrap());
    }
    (bot, heads)
}

async fn a_head_is_signed_with_each_receipt_and_fits(trial: Trial) {
    let (bot, heads) = ran(&trial, 4).await;
    assert_eq!(heads.iter().map(|head| head.head.position).collect::<Vec<_>>(), [1, 2, 3, 4]);
    for head in &heads {
        assert!(head.is_signed());
        assert_eq!(bot.store.compare_head(head, None).await.unwrap(), HeadFinding::Fits);
        assert_eq!(bot.store.compare_head(head, Some(key(7).public())).await.unwrap(), HeadFinding::Fits);
        assert_eq!(bot.store.compare_head(head, Some(key(8).public())).await.unwrap(), HeadFinding::Forged);
    }
    // Removed receipts leave their heads behind.
    bot.day.store(9, Ordering::Relaxed);
    bot.run_for(Origin::Person, 5, ANN, HERE, "note").await.unwrap();
    while 0 < bot.store.remove_receipts(ReceiptKind::Called, noon() + Duration::from_hours(1), noon()).await.unwrap() {}
    assert_eq!(trial.numbers("SELECT position FROM heads").await, [5]);
    let findings = [HeadFinding::Removed, HeadFinding::Removed, HeadFinding::Removed, HeadFinding::Fits];
    for (head, finding) in heads.iter().zip(findings) {
        assert_eq!(bot.store.compare_head(head, None).await.unwrap(), finding);
    }
    // Its code alone, made with a key in the store, is no signature.
    assert_eq!(bot.store.verify_chain().await.unwrap(), None);
    trial.tamper("UPDATE checkpoints SET key = NULL, signature = NULL").await;
    assert_eq!(bot.store.verify_chain().await.unwrap(), Some(ChainBreak::Checkpoint(4)));
}

/// The heads that stay must not stand for receipts that are gone.
async fn an_end_that_was_cut_without_its_heads_shows(trial: Trial) {
    let heads = trial.beside("receipts.head");
    let bot = Bot::over(signing(trial.open().await).await.writing_heads(&heads).await.unwrap());
    for event in 1..=6 {
        bot.run_for(Origin::Person, event, ANN, HERE, "note").await.unwrap();
    }
    trial.tamper("DELETE FROM receipts WHERE position > 4").await;
    bot.run_for(Origin::Person, 7, ANN, HERE, "note").await.unwrap();
    assert_eq!(bot.store.verify_chain().await.unwrap(), Some(ChainBreak::Head(5)));
    let aside = std::fs::read_dir(heads.parent().unwrap()).unwrap();
    let aside = aside.filter(|file| file.as_ref().unwrap().file_name().to_string_lossy().contains(".missing-"));
    assert_eq!(aside.count(), 1, "the bot keeps the heads of the missing receipts");
}

async fn what_a_published_head_says_of_a_store_that_lost_its_end(trial: Trial) {
    let (bot, heads) = ran(&trial, 6).await;
    let last = heads[5];
    let compare = async |head: &SignedHead| bot.store.compare_head(head, None).await.unwrap();
    trial.tamper("DELETE FROM receipts WHERE position > 4; DELETE FROM heads WHERE position > 4").await;
    assert_eq!(bot.store.verify_chain().await.unwrap(), None, "the chain alone does not show it");
    assert_eq!(compare(&last).await, HeadFinding::Cut { last: 4 });
    assert_eq!(compare(&heads[3]).await, HeadFinding::Fits);

    // An older store that was put back goes on from there, or a copy of this one runs elsewhere.
    let goes_on = async |event| {
        bot.run_for(Origin::Person, event, ANN, HERE, "note").await.unwrap();
        let last = trial.numbers("SELECT max(position) FROM receipts").await[0];
        trial
            .tamper(&format!(
                "UPDATE receipts SET position = {0} WHERE position = {last}; \
                               UPDATE heads SET position = {0} WHERE position = {last}",
                event - 2
            ))
            .await;
    };
    bot.store.record_restore(4, &last).await.unwrap();
    assert!(matches!(compare(&last).await, HeadFinding::Restored(_)), "the record is signed and in the chain");
    assert_eq!(bot.store.verify_chain().await.unwrap(), None);
    let record = trial.numbers("SELECT max(position) FROM receipts").await[0];
    trial
        .tamper(&format!("DELETE FROM receipts WHERE position = {record}; DELETE FROM heads WHERE position = {record}"))
        .await;
    for event in 7..=8 {
        goes_on(event).await;
    }
    assert_eq!(compare(&last).await, HeadFinding::Diverged);

    trial.tamper("DELETE FROM receipts; DELETE FROM heads").await;
    assert_eq!(compare(&last).await, HeadFinding::Emptied);
    trial.tamper("DELETE FROM secrets WHERE name = 'store'").await;
    assert_eq!(compare(&last).await, HeadFinding::OtherStore);
}

async fn a_change_of_a_head_shows(trial: Trial) {
    let (bot, _) = ran(&trial, 5).await;
    trial.tamper("CREATE TABLE as_made AS SELECT * FROM heads").await;
    let cases = [
        "UPDATE heads SET at_ms = at_ms + 1 WHERE position = 3",
        "UPDATE heads SET previous = key WHERE position = 3",
        "UPDATE heads SET links = key WHERE position = 3",
        "UPDATE heads SET key = previous WHERE position = 3",
        "UPDATE heads SET signature = (SELECT signature FROM as_made WHERE position = 2) WHERE position = 3",
        "UPDATE heads SET signature = (SELECT signature FROM as_made WHERE position = 2) WHERE position = 5",
    ];
    for statement in cases {
        trial.tamper(statement).await;
        let broken = bot.store.verify_chain().await.unwrap();
        assert!(matches!(broken, Some(ChainBreak::Head(3 | 5))), "{statement}: {broken:?}");
        trial.tamper("DELETE FROM heads; INSERT INTO heads SELECT * FROM as_made").await;
    }
    trial.tamper("DELETE FROM heads WHERE position = 5").await;
    let chain = bot.store.follow_chain(None).await.unwrap();
    assert_eq!((chain.broken, chain.n_unsigned), (None, 1));
    assert_eq!(bot.store.follow_chain(Some(key(8).public())).await.unwrap().broken, Some(ChainBreak::Head(4)));
}

async fn a_restore_that_another_program_wrote_excuses_nothing(trial: Trial) {
    let (bot, heads) = ran(&trial, 6).await;
    trial.tamper("DELETE FROM receipts WHERE position > 4; DELETE FROM heads WHERE position > 4").await;
    bot.store.record_restore(5, &heads[5]).await.unwrap();
    assert!(matches!(bot.store.compare_head(&heads[5], None).await.unwrap(), HeadFinding::Restored(_)));
    assert!(!bot.store.compare_head(&heads[4], None).await.unwrap().is_good(), "the record says that both share it");
    let wider = "UPDATE receipts SET arguments = replace(arguments, '\"to_position\":5', '\"to_position\":4') \
                 WHERE command = 'candor restore'";
    trial.tamper(wider).await;
    for head in &heads[4..] {
        assert!(!bot.store.compare_head(head, None).await.unwrap().is_good());
    }
}

async fn no_receipt_is_signed_behind_a_head_that_another_program_added(trial: Trial) {
    let (bot, _) = ran(&trial, 2).await;
    let add =
        "INSERT INTO heads SELECT 4000000000, at_ms, previous, links, key, signature FROM heads WHERE position = 1";
    trial.tamper(add).await;
    drop(bot.run_for(Origin::Person, 3, ANN, HERE, "note").await);
    assert_eq!(trial.numbers("SELECT count(*) FROM receipts").await, [2], "it is not stored unsigned");
    trial.tamper("DELETE FROM heads WHERE position = 4000000000").await;
    bot.run_for(Origin::Person, 4, ANN, HERE, "note").await.unwrap();
    assert_eq!(bot.store.follow_chain(None).await.unwrap().n_unsigned, 0);
}

async fn after_its_keys_were_removed_a_store_signs_no_checkpoint_that_it_finds(trial: Trial) {
    let (bot, heads) = ran(&trial, 3).await;
    bot.day.store(9, Ordering::Relaxed);
    bot.run_for(Origin::Person, 4, ANN, HERE, "note").await.unwrap();
    while 0 < bot.store.remove_receipts(ReceiptKind::Called, noon() + Duration::from_hours(1), noon()).await.unwrap() {}
    // As one that was made with the key in the store.
    trial
        .tamper("UPDATE checkpoints SET key = NULL, signature = NULL; DELETE FROM heads; DELETE FROM receipt_keys")
        .await;
    drop(bot);
    let store = trial.open().await.signed_by(Arc::new(key(7)), Some(&heads[2])).await.unwrap();
    assert_eq!(store.verify_chain().await.unwrap(), Some(ChainBreak::Checkpoint(3)));
}

async fn receipts_from_before_the_first_key_are_signed_at_the_next_start(trial: Trial) {
    let (bot, _) = ran(&trial, 3).await;
    trial
        .tamper("DELETE FROM heads; DELETE FROM receipt_keys; UPDATE checkpoints SET key = NULL, signature = NULL")
        .await;
    assert!(matches!(bot.store.prove(ProofRange::All).await, Err(ProveError::Unsigned)));
    drop(bot);
    let store = signing(trial.open().await).await;
    let proof = store.prove(ProofRange::All).await.unwrap();
    assert_eq!((proof.heads.len(), proof.receipts.len()), (1, 3));
    assert_eq!(Proof::verify(&proof.to_text(), key(7).public()), Ok(proof));
}

async fn another_key_is_refused_and_a_new_one_is_told(trial: Trial) {
    let (bot, heads) = ran(&trial, 2).await;
    let refused = trial.open().await.signed_by(Arc::new(key(8)), None).await.unwrap_err();
    assert!(matches!(refused, SigningError::OtherKey { .. }), "{refused}");
    bot.store.rotate_receipt_key(&key(7), &key(8)).await.unwrap();
    let store = trial.open().await.signed_by(Arc::new(key(8)), None).await.unwrap();
    store.record_rotation(key(8).public()).await.unwrap();

    // Trust in one of the two keys is enough to verify the signatures of both.
    for trusted in [key(7).public(), key(8).public()] {
        assert_eq!(store.follow_chain(Some(trusted)).await.unwrap().broken, None);
        assert_eq!(store.compare_head(&heads[0], Some(trusted)).await.unwrap(), HeadFinding::Fits);
        let proof = store.prove(ProofRange::All).await.unwrap();
        assert_eq!(Proof::verify(&proof.to_text(), trusted), Ok(proof));
    }
    let keys = store.receipt_keys().await.unwrap();
    assert!(!keys[1].follows_a_lost_one(Some(&keys[0])));

    // The first key does not vouch for one that took the place of a lost one.
    store.replace_lost_key(&key(9), Some(key(8).public())).await.unwrap();
    let store = trial.open().await.signed_by(Arc::new(key(9)), None).await.unwrap();
    store.record_rotation(key(9).public()).await.unwrap();
    let keys = store.receipt_keys().await.unwrap();
    assert!(keys[2].follows_a_lost_one(Some(&keys[1])));
    assert!(matches!(store.follow_chain(Some(key(7).public())).await.unwrap().broken, Some(ChainBreak::Head(_))));
    assert_eq!(store.follow_chain(Some(key(9).public())).await.unwrap().broken, None);
}

async fn of_two_first_starts_with_different_keys_one_is_refused(trial: Trial) {
    for round in 0..10 {
        let one = trial.open().await;
        let other = trial.open().await;
        trial.tamper("DELETE FROM receipt_keys; DELETE FROM heads").await;
        let (one, other) = tokio::join!(one.signed_by(Arc::new(key(7)), None), other.signed_by(Arc::new(key(8)), None));
        assert_eq!(one.is_ok(), other.is_err(), "round {round}: {one:?} {other:?}");
        let refused = one.err().or(other.err()).unwrap();
        assert!(matches!(refused, SigningError::OtherKey { .. }), "{refused}");
        assert_eq!(trial.numbers("SELECT count(*) FROM receipt_keys").await, [1]);
    }
}

/// A change of a store, or a look at it.
#[derive(Clone, Copy, Debug)]
enum Step {
    Run,
    Prune(u64),
    Erase(u64),
    Rotate,
    BackUp,
    /// Of the backup with this number, counted in a circle.
    Restore(usize),
    Prove,
}

/// How many steps an order has.
const STEPS: usize = 40;

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let days = STEPS as u64;
    let step = prop_oneof![
        6 => Just(Step::Run),
        1 => (0..days).prop_map(Step::Prune),
        1 => (0..days).prop_map(Step::Erase),
        1 => Just(Step::Rotate),
        1 => Just(Step::BackUp),
        2 => (0..100_usize).prop_map(Step::Restore),
        2 => Just(Step::Prove),
    ];
    vec(step, STEPS)
}

/// A store through its changes, with everything that people outside of it have.
struct History {
    trial: Trial,
    bot: Bot,
    /// Of the key in use. The first one is 7.
    seed: u8,
    backups: Vec<PathBuf>,
    n_restored: usize,
    heads: Vec<SignedHead>,
    proofs: Vec<String>,
}

impl History {
    async fn new(trial: Trial) -> Self {
        let bot = Self::open(&trial, 7).await;
        Self { trial, bot, seed: 7, backups: Vec::new(), n_restored: 0, heads: Vec::new(), proofs: Vec::new() }
    }

    /// A bot that writes its heads beside its store.
    async fn open(trial: &Trial, seed: u8) -> Bot {
        let heads = trial.beside("receipts.head");
        let outside = newest_head(&heads).unwrap();
        let store = trial.open().await.signed_by(Arc::new(key(seed)), outside.as_ref()).await.unwrap();
        Bot::over(store.writing_heads(&heads).await.unwrap())
    }

    async fn take(&mut self, step: Step, day: u64) {
        let of_day = |day: u64| noon() + Duration::from_hours(24 * day);
        let store = self.bot.store.clone();
        match step {
            Step::Run => {
                let _receipt = self.bot.run_for(Origin::Person, 1 + day, ANN, HERE, "note").await.unwrap();
                self.heads.extend(store.last_head().await.unwrap());
            }
            Step::Prune(day) => {
                let _n_removed = store.remove_receipts(ReceiptKind::Called, of_day(day), noon()).await.unwrap();
            }
            Step::Erase(day) => {
                let _n_changed = store.take_out_arguments(of_day(day), None).await.unwrap();
            }
            Step::Rotate => {
                store.rotate_receipt_key(&key(self.seed), &key(self.seed + 1)).await.unwrap();
                store.close().await;
                self.seed += 1;
                self.bot = Self::open(&self.trial, self.seed).await;
                self.bot.store.record_rotation(key(self.seed).public()).await.unwrap();
            }
            Step::BackUp if self.trial.is_a_file() => {
                let copy = self.trial.beside(&format!("{}.backup", self.backups.len()));
                back_up(&self.trial.file(), &copy).await.unwrap();
                self.backups.push(copy);
            }
            Step::Restore(n) if !self.backups.is_empty() => {
                store.close().await;
                let heads = self.trial.beside("receipts.head");
                let signing = RestoreSigning { key: Arc::new(key(self.seed)), former: Vec::new(), heads };
                let backup = &self.backups[n % self.backups.len()];
                restore(&self.trial.file(), backup, Some(signing)).await.unwrap();
                self.bot = Self::open(&self.trial, self.seed).await;
                self.n_restored += 1;
            }
            // A server's own program makes and restores its backups.
            Step::BackUp | Step::Restore(_) => {}
            Step::Prove => self.proofs.extend(match store.prove(ProofRange::All).await {
                Ok(proof) => Some(proof.to_text()),
                Err(ProveError::Empty) => None,
                Err(problem) => panic!("no proof: {problem}"),
            }),
        }
        self.bot.day.store(day, Ordering::Relaxed);
    }

    async fn verify(&self, steps: &[Step]) {
        let store = &self.bot.store;
        let public = key(self.seed).public();
        let chain = store.follow_chain(Some(public)).await.unwrap();
        assert_eq!((&chain.broken, chain.n_unsigned, chain.is_emptied), (&None, 0, false), "{steps:?}");
        let beside = read_heads(&self.trial.beside("receipts.head")).unwrap().unwrap();
        for head in self.heads.iter().chain(&beside) {
            let finding = store.compare_head(head, Some(public)).await.unwrap();
            assert!(finding.is_good(), "{head:?} {finding} after {steps:?}");
        }
    }
}

async fn whatever_happens_to_the_store_each_proof_stays_valid(first: Trial) {
    let n_orders = if first.is_a_file() { 30 } else { 3 };
    let mut runner = TestRunner::deterministic();
    let mut total = (0, 0, 0);
    for _ in 0..n_orders {
        let steps = steps().new_tree(&mut runner).unwrap().current();
        let trial = match first.is_a_file() {
            true => Trial::on_sqlite(),
            false => Trial::on_postgres().await.unwrap(),
        };
        let mut history = History::new(trial).await;
        for (n, step) in steps.iter().enumerate() {
            history.take(*step, n as u64).await;
            if matches!(step, Step::Restore(_) | Step::Prune(_) | Step::Prove) {
                history.verify(&steps[..=n]).await;
            }
        }
        history.take(Step::Run, STEPS as u64).await;
        history.take(Step::Prove, STEPS as u64).await;
        history.verify(&steps).await;
        let mut kept = std::fs::read_dir(history.trial.beside("")).unwrap().map(|file| file.unwrap().file_name());
        assert!(!kept.any(|name| name.to_string_lossy().contains(".missing-")), "{steps:?}");
        for proof in &history.proofs {
            // The keys that came later endorse the first one only over their own proofs.
            assert!(Proof::verify(proof, key(7).public()).is_ok(), "{proof} {steps:?}");
        }
        total = (total.0 + history.proofs.len(), total.1 + usize::from(history.seed - 7), total.2 + history.n_restored);
    }
    let is_file = first.is_a_file();
    assert!(5 < total.0 && 5 < total.1 && is_file == (20 < total.2), "too little happened: {total:?}");
}
