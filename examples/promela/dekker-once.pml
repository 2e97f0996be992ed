/* Dekker's lock, entered once by each process: a process that sees both want to enter gives way if it is the
   other's turn. Without a fence both can enter.
   Expected: sc HOLDS, x86-tso VIOLATED, pso VIOLATED. */
bit wants0, wants1, turn;

active proctype p0() {
    store(wants0, 1);
    do
    :: load(wants1, 0) -> break
    :: load(wants1, 1) ->
        if
        :: load(turn, 0)
        :: load(turn, 1) ->
            store(wants0, 0);
            load(turn, 0);
            store(wants0, 1)
        fi
    od;
inside:
    store(turn, 1);
    store(wants0, 0)
}

active proctype p1() {
    store(wants1, 1);
    do
    :: load(wants0, 0) -> break
    :: load(wants0, 1) ->
        if
        :: load(turn, 1)
        :: load(turn, 0) ->
            store(wants1, 0);
            load(turn, 1);
            store(wants1, 1)
        fi
    od;
inside:
    store(turn, 0);
    store(wants1, 0)
}

ltl exclusion { [] !(p0@inside && p1@inside) }
