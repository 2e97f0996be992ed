//! Deliberate mistakes of the search for classes.

use membar_ir::mistakes;

mistakes! {
    Mistake
    /// All mistakes, with what they do.
    ALL {
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
}
