//! A scene in the browser: `supple view`.
//!
//! ```text
//!  engine (its own thread)            server (axum)
//!  commands ◄──────────────────────── watcher: one per page ◄── text       docs/viewer-protocol.md
//!  steps the scene at its own pace
//!  pictures ──► Board ──────────────► frame: what this page lacks ──► binary
//! ```
//!
//! The engine never waits for a page: it puts what is new on the board, and each page takes from there what it has not seen, when it
//! can. A page that lags gets the latest, not all.
#![forbid(unsafe_code)]

mod board;
mod command;
mod engine;
mod frame;
mod guard;
mod meter;
mod own_address;
mod pages;
mod scene_message;
mod server;
mod source;
mod token;
mod watcher;

pub use server::{Server, ServerError, ViewOptions};
pub use source::{Made, OpenError, Source};
