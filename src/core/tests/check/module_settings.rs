//! The settings that a module declares: what its manifest says of them and what its code reads.

use std::sync::Arc;

use super::natives::{builtin, nothing};
use super::{check_one, codes, manifest, with_handler};
use candor_core::contract::{NativeModule, NoArguments, check, declared_settings};
use candor_core::diagnostic::{Code, SourceFile};

#[derive(serde::Deserialize, schemars::JsonSchema)]
#[expect(dead_code, reason = "only its shape is read")]
struct PlaceAndDays {
    place: String,
    days: u8,
}

#[test]
fn settings_are_declared_by_the_manifest_alone() {
    let text = "[settings.place]\ndescription = \"Where\"\n[settings.days]\ndescription = \"x\"\ntype = \"integer\"\n";
    let file = Arc::new(SourceFile { path: "module.toml".to_owned(), text: text.to_owned() });
    let names: Vec<_> = declared_settings(&file).into_iter().map(|spec| spec.name).collect();
    assert_eq!(names, ["place", "days"]);
}

#[test]
fn one_mistake_of_settings_is_told_once() {
    let cases: [(&str, &[Code]); 3] = [
        // The code reads `days` alone.
        ("[settings.hours]\ndescription = \"x\"\n", &[Code::SettingMismatch, Code::SettingMismatch]),
        ("[settings.days]\ndescription = \"x\"\nrequired = true\n", &[Code::SettingMissing]),
        (
            "[settings.days]\ndescription = \"x\"\ntype = \"integer\"\nmin = 0\nmax = 9\nrequired = true\n",
            &[Code::SettingMissing],
        ),
    ];
    for (settings, expected) in cases {
        assert_eq!(
            codes(&check_one("tuned", &with_handler("tuned", "tuned", settings)).diagnostics),
            expected,
            "{settings}"
        );
    }
}

#[test]
fn whether_code_can_read_what_administrators_set_is_asked_of_whole_settings_alone() {
    let place = "[settings.place]\ndescription = \"x\"\nper_server = true\ndefault = \"here\"\n";
    let days = "[settings.days]\ndescription = \"x\"\ntype = \"integer\"\nmin = 0\nmax = 9\n";
    let hours = days.replace("days", "hours");
    let cases: [(String, &[Code]); 4] = [
        (format!("{place}{days}default = 1\n"), &[]),
        (format!("{place}{days}required = true\n"), &[Code::SettingMissing]),
        (place.to_owned(), &[Code::SettingMismatch]),
        (format!("{place}{hours}default = 1\n"), &[Code::SettingMismatch, Code::SettingMismatch]),
    ];
    for (settings, expected) in cases {
        let native =
            NativeModule::new("two", "").handler("two", |_: NoArguments, _| nothing()).settings::<PlaceAndDays>();
        let checked = check(builtin(), vec![native], vec![manifest("two", &with_handler("two", "two", &settings))]);
        assert_eq!(codes(&checked.diagnostics), expected, "{settings}");
    }
}
