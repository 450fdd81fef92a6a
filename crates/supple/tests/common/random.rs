use std::sync::Arc;

use glam::{DMat3, DQuat, DVec3};
use supple::dynamics::kinematics::Kinematics;
use supple::dynamics::wrench::Wrenches;
use supple::model::Element;
use supple::spatial::Sym3;
use supple::{
    Axes, Body, BodyId, Force, Joint, JointKind, Load, Model, ModelBuilder, Pose, RigidInertia, Simulation,
};

/// SplitMix64: small, the same on every platform, any seed will do.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// A generator for a seed and a stream: body `i` of a tree draws from stream `i`, so that a tree with
    /// fewer bodies is a part of the larger one and failing cases shrink.
    pub fn new(seed: u64, stream: u64) -> Self {
        let mut rng = Self(seed ^ stream.wrapping_mul(0xd1b5_4a32_d192_ed03));
        rng.next_u64();
        rng
    }

    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in \[0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Uniform in \[low, high).
    pub fn range(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Log-uniform in \[low, high).
    pub fn decades(&mut self, low: f64, high: f64) -> f64 {
        (self.range(low.ln(), high.ln())).exp()
    }

    /// Uniform in 0..n.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next_u64() % n as u64) as usize
    }

    pub fn chance(&mut self, p: f64) -> bool {
        self.unit() < p
    }

    /// Each coordinate uniform in ±size.
    pub fn vector(&mut self, size: f64) -> DVec3 {
        DVec3::new(self.range(-size, size), self.range(-size, size), self.range(-size, size))
    }

    pub fn quat(&mut self) -> DQuat {
        loop {
            let q =
                [self.range(-1.0, 1.0), self.range(-1.0, 1.0), self.range(-1.0, 1.0), self.range(-1.0, 1.0)];
            let q = DQuat::from_array(q);
            if (0.1..1.0).contains(&q.length()) {
                return q.normalize();
            }
        }
    }

    pub fn pose(&mut self, reach: f64) -> Pose {
        Pose::new(self.vector(reach), self.quat())
    }

    /// A direction of any length: often a coordinate axis, as in files.
    pub fn axis(&mut self) -> DVec3 {
        if self.chance(0.3) {
            return [DVec3::X, DVec3::Y, DVec3::Z, DVec3::NEG_X, DVec3::NEG_Y, DVec3::NEG_Z][self.below(6)];
        }
        self.quat() * DVec3::Z * self.range(0.3, 3.0)
    }

    pub fn force(&mut self, size: f64) -> Force {
        Force::new(self.vector(size), self.vector(size))
    }

    fn kind(&mut self) -> JointKind {
        match self.below(11) {
            0 => JointKind::Fixed,
            1 => JointKind::Revolute { axis: self.axis() },
            2 => JointKind::Continuous { axis: self.axis() },
            3 => JointKind::Prismatic { axis: self.axis() },
            4 => JointKind::Helical { axis: self.axis(), pitch: self.range(-0.3, 0.3) },
            5 => JointKind::Cylindrical { axis: self.axis() },
            6 => {
                // far enough from parallel that the mass matrix stays well conditioned
                let first = self.axis();
                let second = loop {
                    let a = self.axis();
                    if a.normalize().cross(first.normalize()).length() > 0.3 {
                        break a;
                    }
                };
                JointKind::Universal { axes: [first, second] }
            }
            7 => JointKind::Planar { normal: self.axis() },
            8 => JointKind::Spherical,
            9 => JointKind::Free,
            _ => JointKind::Compound(self.elements()),
        }
    }

    /// One to four elements whose axes are well apart, so that the joint is far from singular.
    fn elements(&mut self) -> Vec<Element> {
        let anchor = |rng: &mut Self| if rng.chance(0.3) { DVec3::ZERO } else { rng.vector(0.2) };
        let turned = self.quat();
        let (hinges, slides) = ([DVec3::X, DVec3::Y, DVec3::Z], [DVec3::X, DVec3::Y, DVec3::Z]);
        let mut elements = Vec::new();
        if self.chance(0.3) {
            elements.push(Element::Ball { anchor: anchor(self) });
        } else {
            for axis in hinges.into_iter().take(self.below(3)) {
                elements.push(Element::Hinge {
                    axis: turned * axis * self.range(0.5, 2.0),
                    anchor: anchor(self),
                });
            }
        }
        for axis in slides.into_iter().take(self.below(3)) {
            let at = self.below(elements.len() + 1);
            elements.insert(at, Element::Slide { axis: turned * axis * self.range(0.5, 2.0) });
        }
        if elements.is_empty() {
            elements.push(Element::Hinge { axis: self.axis(), anchor: anchor(self) });
        }
        elements
    }
}

/// A random inertia that some mass distribution has: from second moments, so the triangle inequality holds.
pub fn inertia(rng: &mut Rng, mass: f64) -> RigidInertia {
    let s = DVec3::new(rng.range(0.05, 0.3), rng.range(0.05, 0.3), rng.range(0.05, 0.3));
    let s = s * s * mass;
    let moments = Sym3::diagonal(DVec3::new(s.y + s.z, s.x + s.z, s.x + s.y));
    RigidInertia::new(mass, rng.vector(0.2), moments.rotated(DMat3::from_quat(rng.quat())))
}

