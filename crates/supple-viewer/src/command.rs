//! What pages ask for.

use std::collections::BTreeMap;

use glam::DVec3;
use serde::Deserialize;
use supple::view::Camera;
use supple_scenes::live::Policy;

use crate::source::Source;

/// A message is no longer than this \[bytes].
pub(crate) const LONGEST: usize = 64 * 1024;
/// Steps that one command may take, and speeds that may be asked for.
const STEPS: std::ops::RangeInclusive<u32> = 1..=1000;
const SPEEDS: std::ops::RangeInclusive<f64> = 0.01..=100.0;
/// Pixels of an image along one side, at most.
const PIXELS: u32 = 16_384;

/// What a page asks for, checked as far as that can be done without the scene.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Command {
    Play,
    Pause,
    Reset,
    Step(u32),
    Speed(f64),
    Detail(Policy),
    Camera(Box<Camera>),
    Freeze(bool),
    Grab {
        actor: usize,
        body: usize,
        point: DVec3,
        to: DVec3,
    },
    Pull(DVec3),
    Drop,
    Open(Source),
    Follow(usize),
    /// The page is gone.
    Leave,
}

/// A command as it is written.
#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "lowercase", deny_unknown_fields)]
enum Written {
    Play {},
    Pause {},
    Reset {},
    Step {
        #[serde(default = "one")]
        count: u32,
    },
    Speed {
        value: f64,
    },
    Detail {
        policy: String,
        value: Option<f64>,
    },
    Camera {
        eye: [f64; 3],
        target: [f64; 3],
        up: [f64; 3],
        field: f64,
        size: [u32; 2],
    },
    Freeze {
        frozen: bool,
    },
    Grab {
        actor: usize,
        body: usize,
        point: [f64; 3],
        to: [f64; 3],
    },
    Pull {
        to: [f64; 3],
    },
    Drop {},
    Open {
        scene: String,
        #[serde(default)]
        settings: BTreeMap<String, String>,
    },
    Follow {
        actor: usize,
    },
}

fn one() -> u32 {
    1
}

impl Command {
    /// Reads a command; what is wrong with it otherwise.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        if text.len() > LONGEST {
            return Err(format!("a message of {} bytes was refused: no more than {LONGEST}", text.len()));
        }
        let written: Written = serde_json::from_str(text).map_err(|e| format!("this is no command: {e}"))?;
        Ok(match written {
            Written::Play {} => Self::Play,
            Written::Pause {} => Self::Pause,
            Written::Reset {} => Self::Reset,
            Written::Step { count } if STEPS.contains(&count) => Self::Step(count),
            Written::Step { count } => {
                return Err(format!("`count` must be between {} and {}, got {count}", STEPS.start(), STEPS.end()));
            }
            Written::Speed { value } if SPEEDS.contains(&value) => Self::Speed(value),
            Written::Speed { value } => {
                return Err(format!("`value` must be between {} and {}, got {value}", SPEEDS.start(), SPEEDS.end()));
            }
            Written::Detail { policy, value } => Self::Detail(Policy::parse(&policy, value).ok_or_else(|| {
                let names = Policy::NAMES.join(", ");
                format!("no detail {policy:?} with the value {value:?}: policies are {names}, values are not negative")
            })?),
            Written::Camera { eye, target, up, field, size } => {
                let [eye, target, up] = [eye, target, up].map(DVec3::from);
                let size = size.map(|n| n.clamp(1, PIXELS));
                let camera = Camera::look_at(eye, target, up).field(field).pixels(size[0], size[1]);
                camera.check().map_err(|e| e.to_string())?;
                Self::Camera(Box::new(camera))
            }
            Written::Freeze { frozen } => Self::Freeze(frozen),
            Written::Grab { actor, body, point, to } => {
                Self::Grab { actor, body, point: point.into(), to: to.into() }
            }
            Written::Pull { to } => Self::Pull(to.into()),
            Written::Drop {} => Self::Drop,
            Written::Open { scene, settings } => {
                Self::Open(Source::of_page(scene, settings).map_err(|e| e.to_string())?)
            }
            Written::Follow { actor } => Self::Follow(actor),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read() {
        assert_eq!(Command::read(r#"{"do":"play"}"#), Ok(Command::Play));
        assert_eq!(Command::read(r#"{"do":"step"}"#), Ok(Command::Step(1)));
        let detail = Command::read(r#"{"do":"detail","policy":"joints","value":7}"#);
        assert_eq!(detail, Ok(Command::Detail(Policy::Joints(7))));
        let camera =
            r#"{"do":"camera","eye":[0,-3,1],"target":[0,0,1],"up":[0,0,1],"field":1,"size":[640,480]}"#;
        assert!(matches!(Command::read(camera), Ok(Command::Camera(_))));
        assert!(matches!(Command::read(r#"{"do":"open","scene":"net"}"#), Ok(Command::Open(_))));
    }

    #[test]
    fn what_is_no_command_says_why() {
        for (text, says) in [
            ("", "no command"),
            ("[]", "no command"),
            (r#"{"do":"fly"}"#, "unknown variant"),
            (r#"{"do":"step","count":0}"#, "between 1 and 1000"),
            (r#"{"do":"speed","value":1e9}"#, "between"),
            (r#"{"do":"play","now":true}"#, "unknown field"),
            (r#"{"do":"detail","policy":"joints"}"#, "policies are"),
            (r#"{"do":"detail","policy":"joints","value":-1}"#, "not negative"),
            (r#"{"do":"pull","to":[1,2]}"#, "no command"),
            (r#"{"do":"pull","to":[1,2,null]}"#, "no command"),
            (r#"{"do":"camera","eye":[0,0,1],"target":[0,0,1],"up":[0,0,1],"field":1,"size":[1,1]}"#, ""),
            (r#"{"do":"open","scene":"robot","settings":{"file":"/etc/passwd"}}"#, "gallery only"),
        ] {
            let message = Command::read(text).expect_err(text);
            assert!(message.contains(says), "{text}: {message}");
        }
        let long = format!("{{\"do\":\"play\"{}}}", " ".repeat(LONGEST));
        assert!(Command::read(&long).is_err_and(|m| m.contains("refused")));
    }
}
