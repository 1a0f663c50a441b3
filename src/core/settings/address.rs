//! A web address as an operator may write it, in the settings file or in the environment.

use url::Url;

/// What is to be written instead.
pub const ADDRESS_HELP: &str =
    "write an address that begins with `http://` or `https://` and ends with a host or a path";

/// Why text is no such address, as the end of a sentence that begins with the place. It never repeats the
/// text: addresses are where passwords hide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// It cannot be read as an address.
    #[error("is not an address: {0}")]
    Malformed(url::ParseError),
    /// Another scheme.
    #[error("is not a web address")]
    OtherScheme,
    /// `http://user:password@host`.
    #[error("holds a user name or a password")]
    HoldsSecret,
    /// A query or a fragment.
    #[error("ends in `?` or `#` and more, which would be lost")]
    SaysTooMuch,
}

/// Reads an `http` or `https` address with a host.
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
