//! Enums whose members have stable names.

/// Defines an enum with a stable name for each member, for settings, logs and stored records. The names never change once
/// they are released. Adds `ALL` in the order of the members, `name`, and `named`, which finds a member by its name.
#[macro_export]
macro_rules! names {
    ($(#[$meta:meta])* $vis:vis enum $enum:ident { $($(#[$of_member:meta])* $member:ident = $name:literal,)+ }) => {
        $(#[$meta])*
        $vis enum $enum { $($(#[$of_member])* $member,)+ }

        impl $enum {
            /// All members, in their order.
            $vis const ALL: [Self; [$($name),+].len()] = [$(Self::$member),+];

            /// Returns the stable name.
            $vis const fn name(self) -> &'static str {
                match self {
                    $(Self::$member => $name,)+
                }
            }

            /// Returns the member with this name.
            #[allow(dead_code, reason = "not every set is read back")]
            $vis fn named(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|member| member.name() == name)
            }
        }
    };
}
pub use names;
