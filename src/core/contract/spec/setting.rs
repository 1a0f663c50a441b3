//! The settings of a module: their declarations in its manifest, and their values in force.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::language::{Language, say};
use crate::text::in_code_spans;

/// The longest text of a setting, in bytes.
pub const SETTING_LENGTH_MAX: usize = 4_096;

/// The endings of secrets' names. The settings file is searched for such keys, so that no secret is written into it by
/// mistake.
pub const SECRET_ENDINGS: [&str; 4] = ["key", "token", "secret", "password"];

/// Returns whether a name is that of a secret: `key`, `api_key`, `DISCORD_TOKEN`, `clientSecret`.
pub fn is_named_like_secret(name: &str) -> bool {
    let name = name.to_lowercase();
    SECRET_ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// A setting that a module's manifest declares.
#[derive(Clone, Debug, PartialEq)]
pub struct SettingSpec {
    /// Its name: 1 to 32 characters of `a-z`, `0-9` and `_`.
    pub name: String,
    /// The kind of its values.
    pub kind: SettingKind,
    /// Whether the operator must give a value.
    pub required: bool,
    /// The value if the operator gives none. `None` means no value.
    pub default: Option<Value>,
    /// The environment variable that carries the value to the module's program or server.
    pub env: Option<String>,
    /// Whether guild administrators may set it if the operator does not.
    pub per_server: bool,
}

/// The kind of a setting's values.
#[derive(Clone, Debug, PartialEq)]
pub enum SettingKind {
    /// A text.
    Text {
        /// The allowed texts. Empty means any, up to [`SETTING_LENGTH_MAX`].
        choices: Vec<String>,
    },
    /// An integer within these bounds.
    Integer {
        /// The smallest.
        min: i64,
        /// The largest.
        max: i64,
    },
    /// A finite number within these bounds.
    Number {
        /// The smallest.
        min: f64,
        /// The largest.
        max: f64,
    },
    /// True or false.
    Boolean,
    /// A text kept outside the settings file, which names a file that contains it.
    Secret,
}

/// The values of a module's settings. `Debug` shows only their names, because some are secrets.
#[derive(Clone, Default, PartialEq)]
pub struct ModuleSettings(Arc<Map<String, Value>>);

/// The environment variables that carry a module's settings. `Debug` shows only their names.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct SettingVariables(BTreeMap<String, String>);

/// The secrets among a module's settings, for masking them in texts that the module may have written.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct SettingSecrets(Vec<String>);

/// The error of settings that a module's type cannot read. It contains no value, which could be a secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingsUnreadable(String);

impl SettingSpec {
    /// Returns its key in the settings file. For a secret named `key`, `key_file` names the file that contains it.
    pub fn key(&self) -> String {
        match self.kind {
            SettingKind::Secret => format!("{}_file", self.name),
            SettingKind::Text { .. }
            | SettingKind::Integer { .. }
            | SettingKind::Number { .. }
            | SettingKind::Boolean => self.name.clone(),
        }
    }

    /// Checks whether this may be its value.
    ///
    /// # Errors
    /// The accepted values, as the end of a sentence: "a whole number from 1 to 5".
    pub fn accepts(&self, value: &Value) -> Result<(), String> {
        let fits = match &self.kind {
            SettingKind::Text { choices } if choices.is_empty() => is_text(value),
            SettingKind::Text { choices } => choices.iter().any(|choice| value == choice),
            SettingKind::Integer { min, max } => value.as_i64().is_some_and(|number| (*min..=*max).contains(&number)),
            SettingKind::Number { min, max } => value.as_f64().is_some_and(|number| (*min..=*max).contains(&number)),
            SettingKind::Boolean => value.is_boolean(),
            SettingKind::Secret => is_text(value),
        };
        if fits { Ok(()) } else { Err(self.kind.to_string()) }
    }

    /// Parses a value that a person wrote. Returns `None` if it does not fit, or for a secret, which is never written
    /// this way.
    pub fn read(&self, text: &str) -> Option<Value> {
        let word = text.trim();
        let value = match self.kind {
            SettingKind::Text { .. } => Value::from(text),
            SettingKind::Integer { .. } => Value::from(word.parse::<i64>().ok()?),
            SettingKind::Number { .. } => Value::from(word.parse::<f64>().ok()?),
            SettingKind::Boolean => Value::from(word.to_lowercase().parse::<bool>().ok()?),
            SettingKind::Secret => return None,
        };
        self.accepts(&value).is_ok().then_some(value)
    }

    /// Returns values at the edges of the accepted range. A type that reads all of them reads every value.
    pub(crate) fn extremes(&self) -> Vec<Value> {
        match &self.kind {
            SettingKind::Text { choices } if choices.is_empty() => vec![Value::from("x")],
            SettingKind::Text { choices } => choices.iter().map(|choice| Value::from(choice.as_str())).collect(),
            SettingKind::Integer { min, max } => vec![Value::from(*min), Value::from(*max)],
            SettingKind::Number { min, max } => {
                vec![
                    Value::from(min.max(f64::MIN)),
                    Value::from(max.min(f64::MAX)),
                    Value::from(min.max(0.5).min(*max)),
                ]
            }
            SettingKind::Boolean => vec![Value::from(true), Value::from(false)],
            SettingKind::Secret => Vec::new(),
        }
    }
}

/// Returns a setting's value as people write it.
pub fn setting_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn is_text(value: &Value) -> bool {
    value.as_str().is_some_and(|text| !text.trim().is_empty() && text.len() <= SETTING_LENGTH_MAX)
}

impl SettingKind {
    /// Returns which values a setting of this kind takes, as the end of a sentence.
    pub fn text(&self, language: Language) -> String {
        let bounds = |min: Option<String>, max: Option<String>| match (min, max) {
            (None, None) => String::new(),
            (Some(min), None) => say!(language, "setting-takes-from", min = min),
            (None, Some(max)) => say!(language, "setting-takes-up-to", max = max),
            (Some(min), Some(max)) => say!(language, "setting-takes-between", min = min, max = max),
        };
        match self {
            Self::Text { choices } if choices.is_empty() => {
                say!(language, "setting-takes-text", max = SETTING_LENGTH_MAX)
            }
            Self::Text { choices } => say!(language, "setting-takes-one-of", choices = in_code_spans(choices)),
            Self::Integer { min, max } => {
                let min = (*min != i64::MIN).then(|| min.to_string());
                let max = (*max != i64::MAX).then(|| max.to_string());
                format!("{}{}", say!(language, "setting-takes-whole"), bounds(min, max))
            }
            Self::Number { min, max } => {
                let min = min.is_finite().then(|| min.to_string());
                let max = max.is_finite().then(|| max.to_string());
                format!("{}{}", say!(language, "setting-takes-number"), bounds(min, max))
            }
            Self::Boolean => say!(language, "setting-takes-switch"),
            Self::Secret => say!(language, "setting-takes-secret"),
        }
    }
}

impl fmt::Display for SettingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(Language::ENGLISH))
    }
}

