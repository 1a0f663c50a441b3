//! Limits how much of a conversation the model is shown.

use crate::agent::Exchange;
use crate::agent::prompt::voices::naming_bytes;

/// The tokens of a message besides its text: its role and the marks around it.
const TOKENS_A_MESSAGE: usize = 4;
/// The estimated bytes per token. Only a few tokenizers need more tokens, for a few languages.
pub(crate) const BYTES_A_TOKEN: usize = 3;

/// Estimates the tokens of a message. The estimate is safe for most models.
pub(crate) fn message_tokens(text: &str) -> usize {
    text.len().div_ceil(BYTES_A_TOKEN) + TOKENS_A_MESSAGE
}

pub(super) fn exchange_tokens(exchange: &Exchange) -> usize {
    message_tokens(exchange.said())
        + message_tokens(exchange.answered())
        + naming_bytes(exchange.spoken()).div_ceil(BYTES_A_TOKEN)
}

/// Returns the latest exchanges whose estimated tokens fit into `budget`. Drops the oldest first, and only whole
/// exchanges: the model would take half a question for the whole one.
pub fn within_budget(history: &[Exchange], budget: usize) -> &[Exchange] {
    let mut left = budget;
    let fits = |exchange: &&Exchange| {
        let rest = left.checked_sub(exchange_tokens(exchange));
        left = rest.unwrap_or(left);
        rest.is_some()
    };
    let n_kept = history.iter().rev().take_while(fits).count();
    history.split_at(history.len() - n_kept).1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history(exchanges: &[(&str, &str)]) -> Vec<Exchange> {
        let read = |(said, answered): &(&str, &str)| Exchange::read_back((*said).to_owned(), (*answered).to_owned());
        exchanges.iter().map(read).collect()
    }

    #[test]
    fn tokens_are_bytes_in_threes_and_four_a_message() {
        for (text, tokens) in [("", 4), ("a", 5), ("abc", 5), ("abcd", 6), ("äöü", 6), ("日本", 6)] {
            assert_eq!(message_tokens(text), tokens, "{text}");
        }
    }

    #[test]
    fn the_oldest_exchanges_go_first_and_go_whole() {
        // Tokens, oldest first: 10, 12, 11.
        let history = history(&[("ab", "cd"), ("01234", "56789"), ("äö", "ß")]);
        let cases = [(33, 3), (32, 2), (23, 2), (22, 1), (11, 1), (10, 0), (0, 0), (usize::MAX, 3)];
        for (budget, n_kept) in cases {
            assert_eq!(within_budget(&history, budget), &history[history.len() - n_kept..], "budget {budget}");
        }
        assert_eq!(within_budget(&[], 100), &[]);
    }

    #[test]
    fn nothing_older_than_an_exchange_that_did_not_fit_is_shown() {
        let history = history(&[("a", "b"), ("a very long question", "a very long answer"), ("c", "d")]);
        assert_eq!(within_budget(&history, 22), &history[2..]);
    }
}
