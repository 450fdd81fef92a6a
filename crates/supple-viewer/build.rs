//! Puts the built page, `web/dist`, into the binary; where it is missing, a page that names the command that builds it.

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

fn main() -> io::Result<()> {
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let dist = here.join("../../web/dist");
    println!("cargo::rerun-if-changed={}", dist.display());
    let mut files = Vec::new();
    if dist.join("index.html").is_file() {
        find(&dist, &mut files)?;
    } else {
        // looked for again when it appears
        println!("cargo::rerun-if-changed={}", here.join("../../web").display());
        files.push(here.join("src/stub.html"));
    }
    let mut table = String::from("&[\n");
    for file in &files {
        println!("cargo::rerun-if-changed={}", file.display());
        let name = file
            .strip_prefix(&dist)
            .map_or("index.html".into(), |name| name.to_string_lossy().replace('\\', "/"));
        let path = fs::canonicalize(file)?;
        let _ = writeln!(table, "    ({name:?}, include_bytes!({:?}) as &[u8]),", path.display().to_string());
    }
    table.push_str("]\n");
    fs::write(PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("pages.rs"), table)
}

/// All files below a folder, in a fixed order.
fn find(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    let mut entries = fs::read_dir(folder)?.map(|e| e.map(|e| e.path())).collect::<io::Result<Vec<_>>>()?;
    entries.sort();
    for path in entries {
        if path.is_dir() {
            find(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}
