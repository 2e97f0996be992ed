//! Deliberate mistakes of the searches with unbounded buffers.

use membar_ir::mistakes;

mistakes! {
    Fault
    /// All mistakes, with what they do.
    ALL {
        FenceIgnored: "a fence does nothing",
        FullFenceIsOwn: "a fence of all buffers waits only for the own one",
        LockedWithoutDrain: "a locked instruction does not wait for its buffer",
        LoadIgnoresBuffer: "a load looks at memory only",
        LoadKeepsLanguage: "a load does not restrict the buffer contents",
        LoadSkipsMemory: "a load with something in the buffer never looks at memory",
        PrintedLoadRule: "a load looks for its location at the very end of the buffer, as printed in the paper",
        CommitKeepsLanguage: "a commit leaves its entry in the buffer",
        CommitFirstLetterOnly: "only one of several possible commits is values",
        CommitLosesWord: "a commit forgets contents that begin otherwise and end the same",
        StoreAtFront: "a store overtakes what is in the buffer",
        InclusionOfOneBuffer: "a state is covered if its first buffer is",
        InclusionReversed: "a state is covered by smaller ones",
        RepeatWithoutCheck: "a cycle is accelerated whatever its loads see the second time",
        RepeatForeignCycles: "a cycle is joined with those that were found elsewhere, unchecked",
        RepeatIgnoresMemory: "a cycle is accelerated although memory has changed",
        RepeatIgnoresControl: "a cycle is accelerated although a thread is elsewhere",
        SleepForever: "a transition sleeps on after a dependent one",
        SleepPrintedIndependence: "independence asks the committing process's own buffer, as printed in the paper",
        AtomicIsBuffered: "an atomic write waits in the buffer",
        AtomicAllIsOwn: "an atomic write that waits for all buffers waits for its own only",
        OrderIgnored: "a fence of stores does nothing",
        MarkPassed: "stores pass the mark of a fence of stores",
        BirthPassesStores: "a thread begins before what was stored before it is in memory",
        CommittedIgnored: "a committed control point holds nobody up",
        DeadlockAtEnds: "a deadlock is seen where threads may wait for ever",
        DeadlockWithFullBuffers: "a deadlock is seen although entries wait in a buffer",
        DeadlockIgnored: "a deadlock is not seen where some other content of the buffers goes on",
        EndingWithFullBuffers: "a final state is seen although entries wait in a buffer",
        DualReadsNewest: "backwards, a read takes the newest message instead of the oldest",
        DualOwnIgnored: "backwards, a read does not look at own messages",
        DualFenceIgnored: "backwards, a fence does not ask for an empty queue",
        DualOrderDropsOwn: "backwards, own messages are compared like all others",
        DualNoDelete: "backwards, no own message is ever deleted",
        DualNoOlderOwn: "backwards, a write never stands behind an older own message of its location",
        DualPropagateAnything: "backwards, a message may carry what memory does not hold",
        DualStepsOverlap: "backwards, steps of several accesses are taken for exact",
        DualMeetingKeepsReceiver: "backwards, a rendezvous leaves the receiver where it is",
        DualWriteKeepsMemory: "backwards, a write leaves the old value of memory known",
    }
}
