//! View-dependent detail: what is seen is simulated.

use std::sync::Arc;

use glam::DVec3;
use supple::constraint::Frame;
use supple::contact::Shape;
use supple::detail::{Detail, DetailError, Target};
use supple::view::{Attention, Camera, Looks, LooksError, Measure, Viewer, ViewerError, Visibility};
use supple::{Body, BodyId, Joint, ModelBuilder, Pose, RigidInertia, Simulation};

const DT: f64 = 1.0 / 240.0;

/// A chain of `links` rods along x, hinged about y, and what it looks like.
fn chain(links: usize) -> Simulation {
    let (length, radius) = (0.2, 0.03);
    let rod = RigidInertia::solid_capsule(1.0, DVec3::ZERO, DVec3::X * length, radius);
    let mut builder = ModelBuilder::new();
    for i in 0..links {
        let mut body = Body::new(format!("link{i}"), Joint::revolute(DVec3::Y)).inertia(rod);
        if i > 0 {
            body = body.on(format!("link{}", i - 1)).at(Pose::from_xyz(length, 0.0, 0.0));
        }
        builder = builder.body(body);
    }
    let model = builder.finish().unwrap_or_else(|e| panic!("{e}"));
    let capsule = Shape::capsule(DVec3::ZERO, DVec3::X * length, radius).unwrap_or_else(|e| panic!("{e}"));
    let looks = Looks::new(&model, (0..links).map(|i| (BodyId::new(i), Frame::IDENTITY, capsule.clone())));
    let mut simulation = Simulation::new(model);
    simulation.set_looks(looks).unwrap_or_else(|e| panic!("{e}"));
    simulation
}

fn at_distance(distance: f64) -> Camera {
    Camera::look_at(DVec3::new(1.0, -distance, -1.0), DVec3::new(1.0, 0.0, -1.0), DVec3::Z)
}

fn watch(simulation: &mut Simulation, viewer: Viewer) {
    simulation.set_viewer(Some(Arc::new(viewer))).unwrap_or_else(|e| panic!("{e}"));
}

fn viewer(cameras: &[Camera]) -> Viewer {
    Viewer::new(cameras).unwrap_or_else(|e| panic!("{e}"))
}

/// Mean of the active joints over a number of steps.
fn run(simulation: &mut Simulation, steps: usize) -> f64 {
    let mut sum = 0;
    for _ in 0..steps {
        simulation.step(DT).unwrap_or_else(|e| panic!("{e}"));
        sum += simulation.region().map_or(simulation.model.nv(), |r| r.active().len());
    }
    sum as f64 / steps as f64
}

#[test]
fn the_farther_away_the_fewer_joints() {
    for visibility in [Visibility::Spheres, Visibility::Boxes, Visibility::AlignedBoxes] {
        for measure in [Measure::Whole, Measure::Bodies, Measure::Least] {
            let mut before = f64::INFINITY;
            let mut means = Vec::new();
            // nearer, the chain is larger than the image
            for distance in [8.0, 25.0, 80.0, 800.0] {
                let mut chain = chain(20);
                let eye = viewer(&[at_distance(distance)]).by(visibility).measuring(measure);
                watch(&mut chain, eye);
                chain.set_detail(Detail::pixels(3.0)).unwrap_or_else(|e| panic!("{e}"));
                let mean = run(&mut chain, 480);
                means.push(mean);
                assert!(mean <= before + 0.5, "{visibility:?} {measure:?} {means:?}");
                before = mean;
            }
            assert!(means[0] > 2.0 * means[3], "{visibility:?} {measure:?} {means:?}");
        }
    }
}

#[test]
fn no_error_is_all_that_moves() {
    let mut chain = chain(12);
    watch(&mut chain, viewer(&[at_distance(5.0)]));
    chain.set_detail(Detail { update_every: 5, ..Detail::pixels(0.0) }).unwrap_or_else(|e| panic!("{e}"));
    // at first the outer ones do not move: what reaches them is below rounding
    run(&mut chain, 60);
    assert_eq!(run(&mut chain, 100), 12.0);
}

#[test]
fn what_nobody_sees_still_falls() {
    for joints in [0, 1] {
        let mut chain = chain(12);
        let away = Camera::look_at(DVec3::new(0.0, -5.0, 0.0), DVec3::new(0.0, -10.0, 0.0), DVec3::Z);
        let attention = Attention { joints, ..Attention::default() };
        watch(&mut chain, viewer(&[away]).attending(attention));
        chain.set_detail(Detail::pixels(1e4)).unwrap_or_else(|e| panic!("{e}"));
        let mean = run(&mut chain, 240);
        let tip = chain.pose_of(BodyId::new(11)).translation;
        // one joint is enough not to be found frozen in the air
        assert_eq!(tip.z < -1.0, joints == 1, "{tip} {mean}");
        assert!(mean <= 1.0);
    }
}

