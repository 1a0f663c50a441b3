//! What the prompt leaves of a small context, with everything that is shipped.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use candor_core::agent::prompt::{Asked, PastExchanges, PromptModel, Scene, opening};
use candor_core::agent::tools::OfferedSet;
use candor_core::agent::{ChatSettings, Exchange, ToolMode};
use candor_core::contract::check;
use candor_core::inbound::{ChannelId, GuildId, Place};
use candor_core::registry::{Catalog, Registry};
use candor_core::testing::chat;

/// English has more than four bytes in a token: 60 tokens of a question, and 200 of an answer.
const QUESTION_BYTES: usize = 260;
const ANSWER_BYTES: usize = 860;

#[test]
fn four_ordinary_exchanges_fit_into_4096_tokens_with_every_shipped_tool() {
    let checked = check(candor_engine::builtin::module(), candor_modules::all(), Vec::new());
    let catalog = Catalog::new(Arc::new(Registry::build(checked)), false);
    let writes: BTreeSet<_> =
        ["/files write", "/memory save", "/tasks add", "/tasks done", "/tasks remove"].map(str::to_owned).into();
    let place = Place::Guild { guild: GuildId(1), channel: ChannelId(2) };
    let offered = OfferedSet::of(&catalog, place, Some(&writes));
    assert_eq!(offered.tools().len(), 10, "every shipped tool: {offered:?}");
    let exchange = Exchange::new(&chat(&"q".repeat(QUESTION_BYTES)), "a".repeat(ANSWER_BYTES));
    let history = vec![exchange; 20];
    let scene =
        Scene { person: "Ada Lovelace", place, now: UNIX_EPOCH, background: &[], names: None, is_shared: false };
    let words = chat(&"w".repeat(QUESTION_BYTES));
    let asked = Asked::plain(&words);
    for mode in [ToolMode::Native, ToolMode::Text] {
        let model = PromptModel { mode, context_tokens: 4_096, answer_tokens: 1_024 };
        let past = PastExchanges { history: &history, n_older: 100 };
        let opened = opening(&ChatSettings::default(), model, &scene, &catalog, &offered, past, asked);
        let n_shown = opened.transcript.n_exchanges();
        assert!((4..20).contains(&n_shown), "{mode:?}: {n_shown} exchanges");
    }
}
