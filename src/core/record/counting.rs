//! Closed sets of counted things, each with a stable name.

pub trait Counted: Copy + 'static {
    /// Every member, in the order in which they are counted.
    const ALL: &'static [Self];

    /// Returns the position in `ALL`.
    fn index(self) -> usize;

    /// Returns the stable name, as `/metrics` shows it.
    fn name(self) -> &'static str;
}

/// Defines an enum as [`names!`](crate::text::names) does, and lets it be counted.
macro_rules! counted {
    ($(#[$doc:meta])+ $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $text:literal,)+ }) => {
        $crate::text::names! {
            $(#[$doc])+
            #[derive(Clone, Copy, Debug, PartialEq, Eq)]
            pub enum $name {
                $($(#[$variant_doc])* $variant = $text,)+
            }
        }

        impl $crate::record::counting::Counted for $name {
            const ALL: &'static [Self] = &Self::ALL;

            fn index(self) -> usize {
                self as usize
            }

            fn name(self) -> &'static str {
                self.name()
            }
        }
    };
}

pub(super) use counted;
