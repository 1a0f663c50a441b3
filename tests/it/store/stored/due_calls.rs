//! Calls at a later time: kept over restarts, and each taken by one process.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Map, json};

use super::{NOW, Trial, on_every_engine};
use crate::store::trial::{self, intent};
use candor_core::contract::{CallChange, DUE_CALLS_MAX, DueCall, DueCallId, DueCalls as _, LaterCall, ServiceError};
use candor_core::execution::{Begun, Left};
use candor_core::inbound::{
    Caller, ChannelId, CommandPath, EventId, GuildId, Member, Permissions, Place, RoleId, UserId,
};
use candor_core::language::Language;
use candor_core::record::{Origin, ReceiptId};
use candor_core::testing::ran;
use candor_engine::executor::{Beginning, Commit, Committed, Intent, Ledger as _, StagedChange};
use candor_engine::{DueAnswer, DueStore as _, DueTry, LeftOpen, MessageEnd, MessageOfReceipt, ReceiptBook as _};

on_every_engine!(
    a_call_survives_a_restart_as_it_was_asked_for_and_is_taken_when_it_is_due,
    of_many_processes_one_takes_a_call_and_another_only_after_its_time,
    the_pauses_between_tries_double_up_to_an_hour_so_that_a_call_outlasts_an_outage,
    a_person_sees_and_removes_their_own_alone_and_no_number_comes_twice,
    one_person_has_so_many_of_each_module_and_no_more_and_so_has_a_guild_itself,
    a_call_that_found_nothing_to_do_is_due_again_as_if_it_was_never_tried_and_its_event_is_free,
    the_calls_of_a_run_are_stored_with_its_receipt_or_not_at_all,
    a_call_that_was_made_is_not_made_again_and_its_answer_is_kept_until_it_is_sent,
    a_call_that_was_interrupted_is_made_again_if_it_changed_nothing_and_else_told_of,
);

const HERE: Place = Place::Guild { guild: GuildId(1), channel: ChannelId(2) };
const MINUTE: Duration = Duration::from_mins(1);

fn later(user: u64, minutes: u32) -> LaterCall {
    let member = Member { roles: vec![RoleId(5)], permissions: Some(Permissions(8)) };
    let german = Language::of_locale("de").unwrap();
    LaterCall {
        module: "remind".to_owned(),
        caller: Caller { language: german, member: Some(member), ..Caller::new(UserId(user), "") },
        place: HERE,
        path: CommandPath::new("remind", Some("add")),
        arguments: Map::from_iter([("text".to_owned(), json!("tea"))]),
        due: NOW + MINUTE * minutes,
    }
}

async fn a_call_survives_a_restart_as_it_was_asked_for_and_is_taken_when_it_is_due(trial: Trial) {
    let store = trial.open().await;
    let second = store.call_later(&later(7, 2)).await.unwrap();
    let first = store.call_later(&later(7, 1)).await.unwrap();
    store.close().await;

    let store = trial.open().await;
    assert_eq!(store.next_due().await.unwrap(), Some(NOW + MINUTE));
    assert_eq!(store.take_due(NOW, MINUTE).await.unwrap(), None);
    let taken = store.take_due(NOW + MINUTE * 3, MINUTE).await.unwrap().unwrap();
    assert_eq!((taken.due.id, taken.due.tries, taken.ran), (first, 1, None));
    assert_eq!(taken.due.call, later(7, 1));
    store.due_is_over(&taken.due, Some(MessageEnd::Sent)).await.unwrap();
    let taken = store.take_due(NOW + MINUTE * 3, MINUTE).await.unwrap().unwrap();
    assert_eq!(taken.due.id, second);
    store.due_is_over(&taken.due, None).await.unwrap();
    assert_eq!(store.next_due().await.unwrap(), None);
}

