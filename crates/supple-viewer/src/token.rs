//! A word that only those know who were told the address.

use std::fmt::{self, Write};
use std::hint::black_box;
use std::sync::Arc;

/// Bytes of randomness: nobody guesses 128 bits.
const BYTES: usize = 16;

/// What a page shows to be let in. It is not printed by accident.
#[derive(Clone)]
pub(crate) struct Token(Arc<str>);

impl Token {
    /// A new one, from the randomness of the operating system.
    pub(crate) fn new() -> std::io::Result<Self> {
        let mut bytes = [0; BYTES];
        getrandom::fill(&mut bytes).map_err(|error| std::io::Error::other(error.to_string()))?;
        let mut text = String::with_capacity(2 * BYTES);
        for byte in bytes {
            // to a string nothing can fail
            let _ = write!(text, "{byte:02x}");
        }
        Ok(Self(text.into()))
    }

    pub(crate) fn text(&self) -> &str {
        &self.0
    }

    /// Whether a word is the same, in a time that does not tell how far it is.
    pub(crate) fn is(&self, word: &str) -> bool {
        let (mine, theirs) = (self.0.as_bytes(), word.as_bytes());
        if mine.len() != theirs.len() {
            return false;
        }
        let differing = mine.iter().zip(theirs).fold(0, |sum, (a, b)| black_box(sum | (a ^ b)));
        black_box(differing) == 0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_word_will_do() -> std::io::Result<()> {
        let (one, other) = (Token::new()?, Token::new()?);
        assert_eq!(one.text().len(), 32);
        assert!(one.is(one.text()) && !one.is(other.text()));
        assert!(
            !one.is("")
                && !one.is(&one.text()[1..])
                && !one.is(&one.text().to_uppercase().replace(char::is_numeric, "x"))
        );
        assert_eq!(format!("{one:?}"), "Token");
        Ok(())
    }
}
