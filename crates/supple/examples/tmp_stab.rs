//! tmp
use glam::DVec3;
use supple::*;
fn chain(n: usize, kind: &str, tip: f64) -> Simulation {
    let mut b = ModelBuilder::new();
    let (m, l) = (0.1, 0.1);
    for k in 0..n {
        let mm = if k == n - 1 { m * tip } else { m };
        let i = RigidInertia::new(
            mm,
            DVec3::new(l / 2., 0., 0.),
            spatial::Sym3::diagonal(DVec3::new(mm * l * l / 100., mm * l * l / 12., mm * l * l / 12.)),
        );
        let j = match kind {
            "planar" => Joint::revolute(DVec3::Z),
            "alt" => Joint::revolute(if k % 2 == 0 { DVec3::Z } else { DVec3::Y }),
            "sph" => Joint::spherical(),
            "free" if k == 0 => Joint::free(),
            "free" => Joint::revolute(if k % 2 == 0 { DVec3::Z } else { DVec3::Y }),
            _ => panic!(),
        };
        let mut body = Body::new(format!("l{k}"), j).inertia(i);
        if k > 0 {
            body = body.on(format!("l{}", k - 1)).at(Pose::from_xyz(l, 0., 0.));
        }
        b.add(body);
    }
    let mut s = Simulation::new(b.finish().unwrap());
    s.gravity = DVec3::new(0., -9.81, 0.);
    if kind == "free" {
        s.gravity = DVec3::ZERO;
        for (i, v) in s.state.v.iter_mut().enumerate() {
            *v = (1.0 + i as f64 * 1.7).sin() * 2.0;
        }
    }
    s
}
fn main() {
    let secs: f64 = std::env::args().nth(1).map_or(10.0, |s| s.parse().unwrap());
    for (kind, n, tip) in [
        ("planar", 100, 1.0),
        ("planar", 20, 1.0),
        ("planar", 300, 1.0),
        ("alt", 100, 1.0),
        ("sph", 20, 1.0),
        ("sph", 50, 1.0),
        ("planar", 20, 1000.0),
        ("planar", 100, 1000.0),
        ("free", 20, 1.0),
    ] {
        let scale = if kind == "free" {
            chain(n, kind, tip).energy().kinetic
        } else {
            0.1 * 9.81 * 0.1 * (n * n) as f64 / 2.0 * if tip > 1.0 { 1.0 + 2.0 * tip / n as f64 } else { 1.0 }
        };
        // reference
        let mut r = chain(n, kind, tip);
        r.integrator = Integrator::Rk4;
        let mut refs = vec![];
        if kind != "free" {
            for _ in 0..60 {
                for _ in 0..100 {
                    if r.step(1. / 6000.).is_err() {
                        break;
                    }
                }
                let k = r.kinematics();
                refs.push(k.links[n - 1].pose().point(DVec3::new(0.1, 0., 0.)));
            }
        }
        for (name, integ) in Integrator::ALL {
            if name == "explicit" || name == "adaptive" {
                continue;
            }
            for hz in [60.0, 240.0] {
                let mut s = chain(n, kind, tip);
                s.integrator = integ;
                let e0 = s.energy().total();
                let m0 = s.momentum();
                let steps = (secs * hz) as usize;
                let mut worst: f64 = 0.0;
                let mut prev = e0;
                let mut sweeps = 0;
                let mut err = 0.0;
                let mut fail = String::new();
                let mut capped = 0;
                let t = std::time::Instant::now();
                for i in 0..steps {
                    match s.step(1. / hz) {
                        Ok(r) => {
                            sweeps += r.sweeps;
                            capped += r.capped as u32
                        }
                        Err(e) => {
                            fail = format!("{e}");
                            fail.truncate(60);
                            break;
                        }
                    }
                    if i % (hz as usize / 60) == 0 || true {
                        let e = s.energy().total();
                        worst = worst.max((e - prev) / scale);
                        prev = e;
                    }
                    let at = (i + 1) as f64 / (hz / 60.0);
                    if at.fract() == 0.0 && (at as usize) <= refs.len() {
                        let k = s.kinematics();
                        let d = k.links[n - 1].pose().point(DVec3::new(0.1, 0., 0.)) - refs[at as usize - 1];
                        err += d.length_squared() / 60.0;
                    }
                }
                let us = t.elapsed().as_secs_f64() * 1e6 / s.state.step.max(1) as f64;
                let m1 = s.momentum();
                println!(
                    "{kind} {n} tip{tip} {name:13} {hz}: t={:.2} dE={:+.4} gain/step {:.1e} tip rms {:.5} sweeps {:.2} capped {:.2} mom {:.1e} {:.1e} {us:.1}us {fail}",
                    s.state.time,
                    (s.energy().total() - e0) / scale,
                    worst,
                    f64::sqrt(err),
                    sweeps as f64 / s.state.step.max(1) as f64,
                    capped as f64 / s.state.step.max(1) as f64,
                    (m1.linear - m0.linear).length(),
                    (m1.angular_about_com - m0.angular_about_com).length()
                );
            }
        }
    }
}