async fn of_many_processes_one_takes_a_call_and_another_only_after_its_time(trial: Trial) {
    let (first, second) = (trial.open().await, trial.open().await);
    let id = first.call_later(&later(7, 0)).await.unwrap();
    let all = (0..8).map(|n| if n % 2 == 0 { &first } else { &second }.take_due(NOW, MINUTE));
    let taken: Vec<_> = join_all(all).await.into_iter().filter_map(Result::unwrap).collect();
    assert_eq!(taken.iter().map(|taken| taken.due.id).collect::<Vec<_>>(), [id]);

    // Whoever had it ended in the middle of it.
    assert_eq!(second.take_due(NOW + MINUTE / 2, MINUTE).await.unwrap(), None);
    let again = second.take_due(NOW + MINUTE, MINUTE).await.unwrap().unwrap();
    assert_eq!((again.due.id, again.due.tries, again.refusals), (id, 2, 0));
    // Only what Discord refused is a refusal, and a try that was held back is none.
    for (how, expected) in [(DueTry::Failed, (3, 0)), (DueTry::Refused, (4, 1)), (DueTry::HeldBack, (4, 1))] {
        first.due_is_tried_again(id, NOW, how).await.unwrap();
        let again = second.take_due(NOW, MINUTE).await.unwrap().unwrap();
        assert_eq!((again.due.tries, again.refusals), expected, "{how:?}");
    }
}

async fn the_pauses_between_tries_double_up_to_an_hour_so_that_a_call_outlasts_an_outage(trial: Trial) {
    let store = trial.open().await;
    store.call_later(&later(7, 0)).await.unwrap();
    let (mut now, mut pauses) = (NOW, Vec::new());
    for _ in 0..9 {
        store.take_due(now, MINUTE).await.unwrap().unwrap();
        let next = store.next_due().await.unwrap().unwrap();
        pauses.push(next.duration_since(now).unwrap().as_secs() / 60);
        now = next;
    }
    assert_eq!(pauses, [1, 2, 4, 8, 16, 32, 60, 60, 60], "minutes");
}

async fn a_person_sees_and_removes_their_own_alone_and_no_number_comes_twice(trial: Trial) {
    let store = trial.open().await;
    let id = store.call_later(&later(7, 1)).await.unwrap();
    let of = async |module, scope, user| store.waiting(module, scope, UserId(user)).await.unwrap().len();
    let here = HERE.scope();
    assert_eq!(of("remind", &here, 7).await, 1);
    for (module, scope, user) in [("remind", here.as_str(), 8), ("remind", "guild:9", 7), ("poll", here.as_str(), 7)] {
        assert_eq!(of(module, scope, user).await, 0, "{module} {scope} {user}");
        assert!(!store.cancel(module, scope, UserId(user), id).await.unwrap(), "{module} {scope} {user}");
    }
    assert!(store.cancel("remind", &here, UserId(7), id).await.unwrap());
    assert!(!store.cancel("remind", &here, UserId(7), id).await.unwrap());
    assert_ne!(store.call_later(&later(7, 1)).await.unwrap(), id);
}

async fn one_person_has_so_many_of_each_module_and_no_more_and_so_has_a_guild_itself(trial: Trial) {
    let store = trial.open().await;
    for _ in 0..DUE_CALLS_MAX {
        store.call_later(&later(7, 1)).await.unwrap();
    }
    assert!(matches!(store.call_later(&later(7, 1)).await, Err(ServiceError::Full(_))));
    store.call_later(&later(8, 1)).await.unwrap();
    let other = LaterCall { module: "poll".to_owned(), ..later(7, 1) };
    store.call_later(&other).await.unwrap();

    let of_guild = |guild: u64| LaterCall {
        caller: Caller::of_guild(Language::ENGLISH),
        place: Place::Guild { guild: GuildId(guild), channel: ChannelId(2) },
        ..later(7, 1)
    };
    for _ in 0..DUE_CALLS_MAX {
        store.call_later(&of_guild(1)).await.unwrap();
    }
    assert!(matches!(store.call_later(&of_guild(1)).await, Err(ServiceError::Full(_))));
    let id = store.call_later(&of_guild(3)).await.unwrap();
    let waiting = store.waiting("remind", "guild:3", UserId::NOBODY).await.unwrap();
    assert_eq!(waiting, [DueCall { id, tries: 0, is_made: false, call: of_guild(3) }]);
}

