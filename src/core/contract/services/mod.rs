//! The few things a module may reach beyond itself, each behind a trait, each asked for in its manifest.
//!
//! A module that did not ask for a service cannot use it: [`Services`] hands out only what was granted.

mod commands;
mod conversations;
mod error;
mod freshness;
mod granted;
mod history;
mod live;
mod name;
mod receipts;
mod records;
mod workspace;

pub use commands::{CommandBook, OwnCommands};
pub use conversations::{ClearedConversation, Talk};
pub use error::ServiceError;
pub use freshness::{WrittenBy, WrittenMetrics, fresh_metrics, written_metrics};
pub use granted::Services;
pub use history::{History, Past, PastMetric, Point};
pub use live::{FileTrouble, Good, Live, Metric, OWN_METRICS, Observation, Presentation};
pub use name::ServiceName;
pub use receipts::{ReceiptBook, ReceiptList};
pub use records::{OwnRecords, RecordId, Records};
pub use workspace::{
    FILE_SIZE_MAX, FILES_MAX, FileEntry, Listing, OwnWorkspace, WORKSPACE_SIZE_MAX, WorkspaceError, WorkspacePath,
    Workspaces, Written,
};
