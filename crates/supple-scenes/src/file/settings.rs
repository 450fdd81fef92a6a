use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use supple::world::{ContactMethod, ContactSettings, Settings, Solver};

use super::fault::{At, Fault};
use crate::number;

/// How a world holds its joints and contacts; what is left out is as usual.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct SettingsFile {
    /// How impulses are found.
    pub solver: SolverFile,
    /// Greatest error that predicted joints may have \[m or rad].
    pub tolerance: f64,
    /// Newton iterations per step at most.
    pub iterations: u32,
    /// Fastest speed at which joints that are apart come together \[m/s or rad/s].
    #[serde(with = "number")]
    #[schemars(schema_with = "number::schema")]
    pub approach: f64,
    /// Steps into which each one is cut, 1 or more.
    #[schemars(range(min = 1))]
    pub substeps: u32,
    /// How often a step may be cut in two where its joints cannot be met at once.
    pub halvings: u32,
    /// How contacts are held.
    pub contact: ContactFile,
}

/// How impulses are found.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case", deny_unknown_fields)]
pub enum SolverFile {
    /// By Newton for all joints of an island together.
    Together,
    /// Weinstein et al.'s sweeps, joint by joint.
    Sweeps {
        /// Per step.
        sweeps: u32,
    },
    /// Faure's displacement constraints.
    Displacement {
        /// Linearizations per step.
        outer: u32,
        /// Products of conjugate gradients per linearization.
        inner: u32,
    },
}

/// How contacts are held.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct ContactFile {
    /// Which sweeps.
    pub method: MethodFile,
    /// Longer steps are cut while anything touches \[s].
    #[serde(with = "number")]
    #[schemars(schema_with = "number::schema")]
    pub longest: f64,
    /// Depth to which bodies may penetrate \[m].
    pub slop: f64,
    /// Share of a deeper penetration that a step takes back.
    pub recover: f64,
    /// Fastest speed of that \[m/s].
    #[serde(with = "number")]
    #[schemars(schema_with = "number::schema")]
    pub fastest: f64,
    /// Sweeps that move apart what penetrates, at most.
    pub sweeps_apart: u32,
    /// Impacts slower than this have no restitution \[m/s].
    #[serde(with = "number")]
    #[schemars(schema_with = "number::schema")]
    pub bounce: f64,
    /// Sweeps end when a position would change by less \[m].
    pub tolerance: f64,
    /// Share of the greatest inertia that links have at least while something hits them.
    pub brace: f64,
    /// Whether what rests falls asleep.
    pub sleep: bool,
    /// What is slower than this rests \[m/s].
    pub slow: f64,
    /// After this time \[s].
    #[serde(with = "number")]
    #[schemars(schema_with = "number::schema")]
    pub calm: f64,
}

/// How impulses of contacts are found.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case", deny_unknown_fields)]
pub enum MethodFile {
    /// Sweeps that start with the impulses of the step before.
    Warm {
        /// At most.
        sweeps: u32,
    },
    /// Cold sweeps by the levels of the contact graph, then shock propagation.
    Levels {
        /// How many.
        sweeps: u32,
        /// Whether shocks are propagated.
        shock: bool,
        /// Whether velocities are restored after the last sweep over the joints.
        restore: bool,
    },
}

impl Default for SettingsFile {
    fn default() -> Self {
        Self::from(&Settings::default())
    }
}

impl Default for ContactFile {
    fn default() -> Self {
        Self::from(&ContactSettings::default())
    }
}

