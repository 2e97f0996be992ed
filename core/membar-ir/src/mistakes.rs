//! Deliberate mistakes of the searches, which tests must detect.
//!
//! Each search lists its own, in groups that are constants; one of them is switched on by the options of the search
//! and sits where somebody could make it. Only a build with the feature `faults` can make them: without it the lists
//! are empty, no mistake equals another, and the compiler drops their code.

/// Declares an enum of deliberate mistakes, and their groups with what each does.
#[macro_export]
macro_rules! mistakes {
    ($type:ident $($(#[$about:meta])* $group:ident {$($name:ident: $what:literal,)*})*) => {
        /// A mistake that a search makes on purpose.
        #[derive(Debug, Clone, Copy, Default)]
        pub enum $type {
            /// None: the search as it is meant.
            #[default]
            None,
            $($(#[doc = $what] $name,)*)*
        }

        impl $type {
            $($(#[$about])* pub const $group: &[(Self, &'static str)] =
                if cfg!(feature = "faults") { &[$((Self::$name, $what),)*] } else { &[] };)*

            /// The mistake to make, if this build can make any.
            #[inline]
            #[must_use]
            pub const fn chosen(self) -> Self {
                if cfg!(feature = "faults") { self } else { Self::None }
            }
        }

        impl PartialEq for $type {
            #[inline]
            fn eq(&self, other: &Self) -> bool {
                cfg!(feature = "faults") && *self as u8 == *other as u8
            }
        }
    };
}
