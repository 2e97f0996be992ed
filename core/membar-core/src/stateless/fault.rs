//! Deliberate mistakes of the search, for tests only: a test suite that does not see them is too weak.

macro_rules! faults {
    ($($name:ident: $what:literal,)*) => {
        /// A mistake that the search makes on purpose.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        pub enum Fault {
            /// None: the search as it is meant.
            #[default]
            None,
            $(#[doc = $what] $name,)*
        }

        impl Fault {
            /// All mistakes, with what they do.
            pub const ALL: &[(Self, &'static str)] = &[$((Self::$name, $what),)*];
        }
    };
}

faults! {
    MaximalityOff: "every revisit is made, whatever it throws away",
    MaximalityOfWholeGraph: "maximality is tested against the whole graph",
    MaximalityWithoutPrefix: "maximality is tested without the prefix of the revisiting write",
    ChoicesAlwaysMaximal: "every choice counts as maximal",
    ReadsAlwaysMaximal: "every read counts as maximal",
    WritesAlwaysMaximal: "every write counts as maximal",
    SourceMayBeLater: "a read may have been revisited by what is thrown away",
    RevisitedReadersForgotten: "a write that is thrown away may be read by what is kept",
}
