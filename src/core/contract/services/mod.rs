//! The services that a module can use. Each has a trait, and the manifest asks for it by name.
//!
//! [`Services`] hands out only granted services.

mod granted;
mod host;
mod later;
mod metrics;
mod records;
mod service;
mod web;
mod workspace;

pub use granted::{Effects, InRun, Services};
pub use host::{CommandLookup, HostServices, ServerNames};
pub(crate) use later::LATER_ARGUMENTS_SIZE_MAX;
pub use later::{
    AllowedBy, CallChange, ChannelMessage, DUE_AHEAD_MAX, DUE_CALLS_MAX, DueCall, DueCallId, DueCalls, LaterCall,
    OUTBOX_MAX, OUTBOX_OF_CHANNEL_MAX, OUTBOX_OF_PERSON_MAX, Outbox, Outgoing, OwnSend, OwnTime, SENT_BY_RUN_MAX,
    SendChannels, SendPolicy, TimeZones, Waiting,
};
pub use metrics::{
    FileTrouble, Good, History, Live, Metric, OWN_METRICS, Observation, Past, PastMetric, Point, Presentation,
    WrittenBy, WrittenMetrics, fresh_metrics, metric_figures, written_metrics,
};
pub use records::{
    Change, OwnRecords, PersonsRecord, RecordChange, RecordId, Records, RecordsOfThing, person_of_scope,
    personal_scope, scopes_of_people,
};
pub use service::{ServiceError, ServiceName};
pub use web::{
    ANY_HOST, ATTACHMENT_SIZE_MAX, AttachmentError, Attachments, Http, HttpError, HttpGet, HttpHosts, HttpResponse,
    OwnAttachments, OwnHttp, RESPONSE_SIZE_MAX, Validators, host_name, is_public,
};
pub use workspace::{
    FILE_SIZE_MAX, FILES_MAX, FileEntry, Listing, NotDone, OwnWorkspace, PathProblem, WORKSPACE_SIZE_MAX,
    WorkspaceError, WorkspacePath, WorkspaceRefusal, Workspaces, Written,
};
