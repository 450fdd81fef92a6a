//! tmp
use glam::DVec3;
use supple::dynamics::{aba, articulated::Sweep, kinematics::Kinematics, wrench::Wrenches};
use supple::*;
fn main() {
    for n in [10usize, 100, 300, 1000, 10000, 100000] {
        let mut b = ModelBuilder::new();
        let (m, l) = (0.1, 0.1);
        let i = RigidInertia::new(
            m,
            DVec3::new(l / 2., 0., 0.),
            spatial::Sym3::diagonal(DVec3::new(m * l * l / 100., m * l * l / 12., m * l * l / 12.)),
        );
        for k in 0..n {
            let mut body = Body::new(format!("l{k}"), Joint::revolute(DVec3::Z)).inertia(i);
            if k > 0 {
                body = body.on(format!("l{}", k - 1)).at(Pose::from_xyz(l, 0., 0.));
            }
            b.add(body);
        }
        let model = b.finish().unwrap();
        let q: Vec<f64> = (0..n).map(|i| (i as f64 * 1.3).sin()).collect();
        let v: Vec<f64> = (0..n).map(|i| (i as f64 * 0.7).cos()).collect();
        let tau = vec![0.0; n];
        let mut qdd = vec![0.0; n];
        let mut kin = Kinematics::new(model.tree());
        let mut sw = Sweep::new(model.tree());
        let w = Wrenches::new();
        let g = DVec3::new(0., -9.81, 0.);
        let reps = (3_000_000 / n).max(3);
        let mut best = f64::MAX;
        let mut bk = f64::MAX;
        for _ in 0..10 {
            let t = std::time::Instant::now();
            for _ in 0..reps / 10 + 1 {
                kin.update(model.tree(), &q, &v);
                aba::accelerations(model.tree(), &kin, g, model.armature(), &tau, &w, &mut sw, &mut qdd);
                std::hint::black_box(&mut qdd);
            }
            best = best.min(t.elapsed().as_secs_f64() / (reps / 10 + 1) as f64);
            let t = std::time::Instant::now();
            for _ in 0..reps / 10 + 1 {
                kin.update(model.tree(), &q, &v);
                std::hint::black_box(&mut kin);
            }
            bk = bk.min(t.elapsed().as_secs_f64() / (reps / 10 + 1) as f64);
        }
        println!(
            "{n}: {:.1} ns/link (kin {:.1}) checksum {}",
            best * 1e9 / n as f64,
            bk * 1e9 / n as f64,
            qdd.iter().sum::<f64>()
        );
    }
}
