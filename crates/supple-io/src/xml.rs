//! XML with guards: an owned tree that is neither too deep nor too large, whatever the input.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::IoError;

/// Deepest nesting read; MuJoCo's own parser stops at the same depth.
pub(crate) const DEEPEST: usize = 500;
/// Most nodes read: a robot has thousands, inline meshes count as one.
const MOST_NODES: u32 = 4_000_000;

/// Most attributes of one element: the parser compares each with all others.
const MOST_ATTRIBUTES: usize = 1000;

/// An element with all that is in it except text, which neither URDF nor MJCF uses.
#[derive(Clone, Debug, Default)]
pub(crate) struct Element {
    pub(crate) tag: String,
    pub(crate) attributes: Vec<(String, String)>,
    pub(crate) children: Vec<Element>,
    /// Line in the file, counted from one.
    pub(crate) line: u32,
}

/// Reads a document, without entities of its own (a DTD is refused).
pub(crate) fn parse(text: &str) -> Result<Element, IoError> {
    // a byte order mark is harmless, but not XML
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    few_attributes(text)?;
    let syntax = |message: String| IoError::Syntax { format: "XML", message };
    let options = roxmltree::ParsingOptions { nodes_limit: MOST_NODES, ..Default::default() };
    let document =
        roxmltree::Document::parse_with_options(text, options).map_err(|e| syntax(e.to_string()))?;

    // line numbers, by counting line ends in one go: nodes come in document order
    let (mut line, mut counted) = (1, 0);
    let mut line_at = |at: usize| {
        line += text.as_bytes()[counted..at].iter().filter(|&&b| b == b'\n').count() as u32;
        counted = at;
        line
    };
    // `open` is the path of elements down to the one being filled
    let mut open: Vec<(roxmltree::NodeId, Element)> = Vec::new();
    for node in document.root_element().descendants().filter(roxmltree::Node::is_element) {
        let parent = node.parent_element().map(|p| p.id());
        while open.len() > 1 && open.last().map(|(id, _)| *id) != parent {
            close(&mut open);
        }
        if open.len() >= DEEPEST {
            return Err(IoError::TooMany { what: "nesting of elements", found: DEEPEST + 1, limit: DEEPEST });
        }
        let element = Element {
            tag: tag(node),
            attributes: node.attributes().map(|a| (a.name().to_owned(), a.value().to_owned())).collect(),
            children: Vec::new(),
            line: line_at(node.range().start),
        };
        open.push((node.id(), element));
    }
    while open.len() > 1 {
        close(&mut open);
    }
    open.pop().map(|(_, root)| root).ok_or_else(|| syntax("no root element".into()))
}

/// Refuses elements with a great many attributes before the parser sees them.
fn few_attributes(text: &str) -> Result<(), IoError> {
    let mut rest = text.as_bytes();
    let find =
        |rest: &[u8], what: &[u8]| rest.windows(what.len()).position(|w| w == what).unwrap_or(rest.len());
    while let Some(at) = rest.iter().position(|&b| b == b'<') {
        rest = &rest[at..];
        let skip: &[u8] = match rest {
            r if r.starts_with(b"<!--") => b"-->",
            r if r.starts_with(b"<![CDATA[") => b"]]>",
            r if r.starts_with(b"<?") => b"?>",
            _ => b"",
        };
        if !skip.is_empty() {
            rest = &rest[find(rest, skip)..];
            continue;
        }
        // a tag, up to the '>' outside quotes
        let (mut quote, mut attributes, mut end) = (None, 0, rest.len());
        for (i, &b) in rest.iter().enumerate() {
            match (quote, b) {
                (None, b'>') => {
                    end = i;
                    break;
                }
                (None, b'"' | b'\'') => quote = Some(b),
                (None, b'=') => attributes += 1,
                (Some(q), b) if q == b => quote = None,
                _ => {}
            }
        }
        count_attributes(attributes)?;
        rest = &rest[end..];
    }
    Ok(())
}

/// Refuses a number of attributes that would take too long to compare.
pub(crate) fn count_attributes(found: usize) -> Result<(), IoError> {
    if found <= MOST_ATTRIBUTES {
        return Ok(());
    }
    Err(IoError::TooMany { what: "number of attributes of an element", found, limit: MOST_ATTRIBUTES })
}

