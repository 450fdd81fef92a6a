//! The mass matrix as `M = Lᵀ L` (Featherstone 2008, section 6.5), and coordinates `z = L v` in which it is one.
//!
//! L has entries only where one degree of freedom carries the other, so that an impulse on a link changes z only along the way from the
//! root to it: `Δz = x λ` with `Lᵀ x = Jᵀ`, and the speed that it acts against is `x · z`. Contacts are solved in these coordinates:
//! whatever the number of links that touch, a visit costs no more than two ways.

use crate::model::Tree;
use crate::spatial::{Force, RigidInertia};

use super::kinematics::Kinematics;

/// L, row by row: entries of a row are the degrees of freedom on the way from the root.
#[derive(Clone, Debug, Default)]
pub(crate) struct SquareRoot {
    /// By link: the last of its degrees of freedom, here numbered without gaps, and how many are on the way to it, its own included.
    links: Vec<(u32, u32)>,
    dofs: Vec<Dof>,
    entries: Vec<f64>,
    // --- scratch ---
    composites: Vec<RigidInertia>,
    way: Vec<u32>,
    x: Vec<f64>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Dof {
    /// Its place in v.
    v: u32,
    /// Where its row starts.
    row: u32,
    /// How many degrees of freedom carry it.
    depth: u32,
    /// The one that carries it.
    parent: u32,
    /// One over its pivot.
    inverse: f64,
}

impl SquareRoot {
    /// Degrees of freedom.
    pub(crate) fn len(&self) -> usize {
        self.dofs.len()
    }

    /// Factors the mass matrix at the pose of `kinematics`, with `diagonal` (armature) added. A pivot that is not positive leaves its
    /// degree of freedom without an answer.
    pub(crate) fn factor(&mut self, tree: &Tree, kinematics: &Kinematics, diagonal: &[f64]) {
        self.number(tree);
        self.fill(tree, kinematics, diagonal);
        let Self { dofs, entries, way, .. } = self;
        for c in (0..dofs.len()).rev() {
            let Dof { row, depth, .. } = dofs[c];
            let (row, depth) = (row as usize, depth as usize);
            let pivot = entries[row + depth];
            let inverse = if pivot > 0.0 { 1.0 / pivot.sqrt() } else { 0.0 };
            dofs[c].inverse = inverse;
            for entry in &mut entries[row..=row + depth] {
                *entry *= inverse;
            }
            // what carries it, from the root
            way.clear();
            let mut at = c;
            for _ in 0..depth {
                at = dofs[at].parent as usize;
                way.push(at as u32);
            }
            let (above, own) = entries.split_at_mut(row);
            for (p, a) in way.iter().rev().enumerate() {
                let other = dofs[*a as usize].row as usize;
                let scale = own[p];
                for (x, y) in above[other..=other + p].iter_mut().zip(&own[..=p]) {
                    *x -= scale * y;
                }
            }
        }
    }

    /// Numbers the degrees of freedom of a tree.
    fn number(&mut self, tree: &Tree) {
        let Self { links, dofs, entries, .. } = self;
        links.clear();
        dofs.clear();
        let mut row = 0u32;
        for link in &tree.links {
            let (mut parent, mut depth) = link.parent.map_or((0, 0), |p| links[p.index()]);
            for v in link.dofs() {
                dofs.push(Dof { v: v as u32, row, depth, parent, inverse: 0.0 });
                parent = dofs.len() as u32 - 1;
                depth += 1;
                row += depth;
            }
            links.push((parent, depth));
        }
        entries.clear();
        entries.resize(row as usize, 0.0);
    }

