use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use supple::JointId;
use supple::detail::{Detail, JointWeight, Keep, Metric, Rule, Target, Weights};
use supple::model::{LinkId, Model};

use super::PrintError;
use super::fault::{At, Fault};
use crate::{Ref, names, number};

/// How much of an articulation is simulated; what is left out is as usual.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct DetailFile {
    /// How many joints or how much error.
    pub target: TargetFile,
    /// Which joints become active.
    pub rule: RuleFile,
    /// How updates know what joints would do.
    pub metric: MetricFile,
    /// Steps from one update to the next.
    pub update_every: u32,
    /// Steps by which updates come before the multiples of that.
    pub phase: u32,
    /// Share by which a load must change to bring the next update forward.
    #[serde(with = "number")]
    #[schemars(schema_with = "number::schema")]
    pub on_change: f64,
    /// Whether joints are ranked by the velocity that they will have at the next update.
    pub look_ahead: bool,
    /// How many joints an update may try that are not active yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tries: Option<usize>,
    /// How many joints more than a number of joints asks for an impact may open, until the next step.
    #[serde(skip_serializing_if = "is_none")]
    pub impact_extra: usize,
    /// Joints that stay active or rigid.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keep: Vec<KeepFile>,
}

/// How many joints, or how much error.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case", deny_unknown_fields)]
pub enum TargetFile {
    /// All joints, always.
    Full,
    /// So many joints.
    Joints {
        /// How many.
        count: usize,
    },
    /// As many as it takes to leave out no more than this of the motion metrics.
    Error {
        /// Sum of squares \[rad²/s⁴ or m²/s⁴].
        acceleration: f64,
        /// Sum of squares \[rad²/s² or m²/s²].
        velocity: f64,
    },
    /// As many as it takes to leave out no more than this of the image; who looks is up to who runs the scene.
    Pixels {
        /// Per step.
        error: f64,
    },
    /// No more than this left out in any single step.
    Guaranteed {
        /// Sum of squares \[rad²/s⁴ or m²/s⁴].
        acceleration: f64,
    },
    /// Joints worth more than a price.
    Price {
        /// Squared joint velocity \[rad²/s² or m²/s²].
        price: f64,
        /// Joints at most.
        most: usize,
    },
}

/// Which joints become active.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RuleFile {
    /// From the root of the assembly tree down.
    Tree,
    /// The fastest ones.
    Free,
    /// Most by the tree, the rest the fastest ones.
    Split,
}

/// How updates know what joints would do.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum MetricFile {
    /// Whichever costs less.
    Auto,
    /// By a sweep over the whole body.
    Direct,
    /// By the assembly tree.
    Assembly,
}

/// What is wanted of a joint.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct KeepFile {
    /// The joint, by its name or by the number of the body that it carries.
    pub joint: Ref,
    /// What is wanted.
    pub keep: KeepWord,
}

/// What is wanted of a joint.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum KeepWord {
    /// The metric decides.
    Free,
    /// Stays active.
    Active,
    /// Stays rigid.
    Rigid,
}

/// What joints are worth in the motion metrics.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct WeightsFile {
    /// By a rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<WeightRule>,
    /// One by one, for each link: bodies that move, depth first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<LinkWeight>,
}

/// A rule for what joints are worth.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum WeightRule {
    /// What each joint moves, so that an arm counts for more than a finger.
    Reach,
    /// All the same.
    Same,
}

/// What one joint is worth: a multiple of the unit matrix, or a matrix.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct LinkWeight {
    /// A multiple of the unit matrix.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
    /// Its first rows and columns count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matrix: Option<Box<[[f64; 6]; 6]>>,
}

/// Whether a number is what files leave out.
fn is_none(number: &usize) -> bool {
    *number == 0
}

impl Default for DetailFile {
    fn default() -> Self {
        Self::from(&Detail::default())
    }
}

impl From<&Detail> for DetailFile {
    fn from(detail: &Detail) -> Self {
        let keep = |(joint, keep): &(JointId, Keep)| KeepFile {
            joint: joint.index().into(),
            keep: match keep {
                Keep::Free => KeepWord::Free,
                Keep::Active => KeepWord::Active,
                Keep::Rigid => KeepWord::Rigid,
            },
        };
        Self {
            target: match detail.target {
                Target::Full => TargetFile::Full,
                Target::Joints(count) => TargetFile::Joints { count },
                Target::Error { acceleration, velocity } => TargetFile::Error { acceleration, velocity },
                Target::Pixels { error } => TargetFile::Pixels { error },
                Target::Guaranteed { acceleration } => TargetFile::Guaranteed { acceleration },
                Target::Price { price, most } => TargetFile::Price { price, most },
            },
            rule: match detail.rule {
                Rule::Tree => RuleFile::Tree,
                Rule::Free => RuleFile::Free,
                Rule::Split => RuleFile::Split,
            },
            metric: match detail.metric {
                Metric::Auto => MetricFile::Auto,
                Metric::Direct => MetricFile::Direct,
                Metric::Assembly => MetricFile::Assembly,
            },
            update_every: detail.update_every,
            phase: detail.phase,
            on_change: detail.on_change,
            look_ahead: detail.look_ahead,
            tries: detail.tries,
            impact_extra: detail.impact_extra,
            keep: detail.keep.iter().map(keep).collect(),
        }
    }
}

