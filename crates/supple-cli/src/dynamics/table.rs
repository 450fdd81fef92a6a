//! Answers for people.

use std::io::Write;

use anyhow::Result;
use supple_io::Loaded;

use super::answer::Answer;
use super::dof_names;

pub(crate) fn print(loaded: &Loaded, answer: &Answer, out: &mut impl Write) -> Result<()> {
    let dofs = dof_names(loaded);
    let bodies = loaded.model.bodies();
    let widest =
        dofs.iter().map(String::len).chain(bodies.iter().map(|b| b.name.len())).max().unwrap_or(0).max(5);
    writeln!(out, "{:<widest$} {:>14}", "joint", "acceleration [rad/s² or m/s²]")?;
    for (name, qdd) in dofs.iter().zip(&answer.qdd) {
        writeln!(out, "{name:<widest$} {qdd:>14.6}")?;
    }
    writeln!(out)?;
    writeln!(
        out,
        "{:<widest$} {:>38}   {:>38}",
        "body", "position x, y, z [m]", "velocity of its origin, own axes [m/s]"
    )?;
    for ((body, ([x, y, z], _)), [_, _, _, vx, vy, vz]) in
        bodies.iter().zip(&answer.body_pos_quat).zip(&answer.body_velocity)
    {
        let name = &body.name;
        writeln!(out, "{name:<widest$} {x:>12.6} {y:>12.6} {z:>12.6}   {vx:>12.6} {vy:>12.6} {vz:>12.6}")?;
    }
    writeln!(out)?;
    writeln!(out, "kinetic energy {:.6} J", answer.kinetic_energy)?;
    Ok(())
}
