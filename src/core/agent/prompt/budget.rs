//! Limits how much of a conversation the model is shown.

use crate::agent::Exchange;
use crate::agent::prompt::voices::naming_bytes;

/// The tokens of a message besides its text: its role and the marks around it.
const TOKENS_A_MESSAGE: usize = 4;
/// The estimated bytes of a token. Only a few tokenizers need more tokens, for a few languages.
pub(crate) const BYTES_A_TOKEN: usize = 3;

/// The tokens of a message with this text: an estimate, on the safe side for most models.
pub(crate) fn message_tokens(text: &str) -> usize {
    text.len().div_ceil(BYTES_A_TOKEN) + TOKENS_A_MESSAGE
}

/// The tokens of an exchange as it is shown.
pub(super) fn exchange_tokens(exchange: &Exchange) -> usize {
    message_tokens(exchange.said())
        + message_tokens(exchange.answered())
        + naming_bytes(exchange.spoken()).div_ceil(BYTES_A_TOKEN)
}

/// The latest exchanges that together have at most `budget` tokens, estimated. The oldest are dropped first, and only
/// whole exchanges: half a question would be answered as if it were the question.
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