impl DetailFile {
    pub(crate) fn detail(&self, model: &Model, at: &At) -> Result<Detail, Fault> {
        let mut keep = Vec::with_capacity(self.keep.len());
        for (i, file) in self.keep.iter().enumerate() {
            let at = at.key("keep").item(i).key("joint");
            let joint = match &file.joint {
                Ref::Name(name) => model.joint(name).ok_or_else(|| {
                    let all = model.joints().iter().map(|joint| joint.name.as_str());
                    at.wrong(format!("the model has no joint {name:?}{}", names::hint(name, all)))
                })?,
                number => {
                    let number = number.number().filter(|i| *i < model.joints().len());
                    JointId::new(number.ok_or_else(|| {
                        at.wrong(format!(
                            "there is no joint {}: the model has {}",
                            file.joint,
                            model.joints().len()
                        ))
                    })?)
                }
            };
            let wanted = match file.keep {
                KeepWord::Free => Keep::Free,
                KeepWord::Active => Keep::Active,
                KeepWord::Rigid => Keep::Rigid,
            };
            keep.push((joint, wanted));
        }
        Ok(Detail {
            target: match self.target {
                TargetFile::Full => Target::Full,
                TargetFile::Joints { count } => Target::Joints(count),
                TargetFile::Error { acceleration, velocity } => Target::Error { acceleration, velocity },
                TargetFile::Pixels { error } => Target::Pixels { error },
                TargetFile::Guaranteed { acceleration } => Target::Guaranteed { acceleration },
                TargetFile::Price { price, most } => Target::Price { price, most },
            },
            rule: match self.rule {
                RuleFile::Tree => Rule::Tree,
                RuleFile::Free => Rule::Free,
                RuleFile::Split => Rule::Split,
            },
            metric: match self.metric {
                MetricFile::Auto => Metric::Auto,
                MetricFile::Direct => Metric::Direct,
                MetricFile::Assembly => Metric::Assembly,
            },
            update_every: self.update_every,
            phase: self.phase,
            on_change: self.on_change,
            look_ahead: self.look_ahead,
            tries: self.tries,
            impact_extra: self.impact_extra,
            keep,
        })
    }
}

impl WeightsFile {
    /// The weights of an articulation.
    pub(crate) fn of(weights: &Weights, model: &Model, articulation: usize) -> Result<Self, PrintError> {
        let links = |weights: &Weights| -> Result<Vec<LinkWeight>, PrintError> {
            let link = |weight: &JointWeight| match weight {
                JointWeight::Scale(scale) => Ok(LinkWeight { scale: Some(*scale), matrix: None }),
                JointWeight::Matrix(matrix) => Ok(LinkWeight { scale: None, matrix: Some(matrix.clone()) }),
                JointWeight::Function(_) => Err(PrintError::Weight { articulation }),
            };
            weights.by_link().iter().map(link).collect()
        };
        let links_of = links(weights)?;
        if links_of.is_empty() {
            return Ok(Self { by: Some(WeightRule::Same), links: Vec::new() });
        }
        if links(&Weights::by_reach(model))? == links_of {
            return Ok(Self { by: Some(WeightRule::Reach), links: Vec::new() });
        }
        Ok(Self { by: None, links: links_of })
    }

    pub(crate) fn weights(&self, model: &Model, at: &At) -> Result<Weights, Fault> {
        match (self.by, self.links.is_empty()) {
            (Some(WeightRule::Reach), true) => return Ok(Weights::by_reach(model)),
            (Some(WeightRule::Same), true) => return Ok(Weights::identity()),
            (None, false) => {}
            _ => return Err(at.wrong("needs either \"by\" or \"links\"")),
        }
        let tree = model.tree();
        if self.links.len() != tree.links.len() {
            let (got, need) = (self.links.len(), tree.links.len());
            return Err(at.key("links").wrong(format!("has {got} weights, needs {need}: one for each link")));
        }
        let mut weights = Weights::identity();
        for (i, link) in self.links.iter().enumerate() {
            let at = at.key("links").item(i);
            let weight = match (link.scale, &link.matrix) {
                (Some(scale), None) => JointWeight::Scale(scale),
                (None, Some(matrix)) => JointWeight::Matrix(matrix.clone()),
                _ => return Err(at.wrong("needs either \"scale\" or \"matrix\"")),
            };
            weights.set(tree, LinkId::new(i), weight).map_err(|error| at.wrong(error))?;
        }
        Ok(weights)
    }
}
