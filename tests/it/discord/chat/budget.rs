//! A budget of chat on Discord: what was used is counted, and no turn begins beyond it.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use discord_twin::{CHANNEL_ID, Interaction, Message, USER_ID};
use serde_json::json;

use crate::discord::chat::talking::{connect_to_model, is_asked, shown, standing};
use crate::discord::connected::Connected;
use crate::discord::connection::{admin_address, answers, answers_so};
use crate::support::bot::{Bot, PATIENCE};
use crate::support::said::{ANY, assert_says, said};
use crate::support::scripted_model::Script;

const CATEGORY: u64 = CHANNEL_ID + 8;

/// When the budget begins anew, as Discord's clients show it relative to now.
fn end_of_day() -> String {
    const DAY: u64 = 24 * 60 * 60;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO).as_secs();
    format!("<t:{}:R>", (now / DAY + 1) * DAY)
}

/// Waits until at least 4 estimated tokens are counted.
async fn has_estimated(bot: &Bot) {
    const ESTIMATED: &str = "candor_chat_day_tokens{by=\"estimate\"} ";
    let is_estimated = |metrics: &str| {
        let tokens = metrics.lines().find_map(|line| line.strip_prefix(ESTIMATED)?.parse::<u64>().ok());
        tokens.is_some_and(|tokens| 4 <= tokens)
    };
    answers_so(admin_address(bot), "/metrics", true, "an estimate", is_estimated).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn beyond_the_budget_the_model_is_not_asked_and_commands_still_run() {
    // The scripted model counts 2 tokens for each answer: the second turn reaches the limit.
    let scripts = vec![Script::says("One."), Script::says("Two."), Script::says("Three.")];
    let (connected, _model) = connect_to_model(scripts, "[chat.budget]\nperson_tokens = 4\n").await;
    let when = end_of_day();
    for (words, answer) in [("hello", "One."), ("again", "Two.")] {
        connected.twin.say(Message::to_bot(words));
        shown(&connected, answer).await;
    }
    connected.twin.say(Message::to_bot("and once more"));
    // At midnight a new budget begins.
    if when == end_of_day() {
        shown(&connected, &said!("chat-budget-person", when = when)).await;
        assert!(!standing(&connected).iter().any(|text| text.contains("Three.")), "the model was asked");
    }
    let help = connected.answer(Interaction::slash("help")).await;
    assert!(help.text().contains("/status"), "commands still run: {}", help.text());
    assert_eq!(connected.twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn usage_shows_ones_own_and_operators_all() {
    const OPERATOR: u64 = 1_100_000_000_000_000_077;
    let config = format!("[access]\noperators = [\"{OPERATOR}\"]\n[chat.budget]\nperson_tokens = 100\nbot_turns = 9\n");
    // The scripted model counts 2 tokens for each answer.
    let (connected, _model) = connect_to_model(vec![Script::says("One.")], &config).await;
    let when = end_of_day();
    connected.twin.say(Message::to_bot("hello"));
    shown(&connected, "One.").await;

    let own = connected.answer(Interaction::slash("usage")).await;
    let all = connected.answer(Interaction::slash("usage").by(OPERATOR)).await;
    if when != end_of_day() {
        // It is midnight, and a new day has begun.
        return;
    }
    let (own, all) = (own.text(), all.text());
    for text in [&own, &all] {
        assert!(text.contains(&said!("usage-resets", when = when.clone())), "{text}");
    }
    let tokens = said!("usage-tokens-of", n = 2, limit = 100);
    assert!(own.contains(&tokens) && own.contains(&said!("usage-turns", n = 1)), "{own}");
    assert!(!own.contains(&said!("usage-bot")), "the figures of all are for operators: {own}");
    // An operator has used nothing; the bot, the guild and the person are those of the one turn.
    assert!(all.contains(&said!("usage-tokens-of", n = 0, limit = 100)), "{all}");
    assert!(all.contains(&said!("usage-turns-of", n = 1, limit = 9)), "{all}");
    for expected in ["`person:1100000000000000005`: ", "`guild:1100000000000000002`: "] {
        assert!(all.contains(expected), "{all}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_servers_and_the_bots_budgets_end_turns_of_everybody_and_the_operator_is_warned_once() {
    // The scripted model counts 2 tokens for each answer, and each turn is another person's.
    let cases = [
        ("guild_tokens = 6\n", "chat-budget-guild", 0),
        ("bot_tokens = 5\n", "chat-budget-bot", 1),
        ("bot_turns = 3\n", "chat-budget-bot", 1),
    ];
    for (limit, refusal, n_warnings) in cases {
        let scripts = ["One.", "Two.", "Three.", "Four."].map(Script::says).into();
        let (connected, model) = connect_to_model(scripts, &format!("[chat.budget]\n{limit}")).await;
        let when = end_of_day();
        for (person, answer) in (0..).zip(["One.", "Two.", "Three."]) {
            connected.twin.say(Message::to_bot("hello").by(USER_ID + person));
            shown(&connected, answer).await;
        }
        connected.twin.say(Message::to_bot("hello").by(USER_ID + 3));
        // At midnight a new budget begins.
        if when != end_of_day() {
            return;
        }
        let refusal = match refusal {
            "chat-budget-guild" => said!("chat-budget-guild", when = when),
            _ => said!("chat-budget-bot", when = when),
        };
        shown(&connected, &refusal).await;
        assert_eq!(model.asked().len(), 3, "{limit}");
        answers(admin_address(&connected.bot), "/metrics", true, "candor_chat_day_tokens{by=\"server\"} 6").await;
        let warnings = connected.bot.log().matches("80 % or more of the bot's budget").count();
        assert_eq!(warnings, n_warnings, "{limit}: {}", connected.bot.log());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_counts_no_tokens_has_them_estimated_and_the_estimate_counts() {
    let uncounted = json!({"choices": [{"index": 0, "message": {"role": "assistant", "content": "One."},
        "finish_reason": "stop"}]});
    let (connected, model) =
        connect_to_model(vec![Script::json(uncounted), Script::says("Two.")], "[chat.budget]\nperson_tokens = 4\n")
            .await;
    let when = end_of_day();
    connected.twin.say(Message::to_bot("hello"));
    shown(&connected, "One.").await;
    has_estimated(&connected.bot).await;
    connected.twin.say(Message::to_bot("again"));
    if when == end_of_day() {
        shown(&connected, &said!("chat-budget-person", when = when)).await;
        assert_eq!(model.asked().len(), 1);
        // Whoever looks is told that it is an estimate.
        let usage = connected.answer(Interaction::slash("usage")).await;
        assert_says(usage.text(), said!("usage-estimated", n = ANY));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_turn_asked_counts_also_if_it_is_ended_before_the_model_begins() {
    let (connected, model) =
        connect_to_model(vec![Script::never(), Script::says("Two.")], "[chat.budget]\nperson_tokens = 4\n").await;
    let when = end_of_day();
    let question = connected.twin.say(Message::to_bot("hello"));
    is_asked(&model, 1).await;
    connected.twin.delete_message(question);
    shown(&connected, &said!("note-deleted")).await;
    has_estimated(&connected.bot).await;
    connected.twin.say(Message::to_bot("again"));
    if when == end_of_day() {
        shown(&connected, &said!("chat-budget-person", when = when.as_str())).await;
        assert_eq!(model.asked().len(), 1);
    }

    // The next process knows what was used of the day before anybody asks.
    let Connected { bot, twin, folder, .. } = connected;
    assert!(bot.stop().success());
    let bot = Bot::start(&folder, &twin.url());
    bot.hears(&["INFO", "ready"]);
    if when == end_of_day() {
        has_estimated(&bot).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_turn_would_have_asked_does_not_count_if_it_ends_while_it_waits_for_a_place_at_the_model() {
    // The server gets as many requests at once, and keeps each.
    const AT_ONCE: usize = 8;
    let config = "[chat.access]\nturns_at_once = 20\n[chat.budget]\nperson_tokens = 4\n";
    let scripts = std::iter::repeat_with(Script::never).take(AT_ONCE).collect();
    let (connected, model) = connect_to_model(scripts, config).await;
    for person in (1..).take(AT_ONCE) {
        connected.twin.say(Message::to_bot("hello").by(USER_ID + person));
    }
    is_asked(&model, AT_ONCE).await;
    let question = connected.twin.say(Message::to_bot("a question of some length").in_channel(CHANNEL_ID + 1));
    let typing = format!("/channels/{}/typing", CHANNEL_ID + 1);
    let typed = connected.twin.wait_for(PATIENCE, |request| request.path.ends_with(&typing)).await;
    assert!(typed.is_some(), "{}", connected.bot.log());
    // It begins in milliseconds, and then waits for ten minutes.
    tokio::time::sleep(Duration::from_millis(300)).await;
    connected.twin.delete_message(question);
    shown(&connected, &said!("note-deleted")).await;

    let usage = connected.answer(Interaction::slash("usage")).await;
    let none = said!("usage-tokens-of", n = 0, limit = 4);
    assert!(usage.text().contains(&none), "{}", usage.text());
    assert_eq!(model.asked().len(), AT_ONCE);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_operator_is_warned_once_a_day_also_over_restarts() {
    const WARNED: &str = "80 % or more of the bot's budget";
    let (connected, _model) = connect_to_model(vec![Script::says("One.")], "[chat.budget]\nbot_turns = 1\n").await;
    let when = end_of_day();
    connected.twin.say(Message::to_bot("hello"));
    shown(&connected, "One.").await;
    connected.bot.hears(&["WARN", WARNED]);
    let Connected { bot, twin, folder, .. } = connected;
    assert!(bot.stop().success());
    for _ in 0..2 {
        let bot = Bot::start(&folder, &twin.url());
        bot.hears(&["INFO", "ready"]);
        answers(admin_address(&bot), "/metrics", true, "\ncandor_chat_day_turns 1\n").await;
        assert!(when != end_of_day() || !bot.log().contains(WARNED), "{}", bot.log());
        assert!(bot.stop().success());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_place_has_a_budget_for_everybody_in_it_together() {
    const OPERATOR: u64 = 1_100_000_000_000_000_077;
    let config = format!(
        "[access]\noperators = [\"{OPERATOR}\"]\n[chat.places.\"{CATEGORY}\"]\nday_turns = 1\n\
         [chat.places.\"{CHANNEL_ID}\"]\nday_turns = 9\n"
    );
    let scripts = ["One.", "Two."].into_iter().map(Script::says).collect();
    let (connected, _model) = connect_to_model(scripts, &config).await;
    connected.twin.put_into_category(CHANNEL_ID, CATEGORY);
    let when = end_of_day();
    connected.twin.say(Message::to_bot("hello"));
    shown(&connected, "One.").await;
    connected.twin.say(Message::to_bot("and I?").by(USER_ID + 1));
    let used_up = shown_if(when == end_of_day(), &connected, &said!("chat-budget-place", when = when.clone())).await;
    // Elsewhere there is no such limit.
    connected.twin.say(Message::to_bot("and here?").by(USER_ID + 1).in_channel(CHANNEL_ID + 20));
    shown(&connected, "Two.").await;
    let all = connected.answer(Interaction::slash("usage").by(OPERATOR)).await.text();
    if used_up {
        let of = |id: u64| said!("usage-place", id = id.to_string());
        assert!(all.contains(&of(CATEGORY)) && all.contains(&of(CHANNEL_ID)), "{all}");
        assert!(all.contains(&said!("usage-turns-of", n = 1, limit = 1)), "{all}");
    }
}

/// Waits until this is shown, unless a new day has begun.
async fn shown_if(is_today: bool, connected: &Connected, text: &str) -> bool {
    if is_today {
        shown(connected, text).await;
    }
    is_today
}
