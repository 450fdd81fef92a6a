//! What the engine shows, and pages take from when they can.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use glam::DVec3;
use serde::Serialize;
use supple_scenes::live::{Picture, Policy, Posture};
use tokio::sync::{broadcast, watch};

/// Numbers of a frame.
pub(crate) const NUMBERS: usize = 16;

/// What is on the board.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    /// Number of the scene, and what is told of it.
    pub(crate) epoch: u32,
    pub(crate) scene: Arc<str>,
    /// The assembly tree that is shown, and how often it was another one.
    pub(crate) tree: (u32, Arc<str>),
    /// How its nodes are, and since which picture.
    pub(crate) nodes: (u64, Vec<u8>),
    pub(crate) state: State,
    /// How often the state has changed.
    pub(crate) changes: u64,
    /// Number of the picture, its time, and where everybody is.
    pub(crate) number: u64,
    pub(crate) time: f64,
    pub(crate) actors: Vec<Posture>,
    pub(crate) numbers: [f32; NUMBERS],
    pub(crate) hand: Option<Held>,
}

/// What is held.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Held {
    pub(crate) actor: u32,
    pub(crate) body: u32,
    pub(crate) point: DVec3,
    pub(crate) to: DVec3,
}

/// How the engine is set.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct State {
    pub(crate) playing: bool,
    pub(crate) speed: f64,
    pub(crate) policy: Policy,
    pub(crate) frozen: bool,
    /// Number of the watcher who drags.
    pub(crate) holder: Option<u32>,
    pub(crate) watchers: u32,
    pub(crate) follow: usize,
    /// Scene that is being built.
    pub(crate) opening: Option<String>,
    /// Why the scene cannot go on until it is reset, or another one is opened.
    pub(crate) ended: Option<String>,
}

#[derive(Serialize)]
struct StateMessage<'a> {
    r#type: &'static str,
    playing: bool,
    speed: f64,
    detail: DetailMessage,
    frozen_camera: bool,
    holder: Option<&'static str>,
    watchers: u32,
    follow: usize,
    opening: Option<&'a str>,
    ended: Option<&'a str>,
}

#[derive(Serialize)]
struct DetailMessage {
    policy: &'static str,
    value: Option<f64>,
}

impl State {
    /// What a watcher is told.
    pub(crate) fn message(&self, watcher: u32) -> String {
        let message = StateMessage {
            r#type: "state",
            playing: self.playing,
            speed: self.speed,
            detail: DetailMessage { policy: self.policy.name(), value: self.policy.value() },
            frozen_camera: self.frozen,
            holder: self.holder.map(|holder| if holder == watcher { "you" } else { "other" }),
            watchers: self.watchers,
            follow: self.follow,
            opening: self.opening.as_deref(),
            ended: self.ended.as_deref(),
        };
        serde_json::to_string(&message).unwrap_or_default()
    }
}

impl Notes {
    /// Takes over what a picture has anew.
    pub(crate) fn take(&mut self, picture: &Picture) {
        let before = self.number;
        self.number = picture.number;
        self.time = picture.time;
        self.actors.resize_with(picture.actors.len(), Posture::default);
        for (mine, theirs) in self.actors.iter_mut().zip(&picture.actors) {
            if theirs.regrouped > before || mine.regrouped != theirs.regrouped {
                mine.bodies.clone_from(&theirs.bodies);
                mine.regrouped = theirs.regrouped;
            }
            if theirs.moved > before || mine.moved != theirs.moved {
                mine.groups.clone_from(&theirs.groups);
                mine.moved = theirs.moved;
            }
        }
    }
}

/// Where the engine and the pages meet.
#[derive(Debug)]
pub(crate) struct Board {
    notes: Mutex<Notes>,
    /// Rings when something new is on the board.
    pub(crate) bell: watch::Sender<u64>,
    /// Messages for one watcher, or for all.
    pub(crate) shouts: broadcast::Sender<(Option<u32>, Arc<str>)>,
}

impl Board {
    pub(crate) fn new() -> Self {
        Self { notes: Mutex::default(), bell: watch::Sender::new(0), shouts: broadcast::Sender::new(64) }
    }

    /// What is on it. Held for as short as it takes to copy.
    pub(crate) fn notes(&self) -> MutexGuard<'_, Notes> {
        // whoever panicked with it left numbers, which are as good as any
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn ring(&self) {
        self.bell.send_modify(|count| *count += 1);
    }

    /// Tells a watcher, or all of them, that something could not be done.
    pub(crate) fn complain(&self, to: Option<u32>, message: &str) {
        let text = serde_json::json!({ "type": "error", "message": message }).to_string();
        // nobody there to hear it is no error
        let _ = self.shouts.send((to, text.into()));
    }
}
