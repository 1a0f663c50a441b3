//! Severity of a diagnostic.

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing; the bot still starts.
    Warning,
    /// The bot does not start, or starts without the module.
    Error,
}

impl Severity {
    pub fn name(self) -> &'static str {
        match self {
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}
