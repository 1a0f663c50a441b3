//! `/calculate`: arithmetic, units and dates, so that a chat model need not guess them.

use std::io;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::builtin::calculate::calculator::{Calculated, Calculator, NotCalculated};
use crate::builtin::calculate::dates::{counted, counted_in_words, day, in_words};
use candor_core::contract::{Call, CommandError};
use candor_core::language::say;
use candor_core::reply::Reply;
use candor_core::text::{in_code_span, one_line};

/// The longest expression that is repeated, in characters.
const SHOWN_MAX: usize = 300;

/// What `/calculate` takes.
#[derive(Deserialize, JsonSchema)]
pub(in crate::builtin) struct Calculation {
    /// Such as 12% of 340, 5 km to miles, today + 30 days
    #[schemars(length(min = 1, max = 300))]
    expression: String,
}

pub(in crate::builtin) async fn calculate(
    calculator: Arc<dyn Calculator>,
    Calculation { expression }: Calculation,
    call: Call,
) -> Result<Reply, CommandError> {
    let language = call.caller.language;
    let shown = in_code_span(&one_line(&expression, SHOWN_MAX));
    let zone = call.services.time()?.zone();
    if let Some(counted) = counted(&expression, call.now, &zone) {
        return Ok(Reply::text(counted_in_words(&shown, &counted, &zone, language)));
    }
    let why = match calculator.calculate(expression, day(call.now, &zone)).await {
        Ok(Calculated { value, is_exact }) => {
            let sign = if is_exact { "=" } else { "≈" };
            return Ok(Reply::text(format!(
                "{shown} {sign} **{}**",
                one_line(&in_words(&value, language), usize::MAX)
            )));
        }
        Err(NotCalculated::Comma) => say!(language, "calculate-comma"),
        Err(NotCalculated::TooMuch) => say!(language, "calculate-too-much"),
        Err(NotCalculated::Busy) => say!(language, "calculate-busy"),
        Err(NotCalculated::TooLong(length)) => say!(language, "calculate-too-long", n = length),
        Err(NotCalculated::Absent) => say!(language, "calculate-absent"),
        Err(NotCalculated::ByZero) => say!(language, "calculate-by-zero"),
        Err(NotCalculated::Nothing) => say!(language, "calculate-nothing"),
        Err(NotCalculated::NoMeaning(sign)) => say!(language, "calculate-no-meaning", sign = in_code_span(&sign)),
        Err(NotCalculated::Failed(why)) => {
            return Err(CommandError::from(io::Error::other(format!("the calculator failed: {why}"))));
        }
        Err(NotCalculated::UnknownWord(word)) => say!(language, "calculate-unknown", word = in_code_span(&word)),
        Err(NotCalculated::Units(from, to)) => {
            say!(language, "calculate-units", from = in_code_span(&from), to = in_code_span(&to))
        }
        Err(NotCalculated::NoSuchDate) => say!(language, "calculate-no-date"),
        Err(NotCalculated::In) => say!(language, "calculate-in"),
        Err(NotCalculated::Problem) => say!(language, "calculate-problem"),
    };
    Err(CommandError::tell(why))
}