impl SettingsFile {
    /// Whether a world takes them; what is wrong is told with its field.
    pub(crate) fn check(&self, at: &At) -> Result<(), Fault> {
        // a world does not say which field of a file it means: each is tried beside what is usual
        let usual = Self::default();
        let contact = at.key("contact");
        let tries = [
            (at.key("solver"), Self { solver: self.solver, ..usual }),
            (at.key("tolerance"), Self { tolerance: self.tolerance, ..usual }),
            (at.key("iterations"), Self { iterations: self.iterations, ..usual }),
            (at.key("approach"), Self { approach: self.approach, ..usual }),
            (at.key("substeps"), Self { substeps: self.substeps, ..usual }),
            (at.key("halvings"), Self { halvings: self.halvings, ..usual }),
        ];
        let given = &self.contact;
        let plain = usual.contact;
        let tries_of_contact = [
            ("method", ContactFile { method: given.method, ..plain }),
            ("longest", ContactFile { longest: given.longest, ..plain }),
            ("slop", ContactFile { slop: given.slop, ..plain }),
            ("recover", ContactFile { recover: given.recover, ..plain }),
            ("fastest", ContactFile { fastest: given.fastest, ..plain }),
            ("bounce", ContactFile { bounce: given.bounce, ..plain }),
            ("tolerance", ContactFile { tolerance: given.tolerance, ..plain }),
            ("brace", ContactFile { brace: given.brace, ..plain }),
            ("slow", ContactFile { slow: given.slow, ..plain }),
            ("calm", ContactFile { calm: given.calm, ..plain }),
        ]
        .map(|(field, contact_of)| (contact.key(field), Self { contact: contact_of, ..usual }));
        // and all together, for what is left
        let whole = [(at.clone(), *self)];
        for (at, settings) in tries.into_iter().chain(tries_of_contact).chain(whole) {
            Settings::from(&settings).check().map_err(|error| at.wrong(error))?;
        }
        Ok(())
    }
}

impl From<&Settings> for SettingsFile {
    fn from(settings: &Settings) -> Self {
        Self {
            solver: match settings.solver {
                Solver::Together => SolverFile::Together,
                Solver::Sweeps { sweeps } => SolverFile::Sweeps { sweeps },
                Solver::Displacement { outer, inner } => SolverFile::Displacement { outer, inner },
            },
            tolerance: settings.tolerance,
            iterations: settings.iterations,
            approach: settings.approach,
            substeps: settings.substeps,
            halvings: settings.halvings,
            contact: ContactFile::from(&settings.contact),
        }
    }
}

impl From<&SettingsFile> for Settings {
    fn from(file: &SettingsFile) -> Self {
        Self {
            solver: match file.solver {
                SolverFile::Together => Solver::Together,
                SolverFile::Sweeps { sweeps } => Solver::Sweeps { sweeps },
                SolverFile::Displacement { outer, inner } => Solver::Displacement { outer, inner },
            },
            tolerance: file.tolerance,
            iterations: file.iterations,
            approach: file.approach,
            substeps: file.substeps,
            halvings: file.halvings,
            contact: ContactSettings::from(&file.contact),
        }
    }
}

impl From<&ContactSettings> for ContactFile {
    fn from(contact: &ContactSettings) -> Self {
        Self {
            method: match contact.method {
                ContactMethod::Warm { sweeps } => MethodFile::Warm { sweeps },
                ContactMethod::Levels { sweeps, shock, restore } => {
                    MethodFile::Levels { sweeps, shock, restore }
                }
            },
            longest: contact.longest,
            slop: contact.slop,
            recover: contact.recover,
            fastest: contact.fastest,
            sweeps_apart: contact.sweeps_apart,
            bounce: contact.bounce,
            tolerance: contact.tolerance,
            brace: contact.impact_armature,
            sleep: contact.sleep,
            slow: contact.slow,
            calm: contact.calm,
        }
    }
}

impl From<&ContactFile> for ContactSettings {
    fn from(file: &ContactFile) -> Self {
        Self {
            method: match file.method {
                MethodFile::Warm { sweeps } => ContactMethod::Warm { sweeps },
                MethodFile::Levels { sweeps, shock, restore } => {
                    ContactMethod::Levels { sweeps, shock, restore }
                }
            },
            longest: file.longest,
            slop: file.slop,
            recover: file.recover,
            fastest: file.fastest,
            sweeps_apart: file.sweeps_apart,
            bounce: file.bounce,
            tolerance: file.tolerance,
            impact_armature: file.brace,
            sleep: file.sleep,
            slow: file.slow,
            calm: file.calm,
        }
    }
}
