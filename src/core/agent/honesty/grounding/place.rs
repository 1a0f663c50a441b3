//! Paths, file names and addresses.

/// Whether a token is a URL, an e-mail address or a handle.
pub(super) fn is_address(token: &str) -> bool {
    let is_email = || {
        let (name, host) = token.split_once('@').unwrap_or_default();
        !name.is_empty() && host.contains('.') && host.chars().all(|part| part.is_alphanumeric() || ".-".contains(part))
    };
    let is_handle = || {
        token
            .strip_prefix('@')
            .is_some_and(|name| name.starts_with(|first: char| first.is_alphanumeric() || first == '_'))
    };
    is_url(token) || is_email() || is_handle()
}

/// Whether a token is a path or the name of a file. `/status` is a command, `and/or` are words.
pub(super) fn is_path(token: &str) -> bool {
    if is_url(token) {
        return false;
    }
    let names: Vec<_> = token.split(['/', '\\']).filter(|name| !name.is_empty()).take(2).collect();
    let is_rooted = token.starts_with('/') && names.len() == 2;
    let is_relative = ["~/", "./", "../"].iter().any(|start| token.starts_with(start)) && 1 < names.len();
    is_rooted || is_relative || is_on_drive(token) || token.rsplit(['/', '\\']).next().is_some_and(is_file_name)
}

fn is_url(token: &str) -> bool {
    token.split_once("://").is_some_and(|(scheme, host)| !scheme.is_empty() && !host.is_empty())
        || token.starts_with("www.")
}

/// `C:\x`
fn is_on_drive(token: &str) -> bool {
    let mut characters = token.chars();
    let drive = characters.next().is_some_and(|letter| letter.is_ascii_alphabetic());
    drive
        && characters.next() == Some(':')
        && matches!(characters.next(), Some('\\' | '/'))
        && characters.next().is_some()
}

/// Whether a name ends like a file's.
fn is_file_name(name: &str) -> bool {
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    let extension = extension.to_ascii_lowercase();
    let is_library = extension == "js" && LIBRARIES.iter().any(|library| library.eq_ignore_ascii_case(stem));
    stem.chars().any(char::is_alphanumeric) && EXTENSIONS.contains(&extension.as_str()) && !is_library
}

/// Endings of the names of files that people speak of.
const EXTENSIONS: &[&str] = &[
    "bak", "bat", "bin", "cfg", "conf", "cpp", "css", "csv", "db", "doc", "docx", "env", "exe", "gif", "go", "gz",
    "htm", "html", "ini", "ipynb", "java", "jpeg", "jpg", "js", "json", "jsonl", "lock", "log", "lua", "md", "mp3",
    "mp4", "pdf", "php", "png", "pptx", "ps1", "py", "rb", "rs", "sh", "sql", "sqlite", "svg", "tar", "toml", "ts",
    "tsv", "tsx", "txt", "wav", "webp", "xls", "xlsx", "xml", "yaml", "yml", "zip",
];

/// Names that end like a file's and are none.
const LIBRARIES: &[&str] = &["chart", "d3", "discord", "express", "next", "node", "nuxt", "react", "three", "vue"];

#[cfg(test)]
mod tests {
    use super::{is_address, is_path};

    #[test]
    fn paths_are_told_from_words_with_a_slash() {
        let paths = [
            "/home/x",
            "~/x",
            "./x",
            "../x/y",
            "C:\\x",
            "c:/x",
            "a/b.txt",
            "a\\b.txt",
            "notes.txt",
            "README.md",
            "/etc/hosts",
            "2024-report.csv",
        ];
        for path in paths {
            assert!(is_path(path), "{path}");
        }
        let others = [
            "/status",
            "/",
            "and/or",
            "1/2",
            "km/h",
            "Node.js",
            "example.org",
            "e.g",
            ".txt",
            "12.5",
            "https://x.org/a.txt",
            "C:",
            "a.b.c",
            "",
        ];
        for other in others {
            assert!(!is_path(other), "{other}");
        }
    }

    #[test]
    fn addresses_are_urls_mail_and_handles() {
        for address in ["https://x.org/a", "www.x.org", "ada@example.org", "@ada", "@123", "@_x"] {
            assert!(is_address(address), "{address}");
        }
        for other in ["x.org", "a@b", "@", "://", "a:b", "12:30", "and/or"] {
            assert!(!is_address(other), "{other}");
        }
    }
}