/// The tag of the root element, without reading the rest.
pub(crate) fn root_tag(text: &str) -> Option<&str> {
    let mut rest = text;
    loop {
        rest = &rest[rest.find('<')? + 1..];
        // declarations and comments come before the root
        let skip = match rest {
            r if r.starts_with("!--") => "-->",
            r if r.starts_with('?') => "?>",
            r if r.starts_with('!') => ">",
            r => {
                return Some(
                    &r[..r.find(|c: char| c.is_whitespace() || c == '>' || c == '/').unwrap_or(r.len())],
                );
            }
        };
        rest = &rest[rest.find(skip)? + skip.len()..];
    }
}

/// The tag, without its namespace unless that is xacro's: such elements stand for others and must not get lost.
fn tag(node: roxmltree::Node) -> String {
    let name = node.tag_name();
    match name.namespace() {
        Some(uri) if uri.contains("xacro") => format!("xacro:{}", name.name()),
        _ => name.name().to_owned(),
    }
}

/// Hands the innermost open element to the one around it.
fn close(open: &mut Vec<(roxmltree::NodeId, Element)>) {
    let Some((_, child)) = open.pop() else { return };
    if let Some((_, parent)) = open.last_mut() {
        parent.children.push(child);
    }
}

impl Element {
    /// An element without attributes.
    pub(crate) fn new(tag: &str) -> Self {
        Self { tag: tag.to_owned(), ..Self::default() }
    }

    /// With one more attribute.
    pub(crate) fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.set(name, value);
        self
    }

    /// The value of an attribute.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str())
    }

    /// Sets an attribute, over what it was.
    pub(crate) fn set(&mut self, name: &str, value: impl Into<String>) {
        match self.attributes.iter_mut().find(|(n, _)| n == name) {
            Some((_, v)) => *v = value.into(),
            None => self.attributes.push((name.to_owned(), value.into())),
        }
    }

    /// Child elements with this tag.
    pub(crate) fn all<'a>(&'a self, tag: &'a str) -> impl Iterator<Item = &'a Element> {
        self.children.iter().filter(move |c| c.tag == tag)
    }

    /// The first child element with this tag.
    pub(crate) fn first(&self, tag: &str) -> Option<&Element> {
        self.children.iter().find(|c| c.tag == tag)
    }

    /// How messages call it: `<joint "elbow"> (line 7)`.
    pub(crate) fn label(&self) -> String {
        let name = match self.get("name") {
            Some(name) => format!(" {:?}", shorten(name)),
            None => String::new(),
        };
        match self.line {
            0 => format!("<{}{name}>", self.tag),
            line => format!("<{}{name}> (line {line})", self.tag),
        }
    }

    /// An attribute that must be there.
    pub(crate) fn need(&self, name: &str) -> Result<&str, IoError> {
        self.get(name).ok_or_else(|| IoError::Missing {
            element: self.label(),
            what: format!("the attribute {name:?}"),
        })
    }

    /// The numbers of an attribute, at least `least` and at most `most`; `None` if it is not there.
    pub(crate) fn numbers(&self, name: &str, least: usize, most: usize) -> Result<Option<Vec<f64>>, IoError> {
        let Some(text) = self.get(name) else { return Ok(None) };
        let mut numbers = Vec::new();
        for word in text.split_ascii_whitespace() {
            let value = word.parse::<f64>().ok();
            let Some(value) = value.filter(|x| !x.is_nan()) else {
                return Err(self.bad(
                    name,
                    text,
                    format!("{} (could not read {word:?})", count_words(least, most)),
                ));
            };
            numbers.push(value);
        }
        if numbers.len() < least || numbers.len() > most {
            return Err(self.bad(
                name,
                text,
                format!("{}, found {}", count_words(least, most), numbers.len()),
            ));
        }
        Ok(Some(numbers))
    }

    /// The finite numbers of an attribute; `None` if it is not there.
    pub(crate) fn finite<const N: usize>(&self, name: &str) -> Result<Option<[f64; N]>, IoError> {
        let Some(numbers) = self.numbers(name, N, N)? else { return Ok(None) };
        let mut array = [0.0; N];
        for (slot, value) in array.iter_mut().zip(numbers) {
            if !value.is_finite() {
                return Err(IoError::NotFinite { element: self.label(), field: name.to_owned(), value });
            }
            *slot = value;
        }
        Ok(Some(array))
    }

    /// One number, which may be infinite; `None` if it is not there.
    pub(crate) fn number(&self, name: &str) -> Result<Option<f64>, IoError> {
        Ok(self.numbers(name, 1, 1)?.map(|x| x[0]))
    }

    /// The error for an attribute that means nothing.
    pub(crate) fn bad(&self, field: &str, value: &str, expected: impl Into<String>) -> IoError {
        IoError::BadValue {
            element: self.label(),
            field: field.to_owned(),
            value: shorten(value).into_owned(),
            expected: expected.into(),
        }
    }

    /// The element as text.
    pub(crate) fn to_text(&self) -> String {
        let mut text = String::new();
        self.write(&mut text);
        text
    }

    fn write(&self, out: &mut String) {
        let _ = write!(out, "<{}", self.tag);
        for (name, value) in &self.attributes {
            let _ = write!(out, " {name}=\"{}\"", escape(value));
        }
        if self.children.is_empty() {
            out.push_str("/>\n");
            return;
        }
        out.push_str(">\n");
        for child in &self.children {
            child.write(out);
        }
        let _ = writeln!(out, "</{}>", self.tag);
    }
}

