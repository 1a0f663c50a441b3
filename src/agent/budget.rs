//! How much of a conversation the model is shown.

use crate::agent::Exchange;

/// The most characters of earlier exchanges in one request. About 6,000 tokens of English, which leaves room for
/// the system text and an answer in a context of 8,192 tokens.
pub const HISTORY_LENGTH_MAX: usize = 24_000;

/// The latest exchanges that together have at most `budget` characters. The oldest go first and an exchange goes
/// whole: half a question would be answered as if it were the question.
pub fn within_budget(history: &[Exchange], budget: usize) -> &[Exchange] {
    let mut left = budget;
    let fits = |exchange: &&Exchange| {
        let rest = left.checked_sub(length(exchange));
        left = rest.unwrap_or(left);
        rest.is_some()
    };
    let n_kept = history.iter().rev().take_while(fits).count();
    history.split_at(history.len() - n_kept).1
}

fn length(exchange: &Exchange) -> usize {
    exchange.said().chars().count() + exchange.answered().chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_exchanges_go_first_and_go_whole() {
        // Lengths, oldest first: 4, 10, 6.
        let history = [("ab", "cd"), ("01234", "56789"), ("äöü", "ßéè")]
            .map(|(said, answered)| Exchange::read_back(said.to_owned(), answered.to_owned()));
        let cases = [(20, 3), (19, 2), (16, 2), (15, 1), (6, 1), (5, 0), (0, 0), (usize::MAX, 3)];
        for (budget, n_kept) in cases {
            assert_eq!(within_budget(&history, budget), &history[history.len() - n_kept..], "budget {budget}");
        }
        assert_eq!(within_budget(&[], 100), &[]);
    }

    #[test]
    fn nothing_older_than_an_exchange_that_did_not_fit_is_shown() {
        let history = [("a", "b"), ("long question", "long answer"), ("c", "d")]
            .map(|(said, answered)| Exchange::read_back(said.to_owned(), answered.to_owned()));
        assert_eq!(within_budget(&history, 10), &history[2..]);
    }
}