    /// The mass matrix, by composite rigid bodies.
    fn fill(&mut self, tree: &Tree, kinematics: &Kinematics, diagonal: &[f64]) {
        let Self { links, dofs, entries, composites, .. } = self;
        composites.clear();
        let both = tree.links.iter().zip(&kinematics.links);
        composites.extend(both.map(|(link, motion)| link.inertia.rotated(motion.rotation)));
        for (i, link) in tree.links.iter().enumerate().rev() {
            let motion = &kinematics.links[i];
            for k in 0..link.joint.dofs() {
                let c = links[i].0 as usize + 1 + k - link.joint.dofs();
                let row = dofs[c].row as usize;
                let mut force = composites[i].momentum(kinematics.axis(link, motion, k).motion());
                for j in 0..=k {
                    let at = dofs[c].depth as usize - (k - j);
                    entries[row + at] = kinematics.axis(link, motion, j).dot(force);
                }
                let (mut here, mut offset) = (link.parent, motion.offset);
                while let Some(parent) = here {
                    force = force.about(offset);
                    let (up, up_motion) = (&tree.links[parent.index()], &kinematics.links[parent.index()]);
                    let from = links[parent.index()].1 as usize - up.joint.dofs();
                    for j in 0..up.joint.dofs() {
                        entries[row + from + j] = kinematics.axis(up, up_motion, j).dot(force);
                    }
                    (here, offset) = (up.parent, up_motion.offset);
                }
                entries[row + dofs[c].depth as usize] += diagonal[dofs[c].v as usize];
            }
            if let Some(p) = link.parent {
                let moved = composites[i].about(motion.offset);
                composites[p.index()] += moved;
            }
        }
    }

    /// The way to a link, as numbers of degrees of freedom from the root on.
    pub(crate) fn way(&mut self, link: usize) -> &[u32] {
        let (mut at, count) = self.links[link];
        self.way.clear();
        for _ in 0..count {
            self.way.push(at);
            at = self.dofs[at as usize].parent;
        }
        self.way.reverse();
        &self.way
    }

    /// x for a force on a link, world axes at its origin: one number for each degree of freedom on the way to it.
    pub(crate) fn pushed(
        &mut self,
        tree: &Tree,
        kinematics: &Kinematics,
        link: usize,
        force: Force,
    ) -> &[f64] {
        let Self { links, dofs, entries, x, .. } = self;
        let (mut c, count) = links[link];
        x.clear();
        x.resize(count as usize, 0.0);
        let (mut at, mut force) = (link, force);
        loop {
            let (here, motion) = (&tree.links[at], &kinematics.links[at]);
            let from = links[at].1 as usize - here.joint.dofs();
            for j in 0..here.joint.dofs() {
                x[from + j] = kinematics.axis(here, motion, j).dot(force);
            }
            let Some(parent) = here.parent else { break };
            force = force.about(motion.offset);
            at = parent.index();
        }
        for p in (0..count as usize).rev() {
            let Dof { row, inverse, parent, .. } = dofs[c as usize];
            let y = x[p] * inverse;
            x[p] = y;
            let row = &entries[row as usize..row as usize + p];
            for (x, entry) in x[..p].iter_mut().zip(row) {
                *x -= entry * y;
            }
            c = parent;
        }
        x
    }

    /// The numbers of the last [`SquareRoot::pushed`], which was on this link, with the degrees of freedom that they are of, up to the
    /// root.
    pub(crate) fn each_pushed(&self, link: usize, mut each: impl FnMut(u32, f64)) {
        let mut at = self.links[link].0;
        for x in self.x.iter().rev() {
            each(at, *x);
            at = self.dofs[at as usize].parent;
        }
    }

    /// Adds an impulse on one degree of freedom, by its place in v, to z.
    pub(crate) fn push_dof(&mut self, v: usize, impulse: f64, z: &mut [f64]) {
        let Some(mut c) = self.dofs.iter().position(|dof| dof.v as usize == v) else { return };
        self.x.clear();
        self.x.resize(self.dofs[c].depth as usize + 1, 0.0);
        self.x[self.dofs[c].depth as usize] = impulse;
        for p in (0..self.x.len()).rev() {
            let Dof { row, inverse, parent, .. } = self.dofs[c];
            let y = self.x[p] * inverse;
            z[c] += y;
            for (x, entry) in self.x[..p].iter_mut().zip(&self.entries[row as usize..]) {
                *x -= entry * y;
            }
            c = parent as usize;
        }
    }

    /// `z = L v`.
    pub(crate) fn forth(&self, v: &[f64], z: &mut [f64]) {
        for c in 0..self.dofs.len() {
            let Dof { row, depth, .. } = self.dofs[c];
            let (mut at, mut sum) = (c, 0.0);
            for p in (0..=depth as usize).rev() {
                sum += self.entries[row as usize + p] * v[self.dofs[at].v as usize];
                at = self.dofs[at].parent as usize;
            }
            z[c] = sum;
        }
    }