impl ModuleSettings {
    /// Creates settings with these values.
    pub fn new(values: Map<String, Value>) -> Self {
        Self(Arc::new(values))
    }

    /// Returns these values, with defaults for missing ones. Undeclared ones are dropped.
    pub(crate) fn over_defaults(&self, specs: &[SettingSpec]) -> Self {
        let value = |spec: &SettingSpec| self.0.get(&spec.name).or(spec.default.as_ref()).cloned();
        Self::new(specs.iter().filter_map(|spec| Some((spec.name.clone(), value(spec)?))).collect())
    }

    /// Overrides some values. Each must fit its setting's kind.
    #[must_use]
    pub(crate) fn with(&self, values: impl IntoIterator<Item = (String, Value)>) -> Self {
        let mut values = values.into_iter().peekable();
        match values.peek() {
            None => self.clone(),
            Some(_) => {
                Self::new(self.0.iter().map(|(name, value)| (name.clone(), value.clone())).chain(values).collect())
            }
        }
    }

    /// Returns the value of a setting, if it has one.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// Returns all values, secrets included.
    pub(crate) fn values(&self) -> &Map<String, Value> {
        &self.0
    }

    /// Reads the values into a module's type. It has a field for each setting, `Option<…>` if the setting may have no
    /// value.
    ///
    /// # Errors
    /// The type's fields differ from the manifest's settings in name or type.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, SettingsUnreadable> {
        serde_json::from_value(Value::Object((*self.0).clone())).map_err(|problem| SettingsUnreadable::of(&problem))
    }

    pub(crate) fn secrets(&self, specs: &[SettingSpec]) -> SettingSecrets {
        let secrets = specs.iter().filter(|spec| spec.kind == SettingKind::Secret);
        let texts = secrets.filter_map(|spec| self.0.get(&spec.name)?.as_str());
        SettingSecrets(texts.map(str::to_owned).collect())
    }

    /// Returns the environment variables that the manifest names for settings.
    pub(crate) fn variables(&self, specs: &[SettingSpec]) -> SettingVariables {
        let variable = |spec: &SettingSpec| {
            let value = self.0.get(&spec.name)?;
            Some((spec.env.clone()?, setting_text(value)))
        };
        SettingVariables(specs.iter().filter_map(variable).collect())
    }
}

