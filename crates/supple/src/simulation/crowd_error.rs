use super::StepError;

/// Which of many bodies could not take a step, and why.
///
/// The message has both; [`Error::source`](std::error::Error::source) is what lies beneath the cause, so that no report says it twice.
#[derive(Clone, Debug, PartialEq)]
pub struct CrowdError {
    /// Number of the body among the members, from zero: the first that could not.
    pub member: usize,
    /// Why it could not.
    pub source: StepError,
}

impl std::fmt::Display for CrowdError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "member {}: {}", self.member, self.source)
    }
}

impl std::error::Error for CrowdError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        std::error::Error::source(&self.source)
    }
}
