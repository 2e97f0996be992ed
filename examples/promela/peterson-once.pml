/* Peterson's lock, entered once by each process, with Linden and Wolper's extensions: `store` and `load` act on shared
   variables, and a `load` waits until the value is visible. Without a fence both can enter.
   Expected: sc HOLDS, x86-tso VIOLATED, pso VIOLATED. */
bit wants0, wants1, turn;

active proctype p0() {
    store(wants0, 1);
    store(turn, 1);
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
    if
    :: load(wants0, 0)
    :: load(turn, 1)
    fi;
inside:
    store(wants1, 0)
}

ltl exclusion { [] !(p0@inside && p1@inside) }
