/* Peterson's lock, entered once by each process, with `sync`, which waits until the store buffers of all
   processes are empty. (`fence` waits only for its own process.)
   Expected: sc HOLDS, x86-tso HOLDS. */
bit wants0, wants1, turn;

active proctype p0() {
    store(wants0, 1);
    store(turn, 1);
    sync;
    if
    :: load(wants1, 0)
    :: load(turn, 0)
    fi;
inside:
    store(wants0, 0)
}

active proctype p1() {
    store(wants1, 1);
    store(turn, 0);
    sync;
    if
    :: load(wants0, 0)
    :: load(turn, 1)
    fi;
inside:
    store(wants1, 0)
}

ltl exclusion { [] !(p0@inside && p1@inside) }
