//! The folders of the library are rooms, one above the other: each knows only those below it.
//!
//! Read are the sources themselves: every path that begins with `crate` or `super`, in a `use` or not, is followed to the room that it leads
//! to; what `lib.rs` re-exports counts as the room where it is. What only tests see may look anywhere, and so may comments.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// From the bottom to the top. A room within a room knows nothing of the one around it.
const ROOMS: &[&str] = &[
    "util",
    "spatial",
    "shape",
    "model",
    "dynamics",
    "detail/assembly",
    "detail",
    "view",
    "simulation",
    "bodies",
    "constraint",
    "contact",
    "world",
    "prelude",
];

#[test]
fn each_room_knows_only_those_below_it() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = BTreeMap::new();
    read(&source, &source, &mut files);
    assert!(files.len() > 100, "only {} files in {}", files.len(), source.display());

    let exports = exports(&tokens(&files["lib.rs"]));
    assert!(exports.contains_key("Simulation"), "{exports:?}");
    let mut wrong = Vec::new();
    for (file, text) in files.iter().filter(|(file, _)| file.as_str() != "lib.rs" && !is_test(file, &files)) {
        wrong.extend(upward(file, text, &exports));
    }
    assert!(wrong.is_empty(), "{} references go up:\n{}", wrong.len(), wrong.join("\n"));
    for room in ROOMS {
        assert!(files.keys().any(|file| room_of(&module(file)) == Some(*room)), "there is no room {room}");
    }
}

#[test]
fn what_goes_up_is_found() {
    let exports = exports(&tokens("pub use world::{World, Id as Name};\npub use spatial::Pose;"));
    let of = |file: &str, text: &str| upward(file, text, &exports).len();
    assert_eq!(
        upward("model/body.rs", "\nuse crate::world::World;", &exports),
        ["model/body.rs:2: model knows world, by crate::world::World"]
    );
    // any path, groups, what is re-exported, what climbs out
    assert_eq!(of("model/body.rs", "fn f() -> crate::world::World {}"), 1);
    assert_eq!(of("model/body.rs", "use crate::{spatial::{Pose, Force}, world::{self, a::{B, C}}};"), 3);
    assert_eq!(of("model/body.rs", "use crate::{Pose, World, Name};"), 2);
    assert_eq!(of("model/body.rs", "use super::super::{world, spatial};"), 1);
    assert_eq!(
        of("model/body.rs", "mod inner { use super::super::super::world::World; use super::super::x; }"),
        1
    );
    assert_eq!(of("detail/assembly/join.rs", "use super::super::Hybrid; use super::tree;"), 1);
    assert_eq!(
        of("detail/assembly/join.rs", "use crate::detail::Hybrid; use crate::detail::assembly::X;"),
        1
    );
    // nobody knows where these lead
    assert_eq!(of("model/body.rs", "use crate::nowhere::X;"), 1);
    assert_eq!(of("model/body.rs", "use crate::*; use super::super::*;"), 2);
    assert_eq!(of("nowhere.rs", "fn f() {}"), 1);
    // what is fine
    let fine = "// crate::world\n/* crate::world /* crate::world */ crate::world */ pub(crate) fn f<'a>(c: char) {
        let x = ('\"', '\\'', \"crate::world \\\" crate::world\", r#\"crate::world \" crate::world\"#); }
        use crate::{Pose, spatial::Force}; use super::{Model, super::spatial}; pub(in super::super::model) fn g() {}
        #[cfg(test)] #[allow(x)] mod tests { fn f() { if x {} } use crate::world::World; }
        #[cfg(test)] use crate::world::World;\n#[cfg(test)] fn h() { crate::world::f(); }";
    assert_eq!(upward("model/body.rs", fine, &exports), [""; 0]);
}

/// All sources by their paths from `root`.
fn read(root: &Path, folder: &Path, files: &mut BTreeMap<String, String>) {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            read(root, &path, files);
        } else if path.extension().is_some_and(|e| e == "rs") {
            let names = path.strip_prefix(root).unwrap().iter().map(|name| name.to_str().unwrap());
            files.insert(names.collect::<Vec<_>>().join("/"), fs::read_to_string(&path).unwrap());
        }
    }
}

/// The module that a file is, from the root of the crate.
fn module(file: &str) -> Vec<String> {
    let mut path: Vec<String> = file.trim_end_matches(".rs").split('/').map(String::from).collect();
    if path.last().is_some_and(|name| name == "mod") {
        path.pop();
    }
    path
}

