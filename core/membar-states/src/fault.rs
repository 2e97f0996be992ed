//! Deliberate mistakes of the search through states.

use membar_ir::mistakes;

mistakes! {
    Fault
    /// All mistakes, with what they do.
    ALL {
        FenceIgnored: "a fence does nothing",
        AllIsOwn: "what waits for all buffers waits only for the own one",
        AtomicIsBuffered: "an atomic write goes into the buffer",
        LockedWithoutDrain: "a locked instruction acts on the buffer",
        LoadIgnoresBuffer: "a load looks at memory only",
        LoadTakesOldest: "a load takes the oldest entry of its buffer",
        BoundOffByOne: "a buffer takes one entry more than it may",
        HeldIsSilent: "nobody learns that the bound held a store back",
        UnfitIsHeld: "a step that fits into no buffer is taken for one that waits for room",
        WaitingIsBlocked: "an assumption that waits stops the run",
        LockIgnoresOwner: "a lock is taken although somebody has it",
        JoinIgnoresBuffer: "a thread is joined although its stores wait in its buffer",
        BuffersUnsorted: "equal contents of the buffers of a thread are told apart by their order",
        PromisesBroken: "a store comes between an exclusive load and its store",
        ReservationsKept: "a reservation outlives a store by somebody else",
        FlushFromTheBack: "the newest entry reaches memory first",
        FlushOverBarrier: "stores overtake a barrier on their way to memory",
        OneEdgePerPoint: "only the first open edge of a control point is taken",
        UnbornThreadsMove: "threads move before they are started",
        FinalWithFullBuffers: "a final state is seen although entries wait in a buffer",
        DeadlockIgnored: "a state in which one thread has ended is no deadlock",
        MemoryForgotten: "states that differ only in the last word of memory are taken for equal",
        ChannelTooWide: "a channel takes one message more than it may",
        MeetsItself: "a thread receives what it sends itself",
        CommittedIgnored: "threads move although another one is at a committed point",
        EndsIgnored: "who may wait for ever is taken for stuck",
        FairOnlyWhenEmpty: "a queue is treated fairly only when it is empty, as in the paper",
        MarksOnTheWayLost: "marks of the steps between components are lost when these melt together",
        EndsAreEndless: "a run that ends is taken for one in which something happens for ever",
        OthersIgnored: "the reduction does not ask what others do to a cell",
        PredicatesIgnored: "the reduction does not ask what the property looks at",
        PutOffForEver: "the reduction puts threads off for ever",
        FirstMessageCounts: "of several ways to a new state the one that a thread hears of first counts",
        AnswersIgnored: "threads take it that states they ask others about are still to be looked at",
        LastMessageLost: "threads lose the last of several messages",
        OneReadRemembered: "a step is remembered by the first cell that it reads only",
        OneStoreRemembered: "only the first store of a step is remembered",
        HaltsForgotten: "why a step is not taken is not remembered",
        ErrorsSeenLate: "error states are looked for in final states only",
    }
}
