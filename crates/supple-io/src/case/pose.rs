//! Poses of a case: from the file and back.

use glam::{DMat3, DQuat, DVec3};
use supple::Pose;

use super::file::CasePose;
use crate::IoError;

/// How far from one the length of a quaternion may be.
const UNIT_TOLERANCE: f64 = 1e-6;
/// How far a matrix may be from its quaternion: such as models take have six digits at least.
const ROTATION_TOLERANCE: f64 = 1e-4;

/// The pose `field` of `element`.
pub(super) fn read(element: &str, field: &str, pose: &CasePose) -> Result<Pose, IoError> {
    let quat = unit(element, &format!("{field}.quat_xyzw"), pose.quat_xyzw)?;
    let mut made = Pose::new(DVec3::from_array(pose.pos), quat);
    if let Some(rows) = pose.rotation {
        let rotation = DMat3::from_cols_array_2d(&rows).transpose();
        // a NaN is not near either
        if !rotation.abs_diff_eq(made.rotation, ROTATION_TOLERANCE) {
            return Err(IoError::BadValue {
                element: element.into(),
                field: format!("{field}.rotation"),
                value: format!("{rows:?}"),
                expected: "the rows of the same rotation as quat_xyzw; it may be left out".into(),
            });
        }
        made.rotation = rotation;
    }
    Ok(made)
}

/// A pose as the file has it: with the matrix only where the quaternion rounds.
pub(super) fn write(pose: &Pose) -> CasePose {
    let quat = pose.quat();
    let from_quat = Pose::new(pose.translation, quat.normalize());
    let rows = pose.rotation.transpose().to_cols_array_2d();
    CasePose {
        pos: pose.translation.to_array(),
        quat_xyzw: quat.to_array(),
        rotation: (from_quat != *pose).then_some(rows),
    }
}

/// Makes the four numbers of a quaternion one of unit length, which it must almost have.
pub(crate) fn normalize(element: &str, field: &str, quat: &mut [f64]) -> Result<(), IoError> {
    let mut given = [0.0; 4];
    given.copy_from_slice(quat);
    let normal = unit(element, field, given)?;
    // one that is of unit length to rounding stays as it is: a state that was written comes back to the bit
    if (DQuat::from_array(given).length() - 1.0).abs() > 4.0 * f64::EPSILON {
        quat.copy_from_slice(&normal.to_array());
    }
    Ok(())
}

/// A quaternion that must have unit length.
fn unit(element: &str, field: &str, quat: [f64; 4]) -> Result<DQuat, IoError> {
    let q = DQuat::from_array(quat);
    let length = q.length();
    if length.is_nan() || (length - 1.0).abs() > UNIT_TOLERANCE {
        return Err(IoError::NotUnit { element: element.into(), field: field.into(), length });
    }
    Ok(q.normalize())
}
