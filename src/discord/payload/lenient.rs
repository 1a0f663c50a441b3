//! Fields that may hold anything. A value of another type is skipped and counts as missing.
//!
//! Each function consumes a whole value, even an unusable one. So an unusable object is skipped to its end, and the
//! objects around it are still parsed.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::num::NonZeroU64;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// A value without parts. Lists and objects are skipped.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Scalar<'a> {
    Text(Cow<'a, str>),
    Integer(i64),
    /// A number that is not an integer of 64 bits.
    Number(f64),
    Boolean(bool),
    #[default]
    None,
}

impl<'a> Scalar<'a> {
    /// Parses an id: text with digits, or a number. Zero is not an id.
    pub(crate) fn id(&self) -> Option<NonZeroU64> {
        match self {
            Self::Text(text) => text.parse().ok(),
            Self::Integer(number) => NonZeroU64::new(u64::try_from(*number).ok()?),
            Self::Number(_) | Self::Boolean(_) | Self::None => None,
        }
    }

    fn text(self) -> Option<Cow<'a, str>> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    fn unsigned(&self) -> Option<u64> {
        match self {
            Self::Integer(number) => u64::try_from(*number).ok(),
            _ => None,
        }
    }
}

impl<'de> Parts<'de> for Scalar<'de> {
    type Value = Self;

    fn of_scalar(scalar: Self) -> Self {
        scalar
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Scalar<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PartsVisitor::<Scalar<'de>>(PhantomData))
    }
}

/// Parses one form of value; any other form is skipped and gives the default.
trait Parts<'de>: Sized {
    type Value: Default;

    fn of_scalar(_: Scalar<'de>) -> Self::Value {
        Self::Value::default()
    }

    fn of_map<A: MapAccess<'de>>(mut fields: A) -> Result<Self::Value, A::Error> {
        while fields.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Self::Value::default())
    }

    fn of_seq<A: SeqAccess<'de>>(mut items: A) -> Result<Self::Value, A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Self::Value::default())
    }
}

struct PartsVisitor<P>(PhantomData<P>);

impl<'de, P: Parts<'de>> Visitor<'de> for PartsVisitor<P> {
    type Value = P::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E>(self, truth: bool) -> Result<Self::Value, E> {
        Ok(P::of_scalar(Scalar::Boolean(truth)))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
        Ok(P::of_scalar(Scalar::Integer(number)))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
        #[expect(clippy::cast_precision_loss, reason = "a number beyond 64 signed bits is only read approximately")]
        Ok(P::of_scalar(i64::try_from(number).map_or(Scalar::Number(number as f64), Scalar::Integer)))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Self::Value, E> {
        Ok(P::of_scalar(Scalar::Number(number)))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(P::of_scalar(Scalar::Text(Cow::Borrowed(text))))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(P::of_scalar(Scalar::Text(Cow::Owned(text.to_owned()))))
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(P::of_scalar(Scalar::None))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Self::Value, A::Error> {
        P::of_seq(items)
    }

    fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<Self::Value, A::Error> {
        P::of_map(fields)
    }
}

/// An object; `None` if a required field is missing.
pub(super) struct Object<T>(pub(super) Option<T>);

impl<'de, T: Deserialize<'de>> Parts<'de> for Object<T> {
    type Value = Option<T>;

    fn of_map<A: MapAccess<'de>>(mut fields: A) -> Result<Option<T>, A::Error> {
        let read = T::deserialize(MapAccessDeserializer::new(&mut fields));
        // Skips the rest of an unusable object. Invalid JSON still fails.
        while fields.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(read.ok())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PartsVisitor::<Self>(PhantomData)).map(Object)
    }
}

struct List<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Parts<'de> for List<T> {
    type Value = Vec<T>;

    fn of_seq<A: SeqAccess<'de>>(mut items: A) -> Result<Vec<T>, A::Error> {
        std::iter::from_fn(|| items.next_element().transpose()).collect()
    }
}

#[derive(Clone, Debug)]
pub(crate) struct ById<T>(Vec<(NonZeroU64, T)>);

