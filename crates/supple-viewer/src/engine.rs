//! The simulation, at its own pace, in its own thread.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use supple::view::Camera;
use supple_scenes::live::{Live, NodeState, Policy, Strip, Tally};

use crate::board::{Board, Held, State};
use crate::command::Command;
use crate::meter::Meter;
use crate::scene_message;
use crate::source::{OpenError, Source};

/// Time between pictures, and between tallies \[s].
const FRAME: Duration = Duration::from_millis(16);
const TALLY: Duration = Duration::from_millis(100);
/// Longest that steps are taken before commands are heard again.
const BURST: Duration = Duration::from_millis(25);
/// Time that may be owed before it is forgotten \[s]: a simulation that cannot keep up does not try to catch up.
const DEBT: f64 = 0.1;

/// A command, and who gave it.
pub(crate) type Order = (u32, Command);

/// The simulation and how it is run.
pub(crate) struct Engine {
    board: Arc<Board>,
    orders: Receiver<Order>,
    source: Source,
    live: Live,
    /// Length of a step, where it is not the scene's own \[s].
    dt: Option<f64>,
    state: State,
    /// Steps that were asked for one by one.
    pending: u32,
    /// Simulated time that is due \[s], and since when.
    owed: f64,
    since: Instant,
    camera: Option<Camera>,
    strip: Strip,
    nodes: Vec<NodeState>,
    /// Whether something is to be shown though nothing moved.
    dirty: bool,
    meter: Meter,
    tally: Tally,
    tallied: Option<Instant>,
    epoch: u32,
}

impl Engine {
    pub(crate) fn new(
        board: Arc<Board>,
        orders: Receiver<Order>,
        source: Source,
        dt: Option<f64>,
        policy: Policy,
    ) -> Result<Self, OpenError> {
        let live = source.open()?;
        let mut engine = Self {
            board,
            orders,
            source,
            dt,
            state: State { playing: true, speed: 1.0, ..State::default() },
            pending: 0,
            owed: 0.0,
            since: Instant::now(),
            camera: None,
            strip: Strip::default(),
            nodes: Vec::new(),
            dirty: true,
            meter: Meter::default(),
            tally: Tally::default(),
            tallied: None,
            epoch: 0,
            live,
        };
        engine.begin();
        engine.set_policy(policy).map_err(OpenError::Live)?;
        engine.show();
        Ok(engine)
    }

    /// Runs until nobody can give orders any more. A panic ends the scene, not the engine: pages are told, and may begin it anew.
    pub(crate) fn run(mut self) {
        // whatever state a panic leaves the scene in, it is not used again
        while let Err(panic) = catch_unwind(AssertUnwindSafe(|| self.play())) {
            self.end(&*panic);
            if !self.wait_for_another_scene() {
                return;
            }
        }
    }

