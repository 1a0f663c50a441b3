//! `/receipt`: a run, a chat turn, or a list of a person's last receipts.

mod command;
mod list;
mod message_id;
mod turn;

pub(super) use command::receipt;