impl<T> Default for ById<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> ById<T> {
    pub(crate) fn get(&self, id: NonZeroU64) -> Option<&T> {
        self.0.iter().find(|(known, _)| *known == id).map(|(_, value)| value)
    }
}

impl<'de, T: Deserialize<'de>> Parts<'de> for ById<T> {
    type Value = Self;

    fn of_map<A: MapAccess<'de>>(mut fields: A) -> Result<Self, A::Error> {
        let mut read = Vec::new();
        while let Some((key, Object(value))) = fields.next_entry::<Scalar<'_>, Object<T>>()? {
            read.extend(key.id().zip(value));
        }
        Ok(Self(read))
    }
}

struct Keys;

impl<'de> Parts<'de> for Keys {
    type Value = Vec<Scalar<'de>>;

    fn of_map<A: MapAccess<'de>>(mut fields: A) -> Result<Self::Value, A::Error> {
        let mut read = Vec::new();
        while let Some((key, IgnoredAny)) = fields.next_entry()? {
            read.push(key);
        }
        Ok(read)
    }
}

pub(super) fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Cow<'de, str>>, D::Error> {
    Scalar::deserialize(deserializer).map(Scalar::text)
}

pub(super) fn needed_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Cow<'de, str>, D::Error> {
    text(deserializer)?.ok_or_else(|| Error::custom("no text"))
}

/// Parses an optional text. A missing one is empty.
pub(super) fn plain_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Cow<'de, str>, D::Error> {
    text(deserializer).map(Option::unwrap_or_default)
}

pub(super) fn id<'de, D: Deserializer<'de>, T: From<NonZeroU64>>(deserializer: D) -> Result<Option<T>, D::Error> {
    Ok(Scalar::deserialize(deserializer)?.id().map(T::from))
}

pub(super) fn needed_id<'de, D: Deserializer<'de>, T: From<NonZeroU64>>(deserializer: D) -> Result<T, D::Error> {
    id(deserializer)?.ok_or_else(|| Error::custom("no id"))
}

pub(super) fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    Ok(Scalar::deserialize(deserializer)?.unsigned())
}

pub(super) fn needed_number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    number(deserializer)?.ok_or_else(|| Error::custom("no number"))
}

pub(super) fn flag<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    Ok(Scalar::deserialize(deserializer)? == Scalar::Boolean(true))
}

pub(super) fn is_there<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    Option::<IgnoredAny>::deserialize(deserializer).map(|value| value.is_some())
}

pub(super) fn object<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    Object::deserialize(deserializer).map(|Object(object)| object)
}

pub(super) fn needed_object<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<T, D::Error> {
    object(deserializer)?.ok_or_else(|| Error::custom("no object"))
}

fn items<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Vec<T>, D::Error> {
    deserializer.deserialize_any(PartsVisitor::<List<T>>(PhantomData))
}

/// Parses the usable objects of a list.
pub(super) fn list<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Vec<T>, D::Error> {
    Ok(items(deserializer)?.into_iter().filter_map(|Object(item)| item).collect())
}

pub(super) fn ids<'de, D: Deserializer<'de>, T: From<NonZeroU64>>(deserializer: D) -> Result<Vec<T>, D::Error> {
    Ok(items(deserializer)?.iter().filter_map(Scalar::id).map(T::from).collect())
}

pub(super) fn texts<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Cow<'de, str>>, D::Error> {
    Ok(items(deserializer)?.into_iter().filter_map(Scalar::text).collect())
}

pub(super) fn by_id<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<ById<T>, D::Error> {
    deserializer.deserialize_any(PartsVisitor::<ById<T>>(PhantomData))
}

pub(super) fn has_key<'de, D: Deserializer<'de>>(deserializer: D, wanted: &str) -> Result<bool, D::Error> {
    let keys = deserializer.deserialize_any(PartsVisitor::<Keys>(PhantomData))?;
    Ok(keys.iter().any(|key| matches!(key, Scalar::Text(text) if text == wanted)))
}
