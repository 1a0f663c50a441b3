//! The part of a turn that a review looks at.

use crate::agent::turn::calls::Ran;
use crate::agent::turn::interface::TurnSetup;
use crate::agent::turn::plan::UnfitCall;

/// What a turn was set up with, the commands that ran in it, and the calls that did not fit.
#[derive(Clone, Copy)]
pub(in crate::agent::turn) struct Facts<'a> {
    pub(in crate::agent::turn) setup: &'a TurnSetup,
    pub(in crate::agent::turn) ran: &'a [Ran],
    pub(in crate::agent::turn) unfit: &'a [UnfitCall],
}