    /// Tells all that the scene is over.
    fn end(&mut self, panic: &(dyn Any + Send)) {
        let what = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref().map(String::as_str));
        let what = what.unwrap_or("no reason was given");
        (self.state.playing, self.pending, self.state.opening) = (false, 0, None);
        self.state.ended = Some(format!("{} has ended by a fault of supple ({what})", self.source.name));
        self.change();
    }

    /// Hears orders after the scene has ended: until there is a scene again, or nobody can give orders any more.
    fn wait_for_another_scene(&mut self) -> bool {
        while let Ok((from, command)) = self.orders.recv() {
            let source = match command {
                Command::Reset => self.source.clone(),
                Command::Open(source) => source,
                Command::Leave => {
                    self.change();
                    continue;
                }
                _ => {
                    self.board.complain(Some(from), "the scene has ended: reset it, or open another");
                    continue;
                }
            };
            match catch_unwind(AssertUnwindSafe(|| self.open(source))) {
                Ok(Ok(())) => return true,
                Ok(Err(error)) => self.board.complain(Some(from), &error),
                Err(panic) => self.end(&*panic),
            }
        }
        false
    }

    /// Steps, shows and obeys until nobody can give orders any more.
    fn play(&mut self) {
        let mut shown = Instant::now();
        loop {
            let wait = if self.state.playing || self.pending > 0 { self.until_next_step() } else { FRAME };
            match self.orders.recv_timeout(wait) {
                Ok((from, command)) => {
                    self.obey(from, command);
                    while let Ok((from, command)) = self.orders.try_recv() {
                        self.obey(from, command);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            let moved = self.advance();
            self.dirty |= moved;
            self.meter.tick();
            if self.dirty && shown.elapsed() >= FRAME {
                shown = Instant::now();
                self.show();
            }
        }
    }

    fn until_next_step(&self) -> Duration {
        if self.pending > 0 {
            return Duration::ZERO;
        }
        let due = (self.live.dt - self.owed) / self.state.speed - self.since.elapsed().as_secs_f64();
        Duration::from_secs_f64(due.clamp(0.0, FRAME.as_secs_f64()))
    }

    /// Takes the steps that are due; whether there were any.
    fn advance(&mut self) -> bool {
        let started = Instant::now();
        if self.state.playing {
            self.owed += self.state.speed * started.duration_since(self.since).as_secs_f64();
        }
        self.since = started;
        let mut any = false;
        while self.pending > 0 || (self.state.playing && self.owed >= self.live.dt) {
            let began = Instant::now();
            if let Err(error) = self.live.step() {
                self.state.playing = false;
                self.pending = 0;
                self.change();
                self.board.complain(
                    None,
                    &format!("{error}. The scene is paused: reset it, or take another detail"),
                );
                return true;
            }
            self.meter.step(began.elapsed(), self.live.dt);
            any = true;
            if self.pending > 0 {
                self.pending -= 1;
            } else {
                self.owed -= self.live.dt;
            }
            if started.elapsed() > BURST {
                break;
            }
        }
        let most = DEBT.max(2.0 * self.live.dt) * self.state.speed.max(1.0);
        if self.owed > most {
            self.owed = 0.0;
        }
        any
    }

    /// Puts what is new on the board.
    fn show(&mut self) {
        self.dirty = false;
        self.live.take_picture();
        if self.tallied.is_none_or(|at| at.elapsed() >= TALLY) {
            self.tally = self.live.tally();
            self.tallied = Some(Instant::now());
        }
        let nodes = match self.live.simulation(self.state.follow) {
            Some(simulation) => self.strip.states(simulation, &self.nodes),
            None => Vec::new(),
        };
        let numbers = self.numbers();
        let hand = self.live.hand().map(|hand| Held {
            actor: hand.actor as u32,
            body: hand.body as u32,
            point: hand.point,
            to: hand.to,
        });
        let mut notes = self.board.notes();
        notes.take(self.live.picture());
        if nodes != self.nodes || notes.nodes.0 == 0 {
            notes.nodes = (notes.number, nodes.iter().map(|s| *s as u8).collect());
        }
        notes.numbers = numbers;
        notes.hand = hand;
        drop(notes);
        self.nodes = nodes;
        self.board.ring();
    }

    fn numbers(&mut self) -> [f32; crate::board::NUMBERS] {
        let groups: usize = self.live.picture().actors.iter().map(|posture| posture.groups.len()).sum();
        let tally = &self.tally;
        let of_world = |f: fn(&supple::world::WorldReport) -> f64| tally.world.as_ref().map_or(f64::NAN, f);
        let pixels = match self.state.policy {
            Policy::Pixels(_) => tally.error / self.live.dt,
            _ => f64::NAN,
        };
        [
            tally.active as f64,
            groups as f64,
            self.meter.mean(),
            self.meter.worst(),
            self.meter.rate,
            tally.energy.kinetic,
            tally.energy.potential,
            tally.error,
            of_world(|r| r.contacts as f64),
            of_world(|r| r.penetration_max),
            of_world(|r| r.gap_max),
            of_world(|r| r.asleep as f64),
            0.0,
            self.live.steps() as f64,
            self.meter.steps_per_second,
            pixels,
        ]
        .map(|x| x as f32)
    }

    /// Another scene is there.
    fn begin(&mut self) {
        self.epoch += 1;
        self.state.ended = None;
        if let Some(dt) = self.dt {
            self.live.dt = dt;
        }
        (self.pending, self.owed, self.since) = (0, 0.0, Instant::now());
        self.state.holder = None;
        self.state.policy = Policy::Scene;
        self.camera = None;
        self.tallied = None;
        self.meter = Meter::default();
        let scene = scene_message::scene(self.epoch, &self.source, &self.live);
        {
            let mut notes = self.board.notes();
            notes.epoch = self.epoch;
            notes.scene = scene.into();
            // pictures are counted anew
            (notes.number, notes.nodes) = (0, (0, Vec::new()));
            notes.actors.clear();
        }
        self.follow(0);
        self.dirty = true;
    }

    /// Shows the assembly tree of an actor.
    fn follow(&mut self, actor: usize) {
        self.state.follow = actor;
        self.strip = self.live.strip(actor);
        self.nodes.clear();
        let tree = scene_message::tree(self.epoch, actor, &self.strip);
        {
            let mut notes = self.board.notes();
            notes.tree = (notes.tree.0 + 1, tree.into());
            notes.nodes = (0, Vec::new());
        }
        self.change();
    }

    /// Tells all that the state is another one.
    fn change(&mut self) {
        let mut notes = self.board.notes();
        // how many watch, they count themselves
        self.state.watchers = notes.state.watchers;
        notes.state = self.state.clone();
        notes.changes += 1;
        drop(notes);
        self.dirty = true;
        self.board.ring();
    }

    fn obey(&mut self, from: u32, command: Command) {
        if let Err(error) = self.try_to(from, command) {
            self.board.complain(Some(from), &error);
        }
    }

    fn try_to(&mut self, from: u32, command: Command) -> Result<(), String> {
        match command {
            Command::Play => {
                (self.state.playing, self.owed, self.since) = (true, 0.0, Instant::now());
                self.change();
            }
            Command::Pause => {
                self.state.playing = false;
                self.pending = 0;
                self.change();
            }
            Command::Step(count) => {
                self.state.playing = false;
                self.pending = self.pending.saturating_add(count).min(1000);
                self.change();
            }
            Command::Speed(speed) => {
                self.state.speed = speed;
                self.change();
            }
            Command::Reset => {
                let policy = self.state.policy;
                self.open(self.source.clone())?;
                // the scene that had it can have it again
                self.set_policy(policy).map_err(|e| e.to_string())?;
            }
            Command::Open(source) => self.open(source)?,
            Command::Detail(policy) => self.set_policy(policy).map_err(|e| e.to_string())?,
            Command::Camera(camera) => {
                if !self.state.frozen {
                    self.live.look(*camera).map_err(|e| e.to_string())?;
                    self.camera = Some(*camera);
                }
            }
            Command::Freeze(frozen) => {
                self.state.frozen = frozen;
                self.change();
            }
            Command::Grab { actor, body, point, to } => {
                if self.state.holder.is_some_and(|holder| holder != from) {
                    return Err("somebody else drags: wait until they let go".into());
                }
                self.live.grab(actor, body, point, to).map_err(|e| e.to_string())?;
                self.state.holder = Some(from);
                self.change();
            }
            Command::Pull(to) => {
                if self.state.holder == Some(from) {
                    self.live.pull(to).map_err(|e| e.to_string())?;
                    self.dirty = true;
                }
            }
            Command::Drop | Command::Leave => {
                if self.state.holder == Some(from) {
                    self.live.drop().map_err(|e| e.to_string())?;
                    self.state.holder = None;
                    self.change();
                } else if command == Command::Leave {
                    self.change();
                }
            }
            Command::Follow(actor) => {
                if actor >= self.live.cast().actors.len() {
                    return Err(format!("there is no actor {actor} to follow"));
                }
                self.follow(actor);
            }
        }
        Ok(())
    }

    fn set_policy(&mut self, policy: Policy) -> Result<(), supple_scenes::live::LiveError> {
        let done = self.live.set_policy(policy);
        self.state.policy = self.live.policy();
        self.tallied = None;
        self.change();
        done
    }

    fn open(&mut self, source: Source) -> Result<(), String> {
        self.state.opening = Some(source.name.clone());
        self.change();
        let opened = source.open();
        self.state.opening = None;
        match opened {
            Ok(live) => {
                (self.live, self.source) = (live, source);
                self.begin();
                self.change();
                Ok(())
            }
            Err(error) => {
                self.since = Instant::now();
                self.change();
                Err(error.to_string())
            }
        }
    }
}
