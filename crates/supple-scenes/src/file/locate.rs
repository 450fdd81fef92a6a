//! Where in a text a field is.

use toml::de::{DeTable, DeValue};

use super::Syntax;
use super::fault::Step;

/// Line and column, from 1, of a place in a text \[bytes].
pub(super) fn column_of(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset.min(text.len())).unwrap_or(text);
    let line = before.bytes().filter(|b| *b == b'\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |i| i + 1);
    (line, before[start..].chars().count() + 1)
}

/// Where a field begins \[bytes]; if it is not there, what it would be in.
pub(super) fn locate(text: &str, syntax: Syntax, steps: &[Step]) -> usize {
    match syntax {
        Syntax::Json => Json { text: text.as_bytes(), at: 0 }.find(steps),
        Syntax::Toml => in_toml(text, steps),
    }
}

fn in_toml(text: &str, steps: &[Step]) -> usize {
    let Ok(table) = DeTable::parse(text) else { return 0 };
    let (mut offset, mut steps) = (0, steps.iter());
    let Some(Step::Key(key)) = steps.next() else { return 0 };
    let Some(mut value) = table.get_ref().get(key.as_str()) else { return 0 };
    loop {
        offset = offset.max(value.span().start);
        let next = match (steps.next(), value.get_ref()) {
            (Some(Step::Key(key)), DeValue::Table(table)) => table.get(key.as_str()),
            (Some(Step::Item(item)), DeValue::Array(list)) => list.get(*item),
            _ => None,
        };
        match next {
            Some(found) => value = found,
            None => return offset,
        }
    }
}

/// A walk through JSON that is not looked at closer than needed.
struct Json<'a> {
    text: &'a [u8],
    at: usize,
}

impl Json<'_> {
    fn find(mut self, steps: &[Step]) -> usize {
        self.blank();
        let mut found = self.at;
        for step in steps {
            let there = match step {
                Step::Key(key) => self.enter_key(key),
                Step::Item(item) => self.enter_item(*item),
            };
            if there.is_none() {
                return found;
            }
            found = self.at;
        }
        found
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn blank(&mut self) {
        while self.peek().is_some_and(|b| b.is_ascii_whitespace() || b == b',' || b == b':' || b > 127) {
            self.at += 1;
        }
    }

    fn open(&mut self, bracket: u8) -> Option<()> {
        if self.peek()? != bracket {
            return None;
        }
        self.at += 1;
        self.blank();
        Some(())
    }

    fn enter_key(&mut self, key: &str) -> Option<()> {
        self.open(b'{')?;
        while self.peek()? == b'"' {
            let start = self.at;
            self.skip()?;
            let name = self.text.get(start..self.at)?;
            self.blank();
            if serde_json::from_slice::<String>(name).is_ok_and(|name| name == key) {
                return Some(());
            }
            self.skip()?;
            self.blank();
        }
        None
    }

    fn enter_item(&mut self, item: usize) -> Option<()> {
        self.open(b'[')?;
        for _ in 0..item {
            self.skip()?;
            self.blank();
        }
        (self.peek()? != b']').then_some(())
    }

    /// Passes one value.
    fn skip(&mut self) -> Option<()> {
        let mut depth = 0usize;
        loop {
            match self.peek()? {
                b'"' => self.string()?,
                b'{' | b'[' => {
                    depth += 1;
                    self.at += 1;
                }
                b'}' | b']' => {
                    depth = depth.checked_sub(1)?;
                    self.at += 1;
                }
                b',' | b':' | b' ' | b'\n' | b'\r' | b'\t' => self.at += 1,
                _ => {
                    let end = |b: &u8| b",:]} \n\r\t".contains(b);
                    self.at += self.text[self.at..].iter().position(end)?;
                }
            }
            if depth == 0 {
                return Some(());
            }
        }
    }

    fn string(&mut self) -> Option<()> {
        self.at += 1;
        loop {
            match self.peek()? {
                b'\\' => self.at += 2,
                b'"' => {
                    self.at += 1;
                    return Some(());
                }
                _ => self.at += 1,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(steps: &[&str]) -> Vec<Step> {
        let step = |s: &&str| s.parse().map_or_else(|_| Step::Key((*s).to_owned()), Step::Item);
        steps.iter().map(step).collect()
    }

    #[test]
    fn fields_are_found_in_json() {
        let text = "{\n \"a\": [1, {\"b\": \"}\\\"\", \"c\": [2, 3]}],\n \"d\": 5}";
        let at = |path: &[&str]| column_of(text, locate(text, Syntax::Json, &steps(path)));
        assert_eq!(at(&["a"]), (2, 7));
        assert_eq!(at(&["a", "1", "c", "1"]), (2, 33));
        assert_eq!(at(&["d"]), (3, 7));
        // what is not there is missed where it would be
        assert_eq!(at(&["a", "1", "z"]), (2, 11));
        assert_eq!(at(&["z"]), (1, 1));
    }

    #[test]
    fn fields_are_found_in_toml() {
        let text = "a = [1, 2]\n[[joints]]\nkind = \"ball\"\n[[joints]]\nkind = \"x\"\n";
        let at = |path: &[&str]| column_of(text, locate(text, Syntax::Toml, &steps(path)));
        assert_eq!(at(&["a", "1"]), (1, 9));
        assert_eq!(at(&["joints", "1", "kind"]), (5, 8));
        assert_eq!(at(&["joints", "1", "z"]).0, 4);
    }
}