/// The room that a path leads into.
fn room_of(path: &[String]) -> Option<&'static str> {
    let within = |room: &&&str| {
        let names: Vec<&str> = room.split('/').collect();
        path.len() >= names.len() && path.iter().zip(&names).all(|(a, b)| a == b)
    };
    ROOMS.iter().filter(within).max_by_key(|room| room.len()).copied()
}

/// Whether a file is a module that only tests see: the file of the module around it says so.
fn is_test(file: &str, files: &BTreeMap<String, String>) -> bool {
    let path = module(file);
    (1..=path.len()).any(|n| {
        let (name, around) = (&path[n - 1], path[..n - 1].join("/"));
        let declares = [format!("{around}.rs"), format!("{around}/mod.rs")];
        let text = declares.iter().find_map(|file| files.get(file));
        text.is_some_and(|text| {
            let all = tokens(text);
            let kept = without_tests(&all);
            let declared =
                |tokens: &[Token]| tokens.windows(3).any(|t| t[0].is("mod") && t[1].is(name) && t[2].is(";"));
            declared(&all) && !declared(&kept)
        })
    })
}

/// What of a file goes up, or leads nobody knows where.
fn upward(file: &str, text: &str, exports: &BTreeMap<String, Vec<String>>) -> Vec<String> {
    let Some(own) = room_of(&module(file)) else {
        return vec![format!("{file}:1: is in no room: put it in one, or name its room in the list")];
    };
    let height = |room: &str| ROOMS.iter().position(|r| *r == room).unwrap();
    let mut wrong = Vec::new();
    for (line, path) in paths(&module(file), &without_tests(&tokens(text))) {
        let full = match path.first().and_then(|name| exports.get(name)) {
            Some(of) if room_of(&path).is_none() => of,
            _ => &path,
        };
        let known = match room_of(full) {
            Some(room) if height(room) <= height(own) => continue,
            Some(room) => room,
            None => "what is in no room",
        };
        wrong.push(format!("{file}:{line}: {own} knows {known}, by crate::{}", path.join("::")));
    }
    wrong
}

/// What `lib.rs` re-exports, by name.
fn exports(tokens: &[Token]) -> BTreeMap<String, Vec<String>> {
    let mut exports = BTreeMap::new();
    for at in 0..tokens.len() {
        if at > 0 && tokens[at - 1].is("pub") && tokens[at].is("use") {
            let mut leaves = Vec::new();
            leaves_of(tokens, at + 1, &mut Vec::new(), &mut leaves);
            for (_, path, name) in leaves {
                exports.insert(name, path);
            }
        }
    }
    exports
}

/// All paths that begin with `crate` or `super`, from the root of the crate, and their lines.
fn paths(module: &[String], tokens: &[Token]) -> Vec<(usize, Vec<String>)> {
    let mut found = Vec::new();
    // modules within the file, and how many braces were open before theirs
    let (mut inner, mut braces): (Vec<(String, usize)>, usize) = (Vec::new(), 0);
    let mut at = 0;
    while at < tokens.len() {
        let next = tokens.get(at + 1);
        if tokens[at].is("mod") && tokens.get(at + 2).is_some_and(|t| t.is("{")) {
            inner.push((tokens[at + 1].text.clone(), braces));
        }
        if tokens[at].is("{") {
            braces += 1;
        } else if tokens[at].is("}") {
            braces -= 1;
            inner.pop_if(|(_, open)| *open == braces);
        } else if (tokens[at].is("crate") || tokens[at].is("super")) && next.is_some_and(|t| t.is("::")) {
            let here = module.iter().chain(inner.iter().map(|(name, _)| name)).cloned().collect::<Vec<_>>();
            let mut leaves = Vec::new();
            let end = leaves_of(tokens, at, &mut Vec::new(), &mut leaves);
            for (line, path, _) in leaves {
                let ups = path.iter().take_while(|name| *name == "super").count();
                let from = if path[0] == "crate" { 0 } else { here.len() - ups };
                let path: Vec<String> = here[..from].iter().chain(&path[ups.max(1)..]).cloned().collect();
                found.push((line, path));
            }
            at = end;
            continue;
        }
        at += 1;
    }
    found
}