async fn a_call_that_found_nothing_to_do_is_due_again_as_if_it_was_never_tried_and_its_event_is_free(trial: Trial) {
    let store = trial.open().await;
    let id = store.call_later(&later(7, 0)).await.unwrap();
    for minutes in [0, 5] {
        let taken = store.take_due(NOW + MINUTE * minutes, MINUTE).await.unwrap().unwrap();
        assert_eq!((taken.due.id, taken.due.tries, taken.ran), (id, 1, None), "{minutes}");
        // A process on a server writes down that it begins.
        let event = EventId::of_due(id);
        assert_eq!(store.begin(intent(event, Vec::new(), NOW)).await.unwrap(), Beginning::Begun, "{minutes}");
        store.call_again(event, NOW + MINUTE * (minutes + 5)).await.unwrap();
        assert_eq!(store.next_due().await.unwrap(), Some(NOW + MINUTE * (minutes + 5)));
        assert_eq!(store.open_intents(LeftOpen::all(NOW + MINUTE * 99, Duration::ZERO)).await.unwrap(), []);
    }
    // So it is if it may not be made for now.
    store.take_due(NOW + MINUTE * 10, MINUTE).await.unwrap().unwrap();
    store.due_again(id, NOW + MINUTE * 20).await.unwrap();
    assert_eq!(store.take_due(NOW + MINUTE * 19, MINUTE).await.unwrap(), None);
    assert_eq!(store.take_due(NOW + MINUTE * 20, MINUTE).await.unwrap().map(|taken| taken.due.tries), Some(1));
    // Whoever took it back meanwhile has nothing made.
    store.cancel("remind", &HERE.scope(), UserId(7), id).await.unwrap();
    store.call_again(EventId::of_due(id), NOW).await.unwrap();
    assert_eq!(store.next_due().await.unwrap(), None);
}

async fn the_calls_of_a_run_are_stored_with_its_receipt_or_not_at_all(trial: Trial) {
    let store = trial.open().await;
    let waiting = async || -> Vec<_> {
        let waiting = store.waiting("remind", &HERE.scope(), UserId(7)).await.unwrap();
        waiting.into_iter().map(|due| (due.id, due.call)).collect()
    };
    let commit = |event: u64, calls: Vec<CallChange>| {
        let changes = calls.into_iter().map(|change| StagedChange::Call(Box::new(change))).collect();
        trial::commit(event, ran(event, "remind add"), changes)
    };
    let add = |id: DueCallId, minutes: u32| CallChange::Add { id, call: later(7, minutes) };
    let cancel = |id: DueCallId| {
        let (module, scope) = ("remind".to_owned(), HERE.scope());
        CallChange::Cancel { module, scope, user: UserId(7), id }
    };
    let call = later(7, 1);
    let reserve = || store.reserve_call(&call, DUE_CALLS_MAX);
    let (first, second) = (reserve().await.unwrap(), reserve().await.unwrap());
    assert_eq!(waiting().await, [], "a number is no call");
    let both = commit(1, vec![add(first, 1), add(second, 2)]);
    assert_eq!(store.commit(both.clone()).await.unwrap(), Committed::Committed);
    assert_eq!(waiting().await, [(first, later(7, 1)), (second, later(7, 2))]);
    assert_eq!(store.commit(both).await.unwrap(), Committed::Committed, "the same once more changes nothing");

    // One that is gone meanwhile: nothing of the run is stored, not even that its event was claimed.
    assert_eq!(store.commit(commit(2, vec![cancel(first)])).await.unwrap(), Committed::Committed);
    assert_eq!(store.commit(commit(3, vec![cancel(second), cancel(first)])).await.unwrap(), Committed::Conflict);
    assert_eq!(waiting().await, [(second, later(7, 2))]);
    assert_eq!(store.find(ReceiptId::from_number(3)).await.unwrap(), None);
    let third = reserve().await.unwrap();
    assert_eq!(store.commit(commit(3, vec![add(third, 3)])).await.unwrap(), Committed::Committed);

    // What is removed makes room for what is added.
    for _ in 2..DUE_CALLS_MAX {
        store.call_later(&later(7, 9)).await.unwrap();
    }
    assert!(matches!(reserve().await, Err(ServiceError::Full(_))));
    let fourth = third + 1_000;
    assert!(matches!(store.commit(commit(4, vec![add(fourth, 1)])).await, Err(ServiceError::Full(_))));
    let exchanged = commit(4, vec![add(fourth, 1), cancel(second)]);
    assert_eq!(store.commit(exchanged).await.unwrap(), Committed::Committed);
    assert_eq!(waiting().await[..2], [(fourth, later(7, 1)), (third, later(7, 3))]);

    // Of several that are added at once in the last place, one is.
    assert_eq!(store.commit(commit(5, vec![cancel(third)])).await.unwrap(), Committed::Committed);
    let other = trial.open().await;
    let added = (6..14).map(|event| {
        let id = fourth + DueCallId::try_from(event).unwrap();
        if event % 2 == 0 { &store } else { &other }.commit(commit(event, vec![add(id, 5)]))
    });
    let added: Vec<_> = join_all(added).await.into_iter().filter_map(Result::ok).collect();
    assert_eq!(added, [Committed::Committed]);
    assert_eq!(waiting().await.len(), DUE_CALLS_MAX);
}

