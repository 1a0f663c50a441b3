//! Conversations of several people, in channels and threads, from their messages to what the model is shown.

mod shared;
