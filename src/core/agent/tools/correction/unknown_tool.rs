//! Decides how to handle a call of a tool that is not offered.

use crate::agent::settings::TurnLimits;
use crate::agent::tools::correction::attempts::Attempts;
use crate::agent::tools::correction::near_names::{near_names, spellings};
use crate::agent::tools::offer::{CANNOT_DO, OfferedSet, Withheld};
use crate::text::one_line;

/// The maximum length of an unknown name in a text, in characters.
const SHOWN_LENGTH_MAX: usize = 60;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Correction {
    /// It is a control word for the turn, not a tool.
    Control(ControlVerb),
    /// The model is corrected and asked again.
    Correct { text: String },
    /// The call is skipped and the turn continues.
    Skip { text: String },
}

/// A control word: a name that asks the turn for something. Never counted and never corrected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControlVerb {
    /// The tool that is always offered: [`CANNOT_DO`].
    CannotDo,
    /// Some models are trained to call these names if no tool fits. Same meaning.
    Refuse,
    Stop,
}

impl ControlVerb {
    pub fn named(name: &str) -> Option<Self> {
        match name {
            CANNOT_DO => Some(Self::CannotDo),
            "no_function" | "out_of_domain" => Some(Self::Refuse),
            "stop" => Some(Self::Stop),
            _ => None,
        }
    }
}

/// Decides about a call whose name is not offered. Each name is corrected a limited number of times and then skipped.
/// The `attempts` of a turn only grow, even if other calls succeed.
pub fn correct_unknown_tool(
    name: &str,
    offered: &OfferedSet,
    attempts: &mut Attempts,
    limits: &TurnLimits,
) -> Correction {
    if let Some(verb) = ControlVerb::named(name) {
        return Correction::Control(verb);
    }
    let problem = problem(name, offered);
    match attempts.count(name, limits.corrections_per_name) {
        true => Correction::Correct { text: format!("[host] {problem} {}", ways_on(name, offered)) },
        false => Correction::Skip {
            text: format!("[host] {problem} You were told before, so this call was skipped. Answer without it."),
        },
    }
}

/// Describes the problem with a name that is not offered.
fn problem(name: &str, offered: &OfferedSet) -> String {
    let shown = one_line(name, SHOWN_LENGTH_MAX);
    if shown.trim().is_empty() {
        return "A call without a tool's name did not run.".to_owned();
    }
    match withheld(name, offered) {
        Some(why) => format!("The tool \"{shown}\" is not available here: {}. Nothing ran.", why.text()),
        None => format!("The tool \"{shown}\" does not exist. Nothing ran."),
    }
}

fn withheld(name: &str, offered: &OfferedSet) -> Option<Withheld> {
    offered.withheld(name).or_else(|| spellings(name).iter().find_map(|spelling| offered.withheld(spelling)))
}

fn ways_on(name: &str, offered: &OfferedSet) -> String {
    if offered.is_empty() {
        return "There are no tools in this conversation. Answer without one.".to_owned();
    }
    let names = offered.names();
    let suggestion = match near_names(name, &names).as_slice() {
        [] => String::new(),
        near => format!("Perhaps you meant {}. ", near.join(" or ")),
    };
    format!(
        "{suggestion}The tools are exactly these: {}. Call one of them by its exact name, or answer without a tool.",
        names.join(", ")
    )
}
