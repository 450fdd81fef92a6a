//! The page and its files, which are in the binary, and the gallery.

use std::borrow::Cow;
use std::path::{Component, Path};

use axum::Json;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, REFERRER_POLICY};
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use supple_scenes::{Scene, gallery};

/// Path and content of every file.
static FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/pages.rs"));

/// The page itself.
const INDEX: &str = "index.html";

/// A file of the page, from the binary or from a folder.
pub(crate) fn file(folder: Option<&Path>, uri: &Uri) -> Response {
    let name = match uri.path().trim_start_matches('/') {
        "" => INDEX,
        path => path,
    };
    let content = match folder {
        Some(folder) => from_folder(folder, name).map(Cow::Owned),
        None => FILES.iter().find(|(known, _)| *known == name).map(|(_, content)| Cow::Borrowed(*content)),
    };
    let Some(content) = content else {
        return (StatusCode::NOT_FOUND, "there is no such file").into_response();
    };
    // files in assets/ have a hash in their name, and never change
    let cache = if name.starts_with("assets/") { "public, max-age=31536000, immutable" } else { "no-cache" };
    // the address may have the token in it
    let headers = [(CONTENT_TYPE, kind(name)), (CACHE_CONTROL, cache), (REFERRER_POLICY, "no-referrer")];
    (headers, content).into_response()
}

/// Whether a folder has a page in it; else what is missing.
pub(crate) fn check(folder: &Path) -> Result<(), &'static str> {
    if !folder.exists() {
        return Err("there is no such folder");
    }
    if !folder.is_dir() {
        return Err("it is no folder: name the one that has index.html");
    }
    if !folder.join(INDEX).is_file() {
        return Err("it has no index.html: `make web` builds the page in web/dist");
    }
    Ok(())
}

/// A file below a folder, and nowhere else.
fn from_folder(folder: &Path, name: &str) -> Option<Vec<u8>> {
    let name = Path::new(name);
    let below = name.components().all(|part| matches!(part, Component::Normal(_)));
    std::fs::read(folder.join(name)).ok().filter(|_| below)
}

fn kind(name: &str) -> &'static str {
    match name.rsplit_once('.').map_or("", |(_, end)| end) {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        _ => "application/octet-stream",
    }
}

/// All scenes, with what can be set.
pub(crate) fn scenes(folder: Option<&Path>) -> Json<Value> {
    Json(gallery().iter().map(|scene| about(folder, scene)).collect())
}

fn about(folder: Option<&Path>, scene: &Scene) -> Value {
    // files of this machine are not for pages
    let settable = scene.parameters.iter().filter(|p| p.name != "file");
    let parameters: Vec<_> = settable
        .map(|p| json!({ "name": p.name, "default": p.kind.default_text(), "takes": p.kind.to_string(), "doc": p.doc }))
        .collect();
    let thumb = format!("thumbs/{}.png", scene.name);
    let there = match folder {
        Some(folder) => folder.join(&thumb).is_file(),
        None => FILES.iter().any(|(name, _)| *name == thumb),
    };
    let thumb = there.then(|| format!("/{thumb}"));
    json!({
        "name": scene.name,
        "figure": scene.figure,
        "summary": scene.summary,
        "world": scene.is_world(),
        "thumb": thumb,
        "parameters": parameters,
    })
}

/// Whether the page itself is in this build.
pub(crate) fn is_built() -> bool {
    FILES.len() > 1
}