#[test]
fn what_comes_into_view_is_awake_in_the_next_step() {
    let mut chain = chain(20);
    let away = Camera::look_at(DVec3::new(1.0, -5.0, 0.0), DVec3::new(1.0, -10.0, 0.0), DVec3::Z);
    let attention = Attention { share: 0.0, ..Attention::default() };
    watch(&mut chain, viewer(&[away]).attending(attention));
    chain.set_detail(Detail { update_every: 1000, ..Detail::pixels(1.0) }).unwrap_or_else(|e| panic!("{e}"));
    assert!(run(&mut chain, 100) < 2.0);
    watch(&mut chain, viewer(&[at_distance(4.0)]));
    assert!(run(&mut chain, 1) > 5.0);
}

#[test]
fn two_cameras_see_what_either_sees() {
    let away = Camera::look_at(DVec3::new(1.0, -5.0, 0.0), DVec3::new(1.0, -10.0, 0.0), DVec3::Z);
    let mut means = Vec::new();
    for cameras in [vec![away, at_distance(4.0)], vec![at_distance(4.0), away], vec![at_distance(4.0)]] {
        let mut chain = chain(20);
        let attention = Attention { share: 0.0, ..Attention::default() };
        watch(&mut chain, viewer(&cameras).attending(attention));
        chain.set_detail(Detail::pixels(3.0)).unwrap_or_else(|e| panic!("{e}"));
        means.push(run(&mut chain, 240));
    }
    assert!(means[0] == means[1] && means[1] == means[2], "{means:?}");
}

#[test]
fn counted_pixels_count() {
    let mut chain = chain(20);
    watch(
        &mut chain,
        viewer(&[at_distance(4.0)])
            .by(Visibility::Pixels)
            .attending(Attention { share: 0.0, ..Attention::default() }),
    );
    assert_eq!(chain.set_pixels(&[1; 3]), Err(ViewerError::Pixels { given: 3, links: 20 }));
    // only the outer half is seen
    let pixels: Vec<u32> = (0..20).map(|i| if i < 10 { 0 } else { 300 }).collect();
    chain.set_pixels(&pixels).unwrap_or_else(|e| panic!("{e}"));
    chain.set_detail(Detail::pixels(2.0)).unwrap_or_else(|e| panic!("{e}"));
    let (mut inner, mut outer) = (0, 0);
    for _ in 0..480 {
        chain.step(DT).unwrap_or_else(|e| panic!("{e}"));
        let active = chain.region().map_or(&[][..], |r| r.active().members());
        inner += active.iter().filter(|l| **l < 10).count();
        outer += active.iter().filter(|l| **l > 10).count();
    }
    assert!(outer > 2 * inner, "{inner} {outer}");
}

#[test]
fn bad_input_is_told() {
    let mut chain = chain(3);
    let pixels = Detail::pixels(1.0);
    assert_eq!(chain.set_detail(pixels.clone()), Err(DetailError::NoViewer { error: 1.0 }));
    watch(&mut chain, viewer(&[at_distance(4.0)]));
    assert!(chain.set_detail(pixels).is_ok());
    let negative = chain.set_detail(Detail { target: Target::Pixels { error: -1.0 }, ..Detail::default() });
    assert!(matches!(negative, Err(DetailError::BadError { what: "pixel", .. })));
    assert!(matches!(
        Viewer::new([at_distance(4.0).pixels(0, 3)]),
        Err(ViewerError::Camera { camera: 0, .. })
    ));
    let eye = viewer(&[at_distance(4.0)]).attending(Attention { share: f64::NAN, ..Attention::default() });
    assert!(matches!(chain.set_viewer(Some(Arc::new(eye))), Err(ViewerError::Share { .. })));
}

/// Looks that were made for another model used to be taken, and to panic when a step used them.
#[test]
fn looks_fit_the_model_that_they_were_made_for() {
    let model = |links: usize, kind: &dyn Fn(usize) -> Joint| {
        let rod = RigidInertia::solid_capsule(1.0, DVec3::ZERO, DVec3::X, 0.03);
        let body = |i: usize| Body::new(format!("link{i}"), kind(i)).inertia(rod);
        let on = |i: usize| if i > 0 { body(i).on(format!("link{}", i - 1)) } else { body(i) };
        (0..links)
            .fold(ModelBuilder::new(), |builder, i| builder.body(on(i)))
            .finish()
            .unwrap_or_else(|e| panic!("{e}"))
    };
    let hinge = |_| Joint::revolute(DVec3::Y);
    let mut three = Simulation::new(model(3, &hinge));
    let floating = |i| if i == 0 { Joint::free() } else { Joint::revolute(DVec3::Y) };
    for other in [model(4, &hinge), model(2, &hinge), model(3, &floating)] {
        let looks = Looks::by_inertia(&other);
        assert!(!looks.fits(&three.model) && looks.fits(&other));
        let refused = three.set_looks(looks);
        assert!(matches!(refused, Err(LooksError::OtherModel { links: 3, .. })), "{refused:?}");
    }
    // a model that was built in the same way once more looks the same
    let own = Looks::by_inertia(&model(3, &hinge));
    assert_eq!(three.set_looks(own), Ok(()));
    watch(&mut three, Viewer::new([at_distance(3.0)]).unwrap_or_else(|e| panic!("{e}")));
    three.set_detail(Detail::pixels(1.0)).unwrap_or_else(|e| panic!("{e}"));
    three.step(0.01).unwrap_or_else(|e| panic!("{e}"));
}