    /// `v = L⁻¹ z`.
    pub(crate) fn back(&self, z: &[f64], v: &mut [f64]) {
        for c in 0..self.dofs.len() {
            let Dof { row, depth, parent, inverse, v: own } = self.dofs[c];
            let (mut at, mut sum) = (parent as usize, z[c]);
            for p in (0..depth as usize).rev() {
                sum -= self.entries[row as usize + p] * v[self.dofs[at].v as usize];
                at = self.dofs[at].parent as usize;
            }
            v[own as usize] = sum * inverse;
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::dynamics::crba::mass_matrix;
    use crate::dynamics::response::Response;
    use crate::{Body, Joint, ModelBuilder, Pose, RigidInertia};

    /// A floating tree with all kinds of joints, against the mass matrix and the response by articulated bodies.
    #[test]
    fn is_the_root_of_the_mass_matrix() {
        let rod = RigidInertia::solid_capsule(1.3, DVec3::ZERO, DVec3::new(0.1, 0.3, 0.05), 0.05);
        let at = |name: &str, joint: Joint, on: &str| {
            let body = Body::new(name, joint).inertia(rod).at(Pose::from_xyz(0.2, 0.1, -0.1));
            if on.is_empty() { body } else { body.on(on) }
        };
        let model = ModelBuilder::new()
            .body(at("a", Joint::free(), ""))
            .body(at("b", Joint::revolute(DVec3::Y), "a"))
            .body(at("c", Joint::spherical(), "b"))
            .body(at("d", Joint::prismatic(DVec3::Z), "a"))
            .body(at("e", Joint::revolute(DVec3::X), "d").at(Pose::from_xyz(0.0, 0.3, 0.0)))
            .body(at("f", Joint::revolute(DVec3::Z), "d"))
            .finish()
            .unwrap();
        let tree = model.tree();
        let mut q = crate::dynamics::State::new(&model).q;
        for link in tree.links.iter().filter(|l| l.joint.dofs() == 1) {
            q[link.q as usize] = 0.3 + 0.1 * f64::from(link.q);
        }
        let n = model.nv();
        let v: Vec<f64> = (0..n).map(|i| (i as f64).sin()).collect();
        let mut kinematics = Kinematics::default();
        kinematics.update(tree, &q, &v);
        let mut root = SquareRoot::default();
        root.factor(tree, &kinematics, model.armature());
        let (mut z, mut again) = (vec![0.0; n], vec![0.0; n]);
        root.forth(&v, &mut z);
        root.back(&z, &mut again);
        for (a, b) in v.iter().zip(&again) {
            assert!((a - b).abs() < 1e-12, "{a} {b}");
        }
        // z · z = v M v
        let m = mass_matrix(tree, &kinematics, model.armature(), n);
        let twice: f64 = v.iter().zip(m.mul(&v)).map(|(a, b)| a * b).sum();
        let square: f64 = z.iter().map(|z| z * z).sum();
        assert!((twice - square).abs() < 1e-12 * twice, "{twice} {square}");
        // an impulse
        let mut response = Response::default();
        response.factor(tree, &kinematics, model.armature());
        for link in 0..tree.links.len() {
            let force = Force::new(DVec3::new(0.3, -0.2, 0.5), DVec3::new(1.0, 0.4, -0.7));
            let mut jump = vec![0.0; n];
            response.apply(tree, &kinematics, &[(link as u32, force)], &vec![0.0; n], &mut jump);
            let way = root.way(link).to_vec();
            let x = root.pushed(tree, &kinematics, link, force).to_vec();
            let speed: f64 = way.iter().zip(&x).map(|(c, x)| x * z[*c as usize]).sum();
            assert!((speed - force.dot(kinematics.links[link].velocity)).abs() < 1e-12);
            let mut dz = vec![0.0; n];
            for (c, x) in way.iter().zip(&x) {
                dz[*c as usize] = *x;
            }
            root.back(&dz, &mut again);
            for (a, b) in jump.iter().zip(&again) {
                assert!((a - b).abs() < 1e-11, "{link}: {a} {b}");
            }
        }
    }
}
