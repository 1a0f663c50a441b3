//! What programs reach of the host by what they print: records, later calls, files of their calls, messages to channels.

mod later;
mod records;
mod send;