/// Numbers as an attribute value, each with all its digits.
pub(crate) fn words(numbers: &[f64]) -> String {
    numbers.iter().map(f64::to_string).collect::<Vec<_>>().join(" ")
}

/// A value short enough for a message.
pub(crate) fn shorten(value: &str) -> Cow<'_, str> {
    const LONGEST: usize = 80;
    match value.char_indices().nth(LONGEST) {
        Some((at, _)) => Cow::Owned(format!("{}…", &value[..at])),
        None => Cow::Borrowed(value),
    }
}

fn count_words(least: usize, most: usize) -> String {
    match (least, most) {
        (1, 1) => "a number".into(),
        (a, b) if a == b => format!("{a} numbers"),
        (a, b) => format!("{a} to {b} numbers"),
    }
}

fn escape(value: &str) -> Cow<'_, str> {
    if !value.contains(['&', '<', '>', '"', '\'', '\n', '\r', '\t']) {
        return Cow::Borrowed(value);
    }
    let mut out = String::with_capacity(value.len() + 8);
    for c in value.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            '\n' => out.push_str("&#10;"),
            '\r' => out.push_str("&#13;"),
            '\t' => out.push_str("&#9;"),
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_becomes_a_tree_with_lines() {
        let root = parse("<a>\n <b x='1'><c/></b>\n <b/>\n</a>").unwrap();
        assert_eq!(root.children.len(), 2);
        assert_eq!(root.children[0].children[0].tag, "c");
        assert_eq!((root.children[0].line, root.children[1].line), (2, 3));
        assert_eq!(root.children[0].get("x"), Some("1"));
    }

    #[test]
    fn what_is_written_is_read_again() {
        let root =
            Element::new("a").with("name", "<\"x\"> & 'y'\n\t").with("v", words(&[0.1, 1e-300, f64::MIN]));
        let again = parse(&root.to_text()).unwrap();
        assert_eq!(again.attributes, root.attributes);
        assert_eq!(again.numbers("v", 3, 3).unwrap().unwrap(), [0.1, 1e-300, f64::MIN]);
    }

    #[test]
    fn bombs_are_refused() {
        let deep = "<a>".repeat(100_000);
        assert!(parse(&deep).is_err());
        let deep = format!("{}{}", "<a>".repeat(2000), "</a>".repeat(2000));
        assert!(matches!(parse(&deep), Err(IoError::TooMany { .. })));
        let attributes: String = (0..100_000).map(|i| format!("a{i}='' ")).collect();
        assert!(matches!(parse(&format!("<a {attributes}/>")), Err(IoError::TooMany { .. })));
        let laughs = "<!DOCTYPE l [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;\">]><l x='&b;'/>";
        assert!(matches!(parse(laughs), Err(IoError::Syntax { .. })));
    }
}
