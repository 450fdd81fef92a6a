//! Where a body is over time, as it is written.

use glam::{DQuat, DVec3, Quat, Vec3};
use supple::constraint::Frame;

/// A body that is no farther from where it was than this keeps its numbers \[m, rad].
const STILL: f64 = 1e-6;

/// Places of a body in the frame of its carrier.
#[derive(Debug, Default)]
pub(crate) struct Track {
    pub(crate) translations: Vec<[f32; 3]>,
    pub(crate) rotations: Vec<[f32; 4]>,
    /// Where it is in the world by the numbers that were written.
    pub(crate) written: Frame,
}

impl Track {
    /// Notes where it is in the world, carried by what is there.
    pub(crate) fn note(&mut self, carrier: Frame, exact: Frame) {
        let last = self.translations.last().zip(self.rotations.last()).map(|(t, r)| (*t, *r));
        if let Some((translation, rotation)) = last {
            let same = carrier * frame(translation, rotation);
            let turned = same.rotation.inverse() * exact.rotation;
            let near = same.position.distance(exact.position) < STILL && 2.0 * turned.xyz().length() < STILL;
            if near || !exact.is_finite() {
                self.push(carrier, translation, rotation);
                return;
            }
        }
        let local = if exact.is_finite() { carrier.inverse() * exact } else { Frame::IDENTITY };
        let mut rotation = local.rotation.normalize().as_quat().to_array();
        // q and −q turn alike; the way from one sample to the next must not be the long one
        if last.is_some_and(|(_, r)| r.iter().zip(&rotation).map(|(a, b)| a * b).sum::<f32>() < 0.0) {
            rotation = rotation.map(|x| -x);
        }
        self.push(carrier, local.position.as_vec3().to_array(), rotation);
    }

    fn push(&mut self, carrier: Frame, translation: [f32; 3], rotation: [f32; 4]) {
        self.translations.push(translation);
        self.rotations.push(rotation);
        self.written = carrier * frame(translation, rotation);
    }

    /// Whether it moves along, and whether it turns, in the frame of its carrier.
    pub(crate) fn moves(&self) -> [bool; 2] {
        let differ = |i: usize| self.translations[i] != self.translations[0];
        let turned = |i: usize| self.rotations[i] != self.rotations[0];
        [(1..self.translations.len()).any(differ), (1..self.rotations.len()).any(turned)]
    }
}

fn frame(translation: [f32; 3], rotation: [f32; 4]) -> Frame {
    let (position, rotation) = (Vec3::from_array(translation), Quat::from_array(rotation));
    Frame::new(position.as_dvec3(), rotation.as_dquat().normalize())
}

/// A place that does not change, as it is written.
pub(crate) fn still(frame: &Frame) -> ([f32; 3], [f32; 4]) {
    let (position, rotation): (DVec3, DQuat) = (frame.position, frame.rotation.normalize());
    (position.as_vec3().to_array(), rotation.as_quat().to_array())
}
