//! Custom ids that verify, and all those that do not.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::*;
use crate::custom_id::{CUSTOM_ID_MAX, LIFETIME, LIFETIME_FOR_EVERYONE, PAYLOAD_MAX, VERSION};
use crate::custom_id::{Decision, QuestionId};
use candor_core::inbound::{CommandPath, EventId, UserId};
use candor_core::record::TurnId;
use candor_core::reply::PreparedCall;
use candor_engine::SigningKey;

const ALICE: UserId = UserId(u64::MAX - 1);

fn ids() -> CustomIds {
    CustomIds::new(SigningKey::new([7; 32]))
}

fn at(second: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(second)
}

fn call(names: &[&str], arguments: Value) -> PreparedCall {
    let Value::Object(arguments) = arguments else { panic!("no object") };
    PreparedCall {
        path: CommandPath::at(candor_core::inbound::CommandType::Slash, names),
        arguments,
        in_place: true,
        once: false,
        for_everyone: false,
    }
}

fn signed(purpose: &Purpose) -> String {
    ids().for_person(ALICE, at(1_000)).sign(purpose, 3).unwrap()
}

fn purposes() -> Vec<Purpose> {
    let call = |arguments| call(&["tasks", "list"], arguments);
    let question = QuestionId { message: 1 << 60, number: 2 };
    vec![
        Purpose::Run(call(json!({}))),
        Purpose::Run(call(json!({"page": 2, "kind": "{ü \""}))),
        Purpose::Run(PreparedCall { in_place: false, ..call(json!({"page": 2})) }),
        Purpose::Run(call(json!({"at": -2, "by": "a=b:c", "no": "", "on": true}))),
        Purpose::Run(call(json!({"text": "two words", "x": [1]}))),
        Purpose::Fill { call: call(json!({"page": 2})), option: "kind".to_owned() },
        Purpose::Run(PreparedCall { once: true, ..call(json!({"page": 2})) }),
        Purpose::Ask(PreparedCall { once: true, in_place: false, ..call(json!({"page": 2})) }),
        Purpose::Run(PreparedCall { once: true, in_place: false, ..call(json!({})) }),
        Purpose::Fill { call: PreparedCall { once: true, ..call(json!({})) }, option: "kind".to_owned() },
        Purpose::Fill {
            call: PreparedCall { once: true, in_place: false, ..call(json!({})) },
            option: "kind".to_owned(),
        },
        Purpose::Fill { call: PreparedCall { in_place: false, ..call(json!({})) }, option: "kind".to_owned() },
        Purpose::Run(PreparedCall { for_everyone: true, ..call(json!({"page": 2})) }),
        Purpose::Run(PreparedCall { for_everyone: true, once: true, in_place: false, ..call(json!({})) }),
        Purpose::Fill { call: PreparedCall { for_everyone: true, ..call(json!({})) }, option: "kind".to_owned() },
        Purpose::Submit { path: CommandPath::new("help", None), arguments: Map::new(), control: None },
        Purpose::Submit { path: CommandPath::new("help", None), arguments: Map::new(), control: Some(EventId(7)) },
        Purpose::Decide(question, Decision::Confirm),
        Purpose::Decide(question, Decision::Decline),
        Purpose::Offer(TurnId(u64::MAX), 3),
        Purpose::Stop(EventId(u64::MAX)),
        Purpose::GoOn(TurnId(u64::MAX)),
        Purpose::AskAgain(TurnId(u64::MAX)),
        Purpose::Nothing,
    ]
}

#[test]
fn every_purpose_reads_back_for_its_person_in_its_time() {
    for purpose in purposes() {
        let id = signed(&purpose);
        assert!(id.len() <= CUSTOM_ID_MAX, "{id}");
        assert_eq!(ids().open(&id, ALICE, at(1_000)), Ok(purpose));
    }
}

#[test]
fn another_person_another_time_another_key_and_a_former_form_are_told_apart() {
    let day = LIFETIME.as_secs();
    let run = Purpose::Run(call(&["tasks", "list"], json!({"page": 2})));
    let list = CommandPath::new("tasks", Some("list"));
    let id = signed(&run);
    assert_eq!(ids().open(&id, ALICE, at(999 + day)), Ok(run));
    for now in [at(1_000), at(1_000 + day)] {
        assert_eq!(ids().open(&id, UserId(1), now), Err(Refused::Foreign(Some(list.clone()))));
    }
    assert_eq!(ids().open(&id, ALICE, at(1_000 + day)), Err(Refused::Expired(Some(list))));
    let offer = Purpose::Offer(TurnId(7), 1);
    assert_eq!(ids().open(&signed(&offer), UserId(1), at(1_000)), Err(Refused::Foreign(None)));
    assert_eq!(ids().open(&signed(&Purpose::Nothing), ALICE, at(1_000 + day)), Err(Refused::Expired(None)));
    // Operators stop turns of others: who is one is not for the signature to say.
    let stop = Purpose::Stop(EventId(7));
    assert_eq!(ids().open(&signed(&stop), UserId(1), at(1_000)), Ok(stop));
    let go_on = Purpose::GoOn(TurnId(7));
    assert_eq!(ids().open(&signed(&go_on), UserId(1), at(1_000)), Err(Refused::Foreign(None)));
    let other_key = CustomIds::new(SigningKey::new([8; 32]));
    assert_eq!(other_key.open(&id, ALICE, at(1_000)), Err(Refused::Forged));
    let later_version = URL_SAFE_NO_PAD.encode([VERSION + 1; 40]);
    let cases = [
        ("", Refused::Unknown),
        ("old", Refused::Unknown),
        ("not base64!", Refused::Unknown),
        (later_version.as_str(), Refused::Unknown),
        ("AQ", Refused::Forged),
        ("AQAAAAAAAAAAAAAAAAAAAAAA", Refused::Forged),
        ("confirm:1-2:yes", Refused::Expired(None)),
        ("fix:7", Refused::Expired(None)),
    ];
    for (custom_id, refused) in cases {
        assert_eq!(ids().open(custom_id, ALICE, at(1_000)), Err(refused), "{custom_id}");
    }
}

