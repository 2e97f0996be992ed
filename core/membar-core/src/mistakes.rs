//! Deliberate mistakes of the searches, for tests only: a test suite that does not see them is too weak.
//!
//! Each search lists its own, in groups that are constants; one of them is switched on by the options of the search
//! and sits where somebody could make it.

macro_rules! mistakes {
    ($type:ident $($(#[$about:meta])* $group:ident {$($name:ident: $what:literal,)*})*) => {
        /// A mistake that a search makes on purpose.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        pub enum $type {
            /// None: the search as it is meant.
            #[default]
            None,
            $($(#[doc = $what] $name,)*)*
        }

        impl $type {
            $($(#[$about])* pub const $group: &[(Self, &'static str)] = &[$((Self::$name, $what),)*];)*
        }
    };
}

pub(crate) use mistakes;