impl SettingVariables {
    /// Iterates over names and values.
    pub fn iter(&self) -> impl Iterator<Item = (&String, &String)> {
        self.0.iter()
    }
}

impl SettingSecrets {
    /// Replaces each secret in a text.
    pub fn masked(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, secret| text.replace(secret, "***"))
    }
}

impl fmt::Debug for SettingSecrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} secrets", self.0.len())
    }
}

impl SettingsUnreadable {
    /// Keeps only the part of serde's message about the type. The rest quotes the value.
    fn of(problem: &serde_json::Error) -> Self {
        let text = problem.to_string();
        Self(match text.rsplit_once(", expected ") {
            Some((_, expected)) => format!("a value is not {expected}"),
            None if text.starts_with("missing field ") => text,
            None => "a value does not fit its field".to_owned(),
        })
    }
}

impl fmt::Display for SettingsUnreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SettingsUnreadable {}

impl fmt::Debug for ModuleSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

impl fmt::Debug for SettingVariables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn spec(name: &str, kind: SettingKind) -> SettingSpec {
        SettingSpec { name: name.to_owned(), kind, required: false, default: None, env: None, per_server: false }
    }

    #[test]
    fn a_value_fits_its_kind_or_it_is_said_what_does() {
        let any = || SettingKind::Text { choices: Vec::new() };
        let one_of = || SettingKind::Text { choices: vec!["celsius".to_owned(), "kelvin".to_owned()] };
        let day = || SettingKind::Integer { min: 1, max: 31 };
        let whole = || SettingKind::Integer { min: i64::MIN, max: i64::MAX };
        let from_zero = || SettingKind::Number { min: 0.0, max: f64::INFINITY };
        let too_long = "x".repeat(SETTING_LENGTH_MAX + 1);
        let long = "a text of at most 4096 bytes that is not empty";
        let cases = [
            (any(), json!("Rome"), Ok(())),
            (any(), json!(" "), Err(long)),
            (any(), json!(too_long), Err(long)),
            (any(), json!(5), Err(long)),
            (one_of(), json!("kelvin"), Ok(())),
            (one_of(), json!("Kelvin"), Err("one of `celsius`, `kelvin`")),
            (day(), json!(31), Ok(())),
            (day(), json!(0), Err("a whole number from 1 to 31")),
            (day(), json!(1.5), Err("a whole number from 1 to 31")),
            (whole(), json!("5"), Err("a whole number")),
            (from_zero(), json!(0.5), Ok(())),
            (from_zero(), json!(3), Ok(())),
            (from_zero(), json!(-1), Err("a number from 0")),
            (SettingKind::Boolean, json!(true), Ok(())),
            (SettingKind::Boolean, json!("true"), Err("true or false")),
            (SettingKind::Secret, json!(7), Err("the name of a file with the secret")),
        ];
        for (kind, value, expected) in cases {
            let shown = value.to_string().chars().take(20).collect::<String>();
            assert_eq!(spec("x", kind).accepts(&value), expected.map_err(str::to_owned), "{shown}");
        }
    }

    #[test]
    fn what_a_person_writes_is_read_as_the_kind_of_the_setting() {
        let any = || SettingKind::Text { choices: Vec::new() };
        let one_of = || SettingKind::Text { choices: vec!["loud".to_owned()] };
        let cases = [
            (any(), "12", Some(json!("12"))),
            (any(), " ", None),
            (one_of(), "loud", Some(json!("loud"))),
            (one_of(), "quiet", None),
            (SettingKind::Integer { min: 1, max: 9 }, " 9 ", Some(json!(9))),
            (SettingKind::Integer { min: 1, max: 9 }, "10", None),
            (SettingKind::Integer { min: 1, max: 9 }, "1.5", None),
            (SettingKind::Number { min: 0.0, max: f64::INFINITY }, "1.5", Some(json!(1.5))),
            (SettingKind::Number { min: 0.0, max: f64::INFINITY }, "inf", None),
            (SettingKind::Number { min: 0.0, max: f64::INFINITY }, "NaN", None),
            (SettingKind::Boolean, "True", Some(json!(true))),
            (SettingKind::Boolean, "yes", None),
            (SettingKind::Secret, "secrets/key", None),
        ];
        for (kind, text, expected) in cases {
            assert_eq!(spec("x", kind.clone()).read(text), expected, "{kind:?}: {text}");
        }
    }

    #[test]
    fn the_edges_of_what_a_setting_takes_are_among_what_it_takes() {
        let kinds = [
            SettingKind::Text { choices: Vec::new() },
            SettingKind::Text { choices: vec!["a".to_owned(), "b".to_owned()] },
            SettingKind::Integer { min: i64::MIN, max: 9 },
            SettingKind::Number { min: f64::NEG_INFINITY, max: f64::INFINITY },
            SettingKind::Number { min: 2.0, max: 3.0 },
            SettingKind::Number { min: -3.0, max: -2.0 },
            SettingKind::Boolean,
        ];
        for spec in kinds.map(|kind| spec("x", kind)) {
            let extremes = spec.extremes();
            assert!(!extremes.is_empty() && extremes.iter().all(|value| spec.accepts(value).is_ok()), "{extremes:?}");
        }
    }

    #[test]
    fn what_the_operator_gives_stands_over_the_defaults_and_is_never_shown() {
        let city =
            SettingSpec { default: Some(json!("Rome")), ..spec("city", SettingKind::Text { choices: Vec::new() }) };
        let days = SettingSpec {
            default: Some(json!(3)),
            env: Some("DAYS".to_owned()),
            ..spec("days", SettingKind::Integer { min: 1, max: 9 })
        };
        let key = SettingSpec { env: Some("KEY".to_owned()), ..spec("key", SettingKind::Secret) };
        assert_eq!((city.key(), key.key()), ("city".to_owned(), "key_file".to_owned()));
        let specs = [city, days, key];
        let given =
            ModuleSettings::new(Map::from_iter([("days".to_owned(), json!(5)), ("key".to_owned(), json!("s3"))]));
        let settings = given.over_defaults(&specs);
        assert_eq!(Value::Object(settings.values().clone()), json!({"city": "Rome", "days": 5, "key": "s3"}));
        let variables: Vec<_> = settings.variables(&specs).0.into_iter().collect();
        assert_eq!(variables, [("DAYS", "5"), ("KEY", "s3")].map(|(name, value)| (name.to_owned(), value.to_owned())));
        let shown = format!("{settings:?} {:?}", settings.variables(&specs));
        assert_eq!(shown, r#"{"city", "days", "key"} {"DAYS", "KEY"}"#);
        let secrets = settings.secrets(&specs);
        assert_eq!(secrets.masked("+ curl -H 'key: s3' Rome"), "+ curl -H 'key: ***' Rome");
        assert_eq!(format!("{secrets:?}"), "1 secrets");
    }

    #[test]
    fn a_module_reads_its_settings_as_a_type() {
        #[derive(Debug, PartialEq, serde::Deserialize)]
        struct Own {
            days: u8,
            city: Option<String>,
        }
        let of = |values: Value| ModuleSettings::new(values.as_object().unwrap().clone()).read::<Own>();
        assert_eq!(of(json!({"days": 5})).unwrap(), Own { days: 5, city: None });
        let refused = |values| of(values).unwrap_err().to_string();
        assert_eq!(refused(json!({"city": "Rome"})), "missing field `days`");
        assert_eq!(refused(json!({"days": "s3cret, expected"})), "a value is not u8");
        assert_eq!(refused(json!({"days": 300})), "a value is not u8");
    }
}
