//! What programs reach of the host by what they print: records, later calls, buttons, messages to channels, files of calls.

mod buttons;
mod later;
mod records;
mod send;
mod unasked;
