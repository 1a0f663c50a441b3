//! `/settings` from Discord: what administrators of a server set there, and what comes of it.

mod administrators;
mod changes;
mod channels_of_modules;
mod effects;
mod of_modules;
mod operator;
