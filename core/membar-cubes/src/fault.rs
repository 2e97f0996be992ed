//! Deliberate mistakes of the search for any number of processes.

use membar_ir::mistakes;

mistakes! {
    Fault
    /// All mistakes, with what they do.
    ALL {
        FenceIgnored: "a fence orders nothing",
        AtomicWithoutFence: "an atomic transition does not come before later events of its process",
        WritesUnordered: "a write does not come before later writes of its process",
        CoherenceForgotten: "a write does not come before later writes of its location",
        ReadFromUnordered: "a write does not come before a read of another process that it satisfies",
        OwnReadsAreOrdered: "a write comes before reads of its own process that it satisfies",
        ReadsUnordered: "a read does not come before later events of its process",
        NewReadForgetsWrites: "a read does not come before later writes of its location",
        FromReadForgotten: "a read does not come before a write that it missed",
        PrintedFromRead: "every pending read comes before a new write, whatever its location, as printed in the paper",
        CyclesAllowed: "cycles are not looked for",
        OwnReadsMayWait: "a write need not satisfy reads of its own process",
        WriteSatisfiesAll: "a write satisfies every pending read of its location",
        WriteSatisfiesOne: "a write satisfies at most one read of another process",
        NoFreshProcess: "no transition of a process that the cube does not name",
        UniversalForgotten: "universal guards are not looked at",
        UniversalOnParameters: "universal guards are asked of parameters too",
        FirstCaseOnly: "of a case update only the first case is taken",
        CaseOrderForgotten: "a later case is taken although an earlier one holds",
        ProcessesMayMeet: "two process variables of a cube are matched with one",
        MatchIgnoresOrder: "a cube is subsumed whatever the order of its events",
        MatchIgnoresMarks: "a cube is subsumed whatever stands before its events",
        MatchIgnoresReads: "a cube is subsumed whatever reads are pending",
        MatchReversed: "a cube is subsumed by those that say more",
        InitOfOneProcess: "init is asked of the first process only",
        ChosenKeepsValue: "an update by any value keeps the old one",
        DeleteWithoutCover: "a visited cube is deleted although the new one only overlaps it",
        PairsForgotten: "a cube is subsumed whatever it says of pairs of values",
        NegationKept: "a covering check takes the literals as they are instead of their negations",
    }
}
