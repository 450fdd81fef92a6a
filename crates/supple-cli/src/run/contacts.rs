//! How contacts of a world are held.

use anyhow::{Result, ensure};
use clap::{Args, ValueEnum};
use supple::world::{ContactMethod, ContactSettings};

/// How contacts are held
#[derive(Args, Default)]
#[command(next_help_heading = "Contacts")]
pub(crate) struct ContactArgs {
    /// How impulses of contacts are found [default: warm, or the scene's]
    #[arg(long, value_name = "M", visible_alias = "method")]
    contacts: Option<MethodName>,
    /// Sweeps over the contacts per step, at most [default: the scene's, or 9 of levels]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    contact_sweeps: Option<u32>,
    /// Nothing falls asleep
    #[arg(long)]
    no_sleep: bool,
}

/// How impulses of contacts are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum MethodName {
    /// Sweeps that start with the impulses of the step before
    Warm,
    /// Cold sweeps by the levels of the contact graph, with shock propagation (Guendelman et al. 2003, Weinstein et al. 2006)
    Levels,
}

impl ContactArgs {
    /// The first option that was given.
    pub(crate) fn asked(&self) -> Option<&'static str> {
        let given = [
            ("--contacts", self.contacts.is_some()),
            ("--contact-sweeps", self.contact_sweeps.is_some()),
            ("--no-sleep", self.no_sleep),
        ];
        given.into_iter().find(|(_, given)| *given).map(|(option, _)| option)
    }

    /// What was asked for, and the rest as it is.
    pub(crate) fn over(&self, present: ContactSettings) -> Result<ContactSettings> {
        ensure!(
            self.contact_sweeps.is_none() || self.contacts.is_some(),
            "--contact-sweeps needs --contacts warm or --contacts levels"
        );
        let method = match (self.contacts, self.contact_sweeps) {
            (None, _) => present.method,
            (Some(MethodName::Warm), None) => ContactMethod::default(),
            (Some(MethodName::Warm), Some(sweeps)) => ContactMethod::Warm { sweeps },
            (Some(MethodName::Levels), sweeps) => {
                ContactMethod::Levels { sweeps: sweeps.unwrap_or(9), shock: true, restore: true }
            }
        };
        Ok(ContactSettings { method, sleep: present.sleep && !self.no_sleep, ..present })
    }
}

/// The method as reports call it.
pub(crate) fn name(method: ContactMethod) -> String {
    match method {
        ContactMethod::Warm { sweeps } => format!("warm-{sweeps}"),
        ContactMethod::Levels { sweeps, .. } => format!("levels-{sweeps}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_asked_for_stays() {
        let present = ContactSettings { slop: 0.5, ..ContactSettings::default() };
        assert_eq!(ContactArgs::default().over(present).unwrap(), present);
        let levels =
            ContactArgs { contacts: Some(MethodName::Levels), contact_sweeps: Some(5), no_sleep: true };
        let asked = levels.over(present).unwrap();
        assert_eq!((name(asked.method).as_str(), asked.slop, asked.sleep), ("levels-5", 0.5, false));
        let warm =
            ContactArgs { contacts: Some(MethodName::Warm), contact_sweeps: Some(20), no_sleep: false };
        assert_eq!(name(warm.over(present).unwrap().method), "warm-20");
        assert!(ContactArgs { contact_sweeps: Some(5), ..ContactArgs::default() }.over(present).is_err());
    }
}
