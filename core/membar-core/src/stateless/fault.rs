//! Deliberate mistakes of the search, for tests only: a test suite that does not see them is too weak.
//!
//! Each is switched on by `Options::fault` and sits where somebody could make it.

macro_rules! faults {
    ({$($name:ident: $what:literal,)*} {$($more:ident: $other:literal,)*}) => {
        /// A mistake that the search makes on purpose.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        pub enum Fault {
            /// None: the search as it is meant.
            #[default]
            None,
            $(#[doc = $what] $name,)*
            $(#[doc = $other] $more,)*
        }

        impl Fault {
            /// Mistakes that matter to every search, with what they do.
            pub const ALL: &[(Self, &'static str)] = &[$((Self::$name, $what),)*];
            /// Mistakes that only a search with holes can make.
            pub const OF_HOLES: &[(Self, &'static str)] = &[$((Self::$more, $other),)*];
        }
    };
}

faults! {{
    MaximalityOff: "every revisit is made, whatever it throws away",
    MaximalityOfWholeGraph: "maximality is tested against the whole graph",
    MaximalityWithoutPrefix: "maximality is tested without the prefix of the revisiting write",
    ChoicesAlwaysMaximal: "every choice counts as maximal",
    ReadsAlwaysMaximal: "every read counts as maximal",
    WritesAlwaysMaximal: "every write counts as maximal",
    RevisitedReadersForgotten: "a write that is thrown away may be read by what is kept",
    NoRevisits: "no revisit is made",
    OneRevisit: "a write revisits one read only",
    OwnPrefixRevisited: "a write revisits reads of its own prefix",
    WritesStandLast: "a write is only put behind all others of its location",
    RevisitingWriteStandsLast: "a write that revisits is only put behind all others of its location",
    InitialValueReadOnce: "a read takes the initial value only if there is no other",
    RevisitUnchecked: "a revisit is not checked",
    SourcesUnchecked: "what a read reads is not checked",
    PlacesUnchecked: "where a write stands is not checked",
    ReadModifyWriteUnchecked: "the write of a read-modify-write stands last, whatever its read reads",
    InitialWritesUnordered: "initial writes are not before the others in co, and have no fr",
    RevisitedReadsForgotten: "the model does not see what a revisited read reads",
    PairsForgotten: "the model does not see which read and write are one instruction",
    ClockKept: "a revisited read keeps the prefix that it had",
    SourceNotInPrefix: "what a read reads is not in its prefix",
    SpawnNotInPrefix: "what started a thread is not in its prefix",
    JoinDoesNotWait: "a join passes before the other thread has ended",
    CoherenceByStamp: "a restricted graph has its writes in the order of their stamps",
    StampsKept: "a restricted graph has the old stamps of the writes that are read",
    FirstOptionOnly: "a choice is made in one way only",
    StaleRelations: "relations of other events are taken for those of the present ones",
    KindForgotten: "the model is made ready for a program without some kind of event",
    FloorTooHigh: "what lies before an access refuses one way too many",
    ErrandLost: "what a worker gives to another is lost",
    ErrandDoneTwice: "what a worker gives to another it also does itself",
    AnswersMixedUp: "a thread goes on as it did with another value",
    WritingIsWaiting: "a turn of a loop that writes is taken for waiting",
    ChoosingIsWaiting: "a turn of a loop that chooses is taken for waiting",
    RetryingIsWaiting: "a turn with a failed store-conditional is taken for waiting",
    ExchangesWriteBack: "whatever an atomic operation writes is taken for what it read",
    WriteBacksKept: "what is written back by who waits stays",
    RegistersForgotten: "a turn that changes registers is taken for waiting",
    ExclusivesForgotten: "a turn that opens an exclusive load anew is taken for waiting",
    PatienceForLast: "who waits does not look at all, not even at what is last",
    PatienceForAll: "no read takes an old value in a program that waits",
    OldValuesForEver: "who waits may see old values for ever",
    OneLookCounts: "only the last read of a turn must see the last write",
    OneWaitsForAll: "one thread that waits is enough, whatever the others do",
    AssumptionsWait: "a thread whose assumption failed counts as one that waits",
    TwinNotInPrefix: "what a twin did is not in the prefix of what the next twin does",
    TwinPairsTorn: "the read of a twin's read-modify-write is in the prefix without its write",
    TwinsUnsorted: "the keys of twins need not rise",
    TwinsWriteUnsorted: "the writes of twins need not stand in the order of the twins",
    TwinsReadDifferently: "twins may not read from the same write",
    TwinsForgottenByRevisits: "a revisit may make the keys of twins fall",
    TwinsComparedByValue: "twins have done the same if they have read the same values",
    TwinsComparedBehindWrites: "twins are compared behind their first writes",
    TwinsComparedEverywhere: "twins are compared over all locations, whatever the model",
    TwinsCountedOnce: "an execution stands only for itself, whatever its twins did",
    InversionsIgnored: "a write may stand before what twins in its prefix have seen",
} {
    ModelOrderForgotten: "the model's order inside threads is not in prefixes",
    SameLocationForgotten: "earlier accesses of the location are not in prefixes",
    BranchesForgotten: "what decides whether and where something happens is not in prefixes",
    DataForgotten: "what a value was computed from is not in prefixes",
    ChoicesForgotten: "choices are not in prefixes",
    SourcesForgotten: "what reads read is not in prefixes",
    ReadModifyWriteSplit: "the read of a read-modify-write is kept without its write",
    OwnReadsFixed: "a write does not revisit reads of its own thread",
    HolesLeft: "holes are not filled",
    HolesFilledLast: "holes are filled when the rest of the thread is there",
    PathKept: "what stands behind a read is not moved when the read gets another value",
}}
