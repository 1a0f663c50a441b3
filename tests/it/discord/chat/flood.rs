//! A person who floods the bot fills only their own share, and is told once.

use discord_twin::{Interaction, Message, USER_ID};

use crate::discord::chat::talking::{connect_to_model, shown, standing};
use crate::support::said::{said, says};
use crate::support::scripted_model::Script;

const ANN: u64 = USER_ID;
const BEN: u64 = USER_ID + 1;
const CARL: u64 = USER_ID + 2;

/// H5: seventy messages of one person at a slow model made the bot "busy" for everybody.
#[tokio::test(flavor = "multi_thread")]
async fn h5_seventy_messages_of_one_person_keep_nobody_else_from_an_answer() {
    let scripts = vec![Script::never(), Script::says("To Ben.")];
    let (connected, model) = connect_to_model(scripts, "[chat.access]\nper_minute = 100\n").await;
    let twin = &connected.twin;
    twin.say(Message::to_bot("0").by(ANN));
    while model.asked().is_empty() {
        tokio::task::yield_now().await;
    }
    for n in 1..70 {
        twin.say(Message::to_bot(&n.to_string()).by(ANN));
    }
    twin.say(Message::to_bot("hello").by(BEN));
    shown(&connected, "To Ben.").await;
    twin.say(Message::text("/tasks list").mentions_bot().by(CARL));
    shown(&connected, "Nothing is open.").await;
    assert_eq!(twin.refused(), []);
}

/// M8: each of a flood of messages was answered by a notice of its own.
#[tokio::test(flavor = "multi_thread")]
async fn m8_who_floods_is_told_once_and_the_rest_is_counted() {
    let (connected, _model) =
        connect_to_model(vec![Script::says("To Ben.")], "[chat.access]\nper_minute = 1\nusers = [\"5\"]\n").await;
    let twin = &connected.twin;
    for _ in 0..20 {
        twin.say(Message::to_bot("let me in").by(ANN));
    }
    for name in ["/nothing", "/no", "/nothing"] {
        twin.say(Message::text(name).mentions_bot().by(BEN));
    }
    let refused = said!("chat-denied-person");
    shown(&connected, &refused).await;
    for name in ["/nothing", "/no"] {
        shown(&connected, &format!("`{name}`")).await;
    }
    connected.answer(Interaction::slash("help")).await;
    let told = standing(&connected).into_iter().filter(|text| says(text, refused.clone())).count();
    assert_eq!(told, 1);
    assert_eq!(standing(&connected).into_iter().filter(|text| text.contains("`/nothing`")).count(), 1);
}
