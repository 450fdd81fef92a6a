//! How much of the body `supple run` simulates.

use anyhow::{Result, ensure};
use clap::Args;
use supple::Simulation;
use supple::detail::{Detail, DetailError, Keep, Target};
use supple_scenes::Stage;

use crate::detail_names::{MetricName, RuleName};
use crate::number::real;

/// Simulate only the joints that matter
#[derive(Args)]
#[command(next_help_heading = "Detail")]
pub(crate) struct DetailArgs {
    /// Simulate all joints (the default, unless the scene is about detail)
    #[arg(long, conflicts_with_all = ["active", "tolerance", "budget"])]
    full: bool,
    /// Simulate at most N joints of each body, those that move most
    #[arg(long, value_name = "N", conflicts_with_all = ["tolerance", "budget"])]
    active: Option<usize>,
    /// Simulate at most N joints of all bodies together, spent where they move most
    #[arg(long, value_name = "N", conflicts_with = "tolerance")]
    budget: Option<usize>,
    /// Leave out joints while the sum of their squared accelerations is at most E, in rad²/s⁴
    #[arg(long, value_name = "E", value_parser = real, allow_negative_numbers = true)]
    tolerance: Option<f64>,
    /// Leave out joints while at most so many pixels per step are wrong, by estimate: see `--camera`
    #[arg(long, value_name = "E", value_parser = real, allow_negative_numbers = true,
          conflicts_with_all = ["full", "active", "tolerance", "budget", "guaranteed"])]
    pub(crate) pixels: Option<f64>,
    /// Leave no more than this out of the squared accelerations of any step, in rad²/s⁴; joints never stop (the paper's
    /// guaranteed mode: an update in every step, semi-implicit)
    #[arg(long, value_name = "E", value_parser = real, allow_negative_numbers = true,
          conflicts_with_all = ["full", "active", "tolerance", "budget"])]
    guaranteed: Option<f64>,
    /// Joints that stay rigid, by name
    #[arg(long, value_name = "JOINT,…", value_delimiter = ',')]
    rigid: Vec<String>,
    /// Joints that stay active, by name
    #[arg(long, value_name = "JOINT,…", value_delimiter = ',')]
    moving: Vec<String>,
    /// Choose the joints anew every K steps [default: 20, or the scene's]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..), conflicts_with = "guaranteed")]
    update_every: Option<u32>,
    /// Which joints stay active [default: split, or the scene's]
    #[arg(long, value_name = "R")]
    rule: Option<RuleName>,
    /// How updates know what joints would do [default: auto, or the scene's]
    #[arg(long, value_name = "M")]
    metric: Option<MetricName>,
}

impl DetailArgs {
    /// Asks all articulations for what was asked for here, and leaves the rest as the scene has it.
    pub(crate) fn apply(&self, stage: &mut Stage, dt: f64) -> Result<()> {
        if self.is_empty() {
            return Ok(());
        }
        ensure!(
            stage.first().is_some(),
            "detail (--active and its kin) is for articulations: this world has single bodies only, leave it out"
        );
        let fresh = self.is_fresh();
        if fresh {
            stage.script.schedule = None;
            stage.world.set_budget(None)?;
        }
        let ids: Vec<_> = stage.world.articulations().map(|(id, _)| id).collect();
        for id in ids {
            let own = stage.world.articulation(id)?.detail();
            let detail = self.over(&if fresh { self.fresh(own) } else { own.clone() }, dt);
            if detail != *own {
                stage.world.articulation_mut(id)?.set_detail(detail)?;
            }
            self.hold_in(stage.world.articulation_mut(id)?)?;
        }
        stage.world.set_pixels(self.pixels)?;
        self.budget.map_or(Ok(()), |joints| Ok(stage.set_budget(joints)?))
    }

    /// Whether it was said how much detail there is to be, by other means than a budget.
    fn is_fresh(&self) -> bool {
        let numbers = [self.tolerance, self.guaranteed, self.pixels];
        self.full || self.active.is_some() || numbers.iter().any(Option::is_some)
    }

    /// The detail to begin with: scenes that are looked at know how often errors in pixels want a new choice.
    fn fresh(&self, own: &Detail) -> Detail {
        let default = Detail::default();
        let update_every = if self.pixels.is_some() { own.update_every } else { default.update_every };
        Detail { update_every, ..default }
    }

    /// Whether nothing was asked for.
    pub(crate) fn is_empty(&self) -> bool {
        let numbers = [self.active.is_some(), self.budget.is_some(), self.tolerance.is_some()];
        let words =
            [self.guaranteed.is_some(), self.pixels.is_some(), self.rule.is_some(), self.metric.is_some()];
        let asked =
            self.full || self.update_every.is_some() || numbers.contains(&true) || words.contains(&true);
        !asked && self.rigid.is_empty() && self.moving.is_empty()
    }

    /// The integrator that steps are taken with, where this one was asked for: the guaranteed mode has its own.
    pub(crate) fn integrator_of<'a>(&self, asked: &'a str) -> &'a str {
        if self.guaranteed.is_some() { "semi-implicit" } else { asked }
    }

    /// Holds the joints that were named.
    fn hold_in(&self, member: &mut Simulation) -> Result<(), DetailError> {
        if self.rigid.is_empty() && self.moving.is_empty() {
            return Ok(());
        }
        let (rigid, moving) = (self.rigid.iter(), self.moving.iter());
        let detail = member.detail().clone();
        let detail = detail.hold(&member.model, rigid.map(String::as_str), Keep::Rigid)?;
        let detail = detail.hold(&member.model, moving.map(String::as_str), Keep::Active)?;
        member.set_detail(detail)
    }

    /// A detail with what was asked for here.
    fn over(&self, detail: &Detail, dt: f64) -> Detail {
        let update_every = self.update_every.unwrap_or(detail.update_every);
        let target = match (self.active, self.tolerance) {
            (Some(joints), _) => Target::Joints(joints),
            (None, Some(acceleration)) => {
                // what such accelerations come to until the next update
                let period = dt * f64::from(update_every);
                Target::Error { acceleration, velocity: acceleration * period * period }
            }
            (None, None) => match (self.guaranteed, self.pixels) {
                (Some(acceleration), _) => Target::Guaranteed { acceleration },
                (None, Some(error)) => Target::Pixels { error },
                (None, None) => detail.target,
            },
        };
        let rule = self.rule.map_or(detail.rule, RuleName::rule);
        let metric = self.metric.map_or(detail.metric, MetricName::metric);
        Detail { target, rule, metric, update_every, ..detail.clone() }
    }
}