#[test]
fn what_is_for_everyone_opens_for_anybody_in_its_longer_time_and_is_signed_all_the_same() {
    let vote = Purpose::Run(PreparedCall { for_everyone: true, ..call(&["poll", "vote"], json!({"id": 2})) });
    let id = signed(&vote);
    let end = 1_000 + LIFETIME_FOR_EVERYONE.as_secs();
    for by in [ALICE, UserId(1)] {
        assert_eq!(ids().open(&id, by, at(end - 1)), Ok(vote.clone()));
        let expired = Refused::Expired(Some(CommandPath::new("poll", Some("vote"))));
        assert_eq!(ids().open(&id, by, at(end)), Err(expired));
    }
    // Nothing but a run can be for everyone.
    let (kind, payload) = Purpose::GoOn(TurnId(7)).encode().unwrap();
    assert_eq!(Purpose::decode(kind | 0x80, &payload), None);
}

#[test]
fn two_controls_that_do_the_same_have_ids_of_their_own() {
    let ids = ids();
    let signer = ids.for_person(ALICE, at(1_000));
    assert_ne!(signer.sign(&Purpose::Nothing, 0), signer.sign(&Purpose::Nothing, 1));
}

#[test]
fn what_does_not_fit_is_an_error_and_the_longest_that_fits_does() {
    let with = |length: usize| Purpose::Run(call(&["a"], json!({"t": "x".repeat(length)})));
    let longest = PAYLOAD_MAX - "a t=".len();
    let ids = ids();
    let signer = ids.for_person(ALICE, at(1_000));
    assert_eq!(signer.sign(&with(longest), 0).map(|id| id.len()), Ok(CUSTOM_ID_MAX));
    assert_eq!(signer.sign(&with(longest + 1), 0), Err(DoesNotFit));
    let menu = CommandPath::at(candor_core::inbound::CommandType::UserMenu, &["Greet"]);
    let menu = Purpose::Run(PreparedCall {
        path: menu,
        arguments: Map::new(),
        in_place: false,
        once: false,
        for_everyone: false,
    });
    assert_eq!(signer.sign(&menu, 0), Err(DoesNotFit));
}

proptest! {
    #[test]
    fn any_flipped_bit_is_refused(purpose in prop::sample::select(purposes()), at_bit in any::<prop::sample::Index>()) {
        let id = signed(&purpose);
        let mut bytes = URL_SAFE_NO_PAD.decode(&id).unwrap();
        let bit = at_bit.index(bytes.len() * 8);
        bytes[bit / 8] ^= 1 << (bit % 8);
        let refused = ids().open(&URL_SAFE_NO_PAD.encode(&bytes), ALICE, at(1_000));
        let expected = if bit < 8 { Refused::Unknown } else { Refused::Forged };
        prop_assert_eq!(refused, Err(expected));
    }

    #[test]
    fn any_changed_character_is_refused(at_character in any::<prop::sample::Index>(), other in "[A-Za-z0-9_-]") {
        let id = signed(&Purpose::Run(call(&["tasks", "list"], json!({"page": 2}))));
        let index = at_character.index(id.len());
        let changed: String = id.chars().enumerate().map(|(i, c)| if i == index { other.clone() } else { c.into() }).collect();
        prop_assume!(changed != id);
        prop_assert!(ids().open(&changed, ALICE, at(1_000)).is_err());
    }

    #[test]
    fn any_call_that_fits_reads_back(
        names in prop::collection::vec("[a-zß-ö0-9_-]{1,8}", 1..=3),
        text in any::<String>(), number in any::<i64>(), user in any::<u64>(), now in 0_u64..4_000_000_000,
    ) {
        let names: Vec<_> = names.iter().map(String::as_str).collect();
        let purpose = Purpose::Run(call(&names, json!({"t": text, "n": number})));
        let ids = ids();
        match ids.for_person(UserId(user), at(now)).sign(&purpose, 0) {
            Ok(id) => {
                prop_assert!(id.len() <= CUSTOM_ID_MAX);
                prop_assert_eq!(ids.open(&id, UserId(user), at(now)), Ok(purpose));
            }
            Err(DoesNotFit) => {
                let length = names.join(" ").len() + json!({"t": text, "n": number}).to_string().len();
                prop_assert!(PAYLOAD_MAX < length);
            }
        }
    }

    #[test]
    fn nothing_made_up_is_taken(custom_id in any::<String>(), bytes in prop::collection::vec(any::<u8>(), 0..75)) {
        prop_assert!(ids().open(&custom_id, ALICE, at(1_000)).is_err());
        let in_form = URL_SAFE_NO_PAD.encode([vec![VERSION], bytes].concat());
        prop_assert_eq!(ids().open(&in_form, ALICE, at(1_000)), Err(Refused::Forged));
    }
}
