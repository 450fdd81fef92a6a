//! Tables by name, each name once: a reader of JSON would take the last of equal ones without a word.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

pub(super) fn deserialize<'de, V, D>(deserializer: D) -> Result<BTreeMap<String, V>, D::Error>
where
    V: Deserialize<'de>,
    D: Deserializer<'de>,
{
    deserializer.deserialize_map(Table(PhantomData))
}

struct Table<V>(PhantomData<V>);

impl<'de, V: Deserialize<'de>> Visitor<'de> for Table<V> {
    type Value = BTreeMap<String, V>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut table = BTreeMap::new();
        while let Some((key, value)) = map.next_entry::<String, V>()? {
            if table.contains_key(&key) {
                return Err(A::Error::custom(format_args!(
                    "{key:?} is there twice: give each a name of its own"
                )));
            }
            table.insert(key, value);
        }
        Ok(table)
    }
}
