use glam::DVec3;
use supple::constraint::*;
use supple::world::*;
use supple::*;
use std::time::Instant;

pub fn net(cells: usize) -> World {
    let mut w = World::new();
    let n = cells + 1;
    let h = 0.2;
    let mut knots = vec![];
    for i in 0..n { for j in 0..n {
        let s = RigidInertia::solid_sphere(0.05, 0.03, DVec3::ZERO);
        knots.push(w.add_body(SingleBody::new("k", s).at(Frame::at(DVec3::new(i as f64*h, j as f64*h, 0.0)))).unwrap());
    }}
    let k = |i: usize, j: usize| knots[i*n+j];
    for i in 0..n { for j in 0..n { for (di,dj) in [(1,0),(0,1)] {
        if i+di>=n || j+dj>=n {continue}
        let a = DVec3::new(i as f64*h, j as f64*h, 0.0);
        let b = DVec3::new((i+di) as f64*h, (j+dj) as f64*h, 0.0);
        let rod = RigidInertia::solid_capsule(0.1, (a-b)*0.4, (b-a)*0.4, 0.01);
        let r = w.add_body(SingleBody::new("r", rod).at(Frame::at((a+b)*0.5))).unwrap();
        w.join(Ball, k(i,j), r, Frame::at(a)).unwrap();
        w.join(Ball, r, k(i+di,j+dj), Frame::at(b)).unwrap();
    }}}
    for (i,j) in [(0,0),(0,n-1),(n-1,0),(n-1,n-1)] {
        let p = DVec3::new(i as f64*h, j as f64*h, 0.0);
        let out = (p - DVec3::new(0.5*h*cells as f64,0.5*h*cells as f64,0.0)).normalize()*0.3;
        if std::env::var("ROPE").is_ok() {w.add(Constraint::new(Rope{longest:0.4}, BodyRef::World, k(i,j)).parent_frame(Frame::at(p+out))).unwrap();} else {w.join(Ball, BodyRef::World, k(i,j), Frame::at(p+out*0.0)).unwrap();}
    }
    w
}

fn main() {
    // double pendulum by constraints: energy
    for dt in [1.0/1000.0, 1.0/240.0, 1.0/60.0] {
        let mut w = World::new();
        let rod = RigidInertia::solid_capsule(1.0, DVec3::ZERO, DVec3::X, 0.02);
        let a = w.add_body(SingleBody::new("a", rod)).unwrap();
        let b = w.add_body(SingleBody::new("b", rod).at(Frame::at(DVec3::X))).unwrap();
        w.join(Hinge, BodyRef::World, a, Frame::with_z(DVec3::ZERO, DVec3::Y)).unwrap();
        w.join(Hinge, a, b, Frame::with_z(DVec3::X, DVec3::Y)).unwrap();
        let e0 = w.energy().total();
        let mut worst = 0.0f64; let mut it=0; let mut gap = 0.0f64; let mut uns=0;
        for _ in 0..(10.0/dt) as usize { let r = w.step(dt).unwrap(); worst = worst.max((w.energy().total()-e0).abs()); it=it.max(r.iterations); gap=gap.max(r.gap_max); uns+=r.unsolved; }
        println!("dt {dt:.5}: energy worst {worst:.3e} of {}, now {:.3e} iterations {it} gap {gap:.1e} unsolved {uns}", 9.81*1.5*2.0, w.energy().total()-e0);
    }
    for cells in [15usize, 30] {
        let mut w = net(cells);
        let mut t = vec![]; let mut gap=0.0f64; let mut it=0; let mut uns=0; let mut fac=0; let mut its=0;
        let e0 = w.energy().total();
        for s in 0..480 { let c = Instant::now(); let r = w.step(1.0/240.0).unwrap(); t.push(c.elapsed().as_nanos() as f64/1e6); gap=gap.max(r.gap_max); it=it.max(r.iterations); uns+=r.unsolved; fac=fac.max(r.factorizations); its+=r.iterations;
            if s%120==119 { println!("{s} it {its} E {} KE {} gap {gap:.1e}", w.energy().total()-e0, w.energy().kinetic); its=0;} }
        t.remove(0);
        let mean = t.iter().sum::<f64>()/t.len() as f64;
        println!("net {cells}: mean {mean:.2} ms worst {:.2} gap {gap:.2e} iterations {it} unsolved {uns} factorizations {fac}", t.iter().cloned().fold(0.0,f64::max));
    }
}
