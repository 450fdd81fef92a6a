//! Frames: what a page has not seen yet, as `docs/viewer-protocol.md` tells.

use glam::{DQuat, DVec3};
use supple::constraint::Frame;

use crate::board::Notes;

/// The world, where a group would be.
const WORLD: u32 = u32::MAX;
/// All actors are in it.
const WHOLE: u32 = 1;

/// What a page has seen.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Seen {
    pub(crate) epoch: u32,
    /// Number of the last picture, and of its tree; 0 before the first.
    pub(crate) picture: u64,
    pub(crate) frames: u32,
    pub(crate) bytes: usize,
}

/// Writes the frame that a page lacks.
pub(crate) fn write(notes: &Notes, seen: &mut Seen, out: &mut Vec<u8>) {
    out.clear();
    if seen.epoch != notes.epoch {
        *seen = Seen { epoch: notes.epoch, frames: seen.frames, ..Seen::default() };
    }
    seen.frames = seen.frames.wrapping_add(1);
    let whole = if seen.picture == 0 { WHOLE } else { 0 };
    for word in [1, notes.epoch, seen.frames, whole] {
        out.extend_from_slice(&word.to_le_bytes());
    }
    out.extend_from_slice(&notes.time.to_le_bytes());
    let mut numbers = notes.numbers;
    numbers[12] = seen.bytes as f32;
    numbers.iter().for_each(|x| out.extend_from_slice(&x.to_le_bytes()));

    let place = count(out);
    let mut regrouped = 0;
    for (i, posture) in notes.actors.iter().enumerate().filter(|(_, p)| p.regrouped > seen.picture) {
        regrouped += 1;
        word(out, i as u32);
        word(out, posture.groups.len() as u32);
        for (group, at) in &posture.bodies {
            word(out, group.unwrap_or(WORLD));
            frame(out, at);
        }
    }
    out[place..place + 4].copy_from_slice(&u32::to_le_bytes(regrouped));

    let place = count(out);
    let mut moved = 0;
    for (i, posture) in
        notes.actors.iter().enumerate().filter(|(_, p)| p.moved.max(p.regrouped) > seen.picture)
    {
        moved += 1;
        word(out, i as u32);
        for group in &posture.groups {
            frame(out, &group.frame);
            number(out, group.activity);
            number(out, group.worth);
        }
    }
    out[place..place + 4].copy_from_slice(&u32::to_le_bytes(moved));

    word(out, u32::from(notes.hand.is_some()));
    if let Some(hand) = &notes.hand {
        word(out, hand.actor);
        word(out, hand.body);
        [hand.point, hand.to].iter().for_each(|at| vector(out, *at));
    }
    let (since, nodes) = &notes.nodes;
    let nodes = if *since > seen.picture { &nodes[..] } else { &[] };
    word(out, nodes.len() as u32);
    out.extend_from_slice(nodes);
    out.resize(out.len().next_multiple_of(4), 0);

    seen.picture = notes.number;
    seen.bytes = out.len();
}

/// A place for a number that is not known yet.
fn count(out: &mut Vec<u8>) -> usize {
    out.extend_from_slice(&[0; 4]);
    out.len() - 4
}

fn word(out: &mut Vec<u8>, x: u32) {
    out.extend_from_slice(&x.to_le_bytes());
}

fn number(out: &mut Vec<u8>, x: f64) {
    out.extend_from_slice(&(x as f32).to_le_bytes());
}

fn vector(out: &mut Vec<u8>, x: DVec3) {
    x.to_array().into_iter().for_each(|x| number(out, x));
}

fn frame(out: &mut Vec<u8>, at: &Frame) {
    vector(out, at.position);
    let DQuat { x, y, z, w } = at.rotation;
    [x, y, z, w].into_iter().for_each(|x| number(out, x));
}
