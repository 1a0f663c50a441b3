//! The start-up check's problems with files and folders that cannot be read. Every other rule is tested in the core.

use std::path::Path;

use candor_core::diagnostic::{Diagnostics, full};
use candor_core::settings::Settings;
use candor_system::files::{module_folder, settings_file};

fn shown(found: &Diagnostics) -> String {
    full::render(found, false)
}

#[test]
fn what_cannot_be_read_is_told_with_its_path() {
    let config =
        settings_file::load(Some(Path::new("tests/it/check/fixtures/config-unreadable/config.toml"))).unwrap_err();
    insta::assert_snapshot!("config-unreadable", shown(&config));

    let config = Path::new("tests/it/check/fixtures/modules-unreadable/config.toml");
    let (settings, _) = settings_file::load(Some(config)).unwrap();
    let read = module_folder::load(settings.modules.path.as_deref(), &[]);
    assert!(read.manifests.is_empty());
    insta::assert_snapshot!("modules-unreadable", shown(&read.diagnostics));

    for code in ["manifest-unreadable", "manifest-missing"] {
        let read = module_folder::load(Some(&Path::new("tests/it/check/fixtures").join(code)), &[]);
        assert!(read.manifests.iter().all(|manifest| manifest.file.is_none()), "{code}");
        insta::assert_snapshot!(code, shown(&read.diagnostics));
    }
}

#[test]
fn the_file_of_the_current_folder_is_read_unasked() {
    // The tests run beside the shipped file, which says what the defaults are.
    let (settings, file) = settings_file::load(None).unwrap();
    assert_eq!(settings, Settings::default());
    assert_eq!(file.path, "config.toml");
    assert!(!file.text.is_empty());
}
