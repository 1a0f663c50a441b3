//! Web addresses in the settings file or the environment.

use url::Url;

/// The help for an invalid address.
pub const ADDRESS_HELP: &str =
    "write an address that begins with `http://` or `https://` and ends with a host or a path";

/// Why a text is no valid address, as the end of a sentence that begins with its place. It never repeats the text,
/// because addresses may contain passwords.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// It cannot be parsed.
    #[error("is not an address: {0}")]
    Malformed(url::ParseError),
    /// A scheme other than `http` and `https`.
    #[error("is not a web address")]
    OtherScheme,
    /// `http://user:password@host`.
    #[error("holds a user name or a password")]
    HoldsSecret,
    /// It has a query or a fragment.
    #[error("ends in `?` or `#` and more, which would be lost")]
    SaysTooMuch,
}

/// Parses an `http` or `https` address with a host.
pub fn web_address(text: &str) -> Result<Url, AddressError> {
    let url = Url::parse(text.trim()).map_err(AddressError::Malformed)?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(AddressError::OtherScheme);
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(AddressError::HoldsSecret);
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(AddressError::SaysTooMuch);
    }
    Ok(url)
}
