//! Discord's refusals for the rate: every kind of them, on every kind of request, is waited for, and nothing is lost.

use discord_twin::{Fault, Interaction, Message, Recorded, Twin};

use crate::discord::connected::connect;
use crate::discord::connection::{admin_address, answers};
use crate::support::bot::{Bot, Folder, PATIENCE};

/// The pause that Discord asks for.
const PAUSE_S: f64 = 0.4;
const PAUSE_MS: u64 = 400;

type Kind = fn(&str, &str, f64) -> Fault;

/// What they are called in the metrics, the refusal, and how many of Discord's invalid requests each is.
const KINDS: [(&str, Kind, u64); 3] =
    [("route", Fault::rate_limited, 1), ("shared", Fault::shared_limit, 0), ("global", Fault::global_limit, 1)];

/// Waits until a request on this route succeeds, and holds that it is the second one, after the pause.
async fn repeated_after_its_pause(twin: &Twin, bot: &Bot, seen: u64, (method, path): (&str, &str), case: &str) {
    let is_on_route =
        |request: &Recorded| seen <= request.n && request.method == method && request.path.starts_with(path);
    let is_repeated = |request: &Recorded| is_on_route(request) && request.accepted();
    let repeated = twin.wait_for(PATIENCE, is_repeated).await;
    let repeated = repeated.unwrap_or_else(|| panic!("{case} is lost; log:\n{}", bot.log()));
    let before: Vec<_> =
        twin.requests().into_iter().filter(|request| is_on_route(request) && request.n < repeated.n).collect();
    let [refused] = &before[..] else { panic!("{case}: {before:?}") };
    assert_eq!(refused.status, 429, "{case}");
    assert!(PAUSE_MS <= repeated.at_ms - refused.at_ms, "{case}: too early");
}

/// M8: a pause was kept on some routes only.
#[tokio::test(flavor = "multi_thread")]
async fn m8_each_kind_of_limit_on_each_route_is_waited_for_and_nothing_is_lost() {
    let connected = connect("").await;
    let twin = &connected.twin;
    for (name, kind, n_invalid) in KINDS {
        for route in [("POST", "/channels"), ("POST", "/interactions"), ("PATCH", "/webhooks")] {
            let (seen, invalid_before) = (twin.n_requests(), twin.n_invalid());
            twin.fail_next(kind(route.0, route.1, PAUSE_S));
            // It writes to the disk, so it is never ready at once.
            let add = Interaction::slash("tasks").subcommand("add").option("title", name);
            match route {
                (_, "/channels") => drop(twin.say(Message::to_bot("/tasks list"))),
                // Old enough to be put off at once.
                ("PATCH", _) => drop(twin.interact(add.aged_ms(1_500))),
                _ => drop(twin.interact(add)),
            }
            let case = format!("{name}: {route:?}");
            repeated_after_its_pause(twin, &connected.bot, seen, route, &case).await;
            assert_eq!(twin.n_invalid() - invalid_before, n_invalid, "{case}");
        }
    }
    let address = admin_address(&connected.bot);
    for (name, ..) in KINDS {
        answers(address, "/metrics", true, &format!("candor_rest_limits_total{{scope=\"{name}\"}} 3")).await;
    }
}

/// The same for what is read at the start.
#[tokio::test(flavor = "multi_thread")]
async fn m8_each_kind_of_limit_on_what_is_read_at_the_start_is_waited_for() {
    for (name, kind, n_invalid) in KINDS {
        for path in ["/gateway/bot", "/oauth2/applications/@me"] {
            let twin = Twin::start().await.unwrap();
            twin.fail_next(kind("GET", path, PAUSE_S));
            let folder = Folder::with("");
            let bot = Bot::start(&folder, &twin.url());
            assert!(twin.wait_ready(PATIENCE).await, "{name} {path}:\n{}", bot.log());
            repeated_after_its_pause(&twin, &bot, 0, ("GET", path), &format!("{name} {path}")).await;
            assert_eq!(twin.n_invalid(), n_invalid, "{name} {path}");
        }
    }
}
