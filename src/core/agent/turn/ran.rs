//! A command that ran in a turn.

use std::sync::Arc;

use crate::agent::tools::PlannedCall;
use crate::record::Receipt;

pub(crate) struct Ran {
    pub(super) call: PlannedCall,
    pub(super) receipt: Arc<Receipt>,
    pub(super) text: String,
}
