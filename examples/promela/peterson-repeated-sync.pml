/* Peterson's lock, entered repeatedly, with `sync`.
   Expected: sc HOLDS, x86-tso HOLDS. */
bit wants0, wants1, turn;

active proctype p0() {
again:
    store(wants0, 1);
    store(turn, 1);
    sync;
    if
    :: load(wants1, 0)
    :: load(turn, 0)
    fi;
inside:
    store(wants0, 0);
    goto again
}

active proctype p1() {
again:
    store(wants1, 1);
    store(turn, 0);
    sync;
    if
    :: load(wants0, 0)
    :: load(turn, 1)
    fi;
inside:
    store(wants1, 0);
    goto again
}

ltl exclusion { [] !(p0@inside && p1@inside) }
