use crate::constraint::{Frame, JointModel, Rows};

/// Welds the two joint frames together. No coordinates.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rigid;

impl JointModel for Rigid {
    fn name(&self) -> &'static str {
        "rigid"
    }

    fn nearest(&self, _: Frame) -> Frame {
        Frame::IDENTITY
    }

    fn held(&self, _: Frame, rows: &mut Rows) {
        rows.hold_point();
        rows.hold_rotation();
    }
}
