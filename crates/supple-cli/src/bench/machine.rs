//! What was measured on: processor, cores, system. No host name.

use std::fs;
use std::thread::available_parallelism;

/// One line about this machine.
pub(crate) fn machine() -> String {
    let model = fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| model_name(&text));
    let model = model.unwrap_or_else(|| format!("{} processor", std::env::consts::ARCH));
    let cores = available_parallelism().map_or(1, usize::from);
    let plural = if cores == 1 { "core" } else { "cores" };
    format!("{model}, {cores} {plural}, {}", system())
}

fn model_name(cpuinfo: &str) -> Option<String> {
    let line = cpuinfo.lines().find(|l| l.starts_with("model name"))?;
    let name = line.split_once(':')?.1.trim();
    (!name.is_empty()).then(|| name.to_owned())
}

fn system() -> String {
    let release = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let pretty = release.lines().find_map(|l| l.strip_prefix("PRETTY_NAME="));
    pretty.map_or_else(|| std::env::consts::OS.to_owned(), |name| name.trim_matches('"').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_processor_is_named() {
        let text = "processor\t: 0\nmodel name\t: Some CPU @ 3 GHz\nflags\t: a b\n";
        assert_eq!(model_name(text).as_deref(), Some("Some CPU @ 3 GHz"));
        assert_eq!(model_name("nothing"), None);
        assert!(machine().contains("core"));
    }
}