async fn a_call_that_was_made_is_not_made_again_and_its_answer_is_kept_until_it_is_sent(trial: Trial) {
    let store = trial.open().await;
    for (number, end) in [(1, MessageEnd::Sent), (2, MessageEnd::SentDirectly), (3, MessageEnd::GivenUp)] {
        let id = store.call_later(&later(7, 0)).await.unwrap();
        store.take_due(NOW, MINUTE).await.unwrap().unwrap();
        let due = Some("Reminder".to_owned());
        let commit = Commit { due, ..trial::commit(EventId::of_due(id).0, ran(number, "remind add"), Vec::new()) };
        assert_eq!(store.commit(commit.clone()).await.unwrap(), Committed::Committed);
        let again = Commit { receipt: ran(99, "remind add"), ..commit };
        assert_eq!(store.commit(again).await.unwrap(), Committed::ClaimedBefore);
        let listed = store.waiting("remind", &HERE.scope(), UserId(7)).await.unwrap();
        assert_eq!(listed.iter().map(|due| (due.id, due.is_made)).collect::<Vec<_>>(), [(id, true)]);

        let receipt = ReceiptId::from_number(number);
        let taken = store.take_due(NOW + MINUTE, MINUTE).await.unwrap().unwrap();
        assert_eq!((taken.due.id, taken.due.tries), (id, 2));
        assert_eq!(taken.ran, Some(DueAnswer { receipt, text: Some("Reminder".to_owned()) }));
        store.due_is_over(&taken.due, Some(end)).await.unwrap();
        assert_eq!(store.next_due().await.unwrap(), None);
        let kept = store.kept_answer(receipt).await.unwrap();
        assert_eq!(kept.is_none(), end.is_shown(), "what nobody saw is in `/receipt`");
        let delivered = MessageOfReceipt { channel: ChannelId(2), end: Some(end) };
        assert_eq!(store.messages_of(receipt).await.unwrap(), [delivered]);
    }
}

async fn a_call_that_was_interrupted_is_made_again_if_it_changed_nothing_and_else_told_of(trial: Trial) {
    let store = trial.open().await;
    for (number, left) in [(1, Left::Nothing), (2, Left::Unknown)] {
        let id = store.call_later(&later(7, 0)).await.unwrap();
        store.take_due(NOW, MINUTE).await.unwrap().unwrap();
        let of_call = intent(EventId::of_due(id), Vec::new(), NOW);
        let begun = Begun { origin: Origin::Due, id: ReceiptId::from_number(number), ..of_call.begun.clone() };
        assert_eq!(store.begin(Intent { begun: begun.clone(), ..of_call }).await.unwrap(), Beginning::Begun);
        let (receipt, text) = begun.interrupted(left);
        store.keep_answer(begun.id, &text, NOW).await.unwrap();
        assert!(store.close_intent(begun.event, Some(receipt)).await.unwrap());

        let taken = store.take_due(NOW + MINUTE, MINUTE).await.unwrap().unwrap();
        let answer = DueAnswer { receipt: begun.id, text: Some(text) };
        assert_eq!(taken.ran, (left == Left::Unknown).then_some(answer));
        assert_eq!(store.claim(begun.event, NOW).await.unwrap(), left == Left::Nothing, "it may run again");
        store.due_is_over(&taken.due, Some(MessageEnd::Sent)).await.unwrap();
    }
}
