//! `/receipt`: what ran, what a chat turn did, and a person's last receipts.

mod arguments;
mod command;
mod list;
mod message_id;
mod turn;

pub(super) use command::receipt;
