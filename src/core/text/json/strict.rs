//! Strict JSON: duplicate keys, numbers out of range and too deep nesting are errors.

use std::fmt;

use serde::de::{Deserialize, DeserializeSeed, Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserializer, de};
use serde_json::{Map, Number, Value};

use crate::text::first_characters;

/// The most nested objects and arrays, including the outermost.
const NESTING_MAX: usize = 32;

/// Returns the value at the beginning of a text, and its length in bytes.
pub(crate) fn first_value(text: &str) -> Result<(Value, usize), serde_json::Error> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<First>();
    match values.next() {
        Some(Ok(First(value))) => Ok((value, values.byte_offset())),
        Some(Err(error)) => Err(error),
        None => Err(serde_json::Error::custom("there is no value")),
    }
}

pub fn whole_object(text: &str) -> Result<Map<String, Value>, serde_json::Error> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let object = deserializer.deserialize_map(Object { depth: 1 })?;
    deserializer.end()?;
    Ok(object)
}

struct First(Value);

impl<'de> Deserialize<'de> for First {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Strict { depth: 0 }.deserialize(deserializer).map(Self)
    }
}

/// Any value at a depth: the number of enclosing objects and arrays.
#[derive(Clone, Copy)]
struct Strict {
    depth: usize,
}

/// An object, itself counted in the depth.
struct Object {
    depth: usize,
}

impl<'de> DeserializeSeed<'de> for Strict {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("this number is not finite"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let depth = deeper(self.depth)?;
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(Self { depth })? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, entries: A) -> Result<Value, A::Error> {
        Object { depth: deeper(self.depth)? }.visit_map(entries).map(Value::Object)
    }
}

impl<'de> Visitor<'de> for Object {
    type Value = Map<String, Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object, `{ ... }`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            if object.contains_key(&key) {
                let shown = first_characters(&key, KEY_SHOWN_MAX);
                return Err(A::Error::custom(format!("the key `{shown}` is there twice")));
            }
            let value = entries.next_value_seed(Strict { depth: self.depth })?;
            object.insert(key, value);
        }
        Ok(object)
    }
}

/// The most characters of a key that an error quotes.
const KEY_SHOWN_MAX: usize = 60;

fn deeper<E: de::Error>(depth: usize) -> Result<usize, E> {
    if depth < NESTING_MAX {
        return Ok(depth + 1);
    }
    Err(E::custom(format!("more than {NESTING_MAX} objects and arrays within each other")))
}
