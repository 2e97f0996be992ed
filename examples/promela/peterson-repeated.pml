/* Peterson's lock, entered repeatedly, without fences.
   Expected: sc HOLDS, x86-tso VIOLATED, pso VIOLATED. */
bit wants0, wants1, turn;

active proctype p0() {
again:
    store(wants0, 1);
    store(turn, 1);
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
    if
    :: load(wants0, 0)
    :: load(turn, 1)
    fi;
inside:
    store(wants1, 0);
    goto again
}

ltl exclusion { [] !(p0@inside && p1@inside) }