/// The paths of a tree like `a::{b, c::{d, e as f}}` from `at`, each with its line and the name that it gets; where the tree ends.
fn leaves_of(
    tokens: &[Token],
    mut at: usize,
    before: &mut Vec<String>,
    leaves: &mut Vec<(usize, Vec<String>, String)>,
) -> usize {
    let depth = before.len();
    let line = tokens[at].line;
    loop {
        if tokens[at].is("{") {
            at += 1;
            while !tokens[at].is("}") {
                at = leaves_of(tokens, at, before, leaves);
                if tokens[at].is(",") {
                    at += 1;
                }
            }
            before.truncate(depth);
            return at + 1;
        }
        // `self` and `*` are what is before them
        if !tokens[at].is("self") && !tokens[at].is("*") {
            before.push(tokens[at].text.clone());
        }
        at += 1;
        let goes_on = |t: &Token| t.is_name() || t.is("{") || t.is("*");
        if tokens.get(at).is_some_and(|t| t.is("::")) && tokens.get(at + 1).is_some_and(goes_on) {
            at += 1;
            continue;
        }
        let mut name = before.last().cloned().unwrap_or_default();
        if tokens.get(at).is_some_and(|t| t.is("as")) && tokens.get(at + 1).is_some_and(Token::is_name) {
            name = tokens[at + 1].text.clone();
            at += 2;
        }
        leaves.push((line, before.clone(), name));
        before.truncate(depth);
        return at;
    }
}

/// Without what stands behind `#[cfg(test)]`: modules, functions, uses.
fn without_tests(tokens: &[Token]) -> Vec<Token> {
    let mut kept = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let test = ["#", "[", "cfg", "(", "test", ")", "]"];
        if !tokens[at..].iter().zip(test).all(|(token, text)| token.is(text))
            || tokens.len() - at < test.len()
        {
            kept.push(tokens[at].clone());
            at += 1;
            continue;
        }
        at += test.len();
        // up to a semicolon, or to the end of the first braces, that are in no brackets
        let (mut brackets, mut braces, is_use) = (0, 0, tokens.get(at).is_some_and(|t| t.is("use")));
        while at < tokens.len() {
            let text = tokens[at].text.as_str();
            at += 1;
            match text {
                "(" | "[" => brackets += 1,
                ")" | "]" => brackets -= 1,
                "{" => braces += 1,
                "}" => braces -= 1,
                _ => {}
            }
            let ends = text == ";" || (text == "}" && !is_use);
            if ends && brackets == 0 && braces == 0 {
                break;
            }
        }
    }
    kept
}

/// A name, `::`, or any other character.
#[derive(Clone, Debug)]
struct Token {
    text: String,
    line: usize,
}

impl Token {
    fn is(&self, text: &str) -> bool {
        self.text == text
    }

    fn is_name(&self) -> bool {
        self.text.starts_with(|c: char| c.is_alphabetic() || c == '_')
    }
}

/// The tokens of a source, without comments and literals.
fn tokens(text: &str) -> Vec<Token> {
    let text: Vec<char> = text.chars().collect();
    let (mut tokens, mut line, mut at) = (Vec::new(), 1, 0);
    let begins = |at: usize, with: &str| with.chars().enumerate().all(|(i, c)| text.get(at + i) == Some(&c));
    let marks = |at: usize| text[at..].iter().take_while(|c| **c == '#').count();
    while at < text.len() {
        let start = at;
        let mut token = String::new();
        if begins(at, "//") {
            while at < text.len() && text[at] != '\n' {
                at += 1;
            }
        } else if begins(at, "/*") {
            let mut open = 0;
            loop {
                if begins(at, "/*") {
                    (open, at) = (open + 1, at + 2);
                } else if begins(at, "*/") {
                    (open, at) = (open - 1, at + 2);
                } else {
                    at += 1;
                }
                if open == 0 || at >= text.len() {
                    break;
                }
            }
        } else if text[at] == 'r' && text.get(at + 1 + marks(at + 1)) == Some(&'"') {
            let marks = marks(at + 1);
            let end = format!("\"{}", "#".repeat(marks));
            at += marks + 2;
            while at < text.len() && !begins(at, &end) {
                at += 1;
            }
            at += end.len();
        } else if text[at] == '"' {
            at += 1;
            while at < text.len() && text[at] != '"' {
                at += 1 + usize::from(text[at] == '\\');
            }
            at += 1;
        } else if text[at] == '\'' {
            // a character ends with a quote; a lifetime does not
            at += match (text.get(at + 1), text.get(at + 2)) {
                (Some('\\'), _) => 4 + text[at + 3..].iter().take_while(|c| **c != '\'').count(),
                (Some(_), Some('\'')) => 3,
                _ => 1,
            };
        } else if text[at].is_alphanumeric() || text[at] == '_' {
            while at < text.len() && (text[at].is_alphanumeric() || text[at] == '_') {
                token.push(text[at]);
                at += 1;
            }
        } else if begins(at, "::") {
            token.push_str("::");
            at += 2;
        } else {
            if !text[at].is_whitespace() {
                token.push(text[at]);
            }
            at += 1;
        }
        if !token.is_empty() {
            tokens.push(Token { text: token, line });
        }
        line += text[start..at.min(text.len())].iter().filter(|c| **c == '\n').count();
    }
    tokens
}
