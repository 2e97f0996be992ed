/* Dekker's lock, entered once by each process, with `sync` before each read of the other's flag.
   Expected: sc HOLDS, x86-tso HOLDS. */
bit wants0, wants1, turn;

active proctype p0() {
    store(wants0, 1);
    sync;
    do
    :: load(wants1, 0) -> break
    :: load(wants1, 1) ->
        if
        :: load(turn, 0)
        :: load(turn, 1) ->
            store(wants0, 0);
            load(turn, 0);
            store(wants0, 1);
            sync
        fi
    od;
inside:
    store(turn, 1);
    store(wants0, 0)
}

active proctype p1() {
    store(wants1, 1);
    sync;
    do
    :: load(wants0, 0) -> break
    :: load(wants0, 1) ->
        if
        :: load(turn, 1)
        :: load(turn, 0) ->
            store(wants1, 0);
            load(turn, 1);
            store(wants1, 1);
            sync
        fi
    od;
inside:
    store(turn, 0);
    store(wants1, 0)
}

ltl exclusion { [] !(p0@inside && p1@inside) }