/// One body of a random case, with the state of its joint.
#[derive(Clone, Debug)]
pub struct Item {
    pub body: Body,
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub tau: Vec<f64>,
    pub load: Option<(Force, Axes)>,
}

/// The position of a joint of this kind, generic.
fn position(rng: &mut Rng, kind: &JointKind) -> Vec<f64> {
    let mut q = kind.neutral();
    let mut at = 0;
    match kind {
        JointKind::Spherical => q.copy_from_slice(&rng.quat().to_array()),
        JointKind::Free => {
            rng.vector(0.5).write_to_slice(&mut q[..3]);
            q[3..].copy_from_slice(&rng.quat().to_array());
        }
        // the second hinge of three perpendicular ones is singular at ±π/2: stay away from it
        JointKind::Compound(elements) => {
            for e in elements {
                if let Element::Ball { .. } = e {
                    q[at..at + 4].copy_from_slice(&rng.quat().to_array());
                    at += 4;
                } else {
                    q[at] = rng.range(-0.9, 0.9);
                    at += 1;
                }
            }
        }
        _ => q.iter_mut().for_each(|x| *x = rng.range(-1.5, 1.5)),
    }
    q
}

/// Bodies of a random tree, parents first. Body `i` depends on the seed and on `i` alone.
pub fn random_items(count: usize, seed: u64) -> Vec<Item> {
    (0..count)
        .map(|i| {
            let mut rng = Rng::new(seed, i as u64 + 1);
            let kind = rng.kind();
            let (q, nv) = (position(&mut rng, &kind), kind.sizes().1);
            let mut joint = Joint::new(kind);
            if rng.chance(0.3) {
                joint = joint.armature(rng.range(0.0, 0.1));
            }
            if rng.chance(0.2) {
                joint = joint.named(format!("joint of body{i}"));
            }
            let mass = rng.decades(0.3, 3.0);
            let mut body =
                Body::new(format!("body{i}"), joint).at(rng.pose(0.5)).inertia(inertia(&mut rng, mass));
            if i > 0 {
                // chains, stars and all between
                let parent = if rng.chance(0.5) { i - 1 } else { rng.below(i) };
                body = body.on(format!("body{parent}"));
            }
            if rng.chance(0.4) {
                body.frame = rng.pose(0.3);
            }
            let v = (0..nv).map(|_| rng.range(-1.0, 1.0)).collect();
            let tau = (0..nv).map(|_| rng.range(-5.0, 5.0)).collect();
            let axes = if rng.chance(0.5) { Axes::Body } else { Axes::World };
            let load = rng.chance(0.3).then(|| (rng.force(10.0), axes));
            Item { body, q, v, tau, load }
        })
        .collect()
}

/// A model, its state and what acts on it.
#[derive(Clone, Debug)]
pub struct Case {
    pub model: Arc<Model>,
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub tau: Vec<f64>,
    pub loads: Vec<Load>,
    pub gravity: DVec3,
}

impl Case {
    /// Makes a model of the items, in the order given.
    pub fn new(items: &[Item], gravity: DVec3) -> Self {
        let mut builder = ModelBuilder::new();
        for item in items {
            builder.add(item.body.clone());
        }
        let model = builder.finish().expect("the random model is valid");
        let mut case =
            Self { model: Arc::new(model), q: vec![], v: vec![], tau: vec![], loads: vec![], gravity };
        for (i, item) in items.iter().enumerate() {
            case.q.extend(&item.q);
            case.v.extend(&item.v);
            case.tau.extend(&item.tau);
            if let Some((wrench, axes)) = item.load {
                case.loads.push(Load { body: BodyId::new(i), wrench, axes });
            }
        }
        case
    }

    /// A random tree, its bodies given in any order.
    pub fn random(count: usize, seed: u64) -> Self {
        let mut rng = Rng::new(seed, 0);
        let gravity = rng.vector(10.0);
        let mut items = random_items(count, seed);
        shuffle(&mut items, &mut rng);
        Self::new(&items, gravity)
    }

    pub fn kinematics(&self) -> Kinematics {
        super::kinematics_at(&self.model, &self.q, &self.v)
    }

    pub fn wrenches(&self) -> Wrenches {
        super::wrenches_of(&self.model, &self.kinematics(), &self.loads)
    }

    pub fn simulation(&self) -> Simulation {
        let mut simulation = Simulation::new(Arc::clone(&self.model));
        simulation.state.q.clone_from(&self.q);
        simulation.state.v.clone_from(&self.v);
        simulation.tau = self.tau.clone().into();
        simulation.wrenches.clone_from(&self.loads);
        simulation.gravity = self.gravity;
        simulation
    }
}

/// Any order.
pub fn shuffle<T>(items: &mut [T], rng: &mut Rng) {
    for i in (1..items.len()).rev() {
        items.swap(i, rng.below(i + 1));
    }
}
