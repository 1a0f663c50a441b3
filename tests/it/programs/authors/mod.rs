//! What authors of modules work with: the guide, and the commands that write, try and test modules.

mod dev;
mod guide;
mod new;
mod tested;
