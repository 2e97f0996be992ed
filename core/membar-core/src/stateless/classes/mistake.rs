//! Deliberate mistakes of the search for classes, for tests only, as in `fault`.

macro_rules! mistakes {
    ($($name:ident: $what:literal,)*) => {
        /// A mistake that the search makes on purpose.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        pub enum Mistake {
            /// None: the search as it is meant.
            #[default]
            None,
            $(#[doc = $what] $name,)*
        }

        impl Mistake {
            /// All mistakes, with what they do.
            pub const ALL: &[(Self, &'static str)] = &[$((Self::$name, $what),)*];
        }
    };
}

mistakes! {
    ReadsNeverWait: "a read never waits for a later write",
    OldWritesStay: "a read that has waited takes writes that it has refused",
    NewWritesUnseen: "a read that has waited takes the oldest new write only",
    EverybodyMustWrite: "a read waits only if every other thread may still write its location",
    StuckTooEarly: "a read that waits for a thread that waits is given up",
    PresentOrderOnly: "no other order of the writes is looked for",
    NoBranching: "an order that is not forced is not tried the other way round",
    FirstBranchOnly: "two writes that are not ordered are tried in one order only",
    SourcesForgotten: "a write before a read is put before some other write than the one that is read",
    LastWriteAnyhow: "which write is last is not observed",
    FirstLastOnly: "only one write is tried as the last",
    AcceptsAnything: "every order is taken for consistent",
}
