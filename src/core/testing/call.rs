//! Builds a call as the host hands it to a handler.

use std::sync::Arc;
use std::time::SystemTime;

use crate::contract::{Call, HostServices, ServiceName, Services};
use crate::guild::Rules;
use crate::inbound::{Asking, CallMethod, Caller, Place};

/// Creates a call for this module, chosen in the picker, with these services of the host.
pub fn call(
    module: &str,
    host: &HostServices,
    asked: &[ServiceName],
    caller: Caller,
    place: Place,
    now: SystemTime,
) -> Call {
    let asking = Asking { caller: &caller, place, method: CallMethod::Picked };
    let services = Services::grant(&Arc::new(host.clone()), module, asked, &asking);
    Call { caller, place, now, due: None, receipt: None, rules: Rules::default(), services }
}
