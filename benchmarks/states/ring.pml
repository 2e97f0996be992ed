/* Five processes in a ring of channels. ring.dve is the same, transition by transition. */
chan c[5] = [1] of { byte };
active [5] proctype P() {
  byte v = _pid % 3;
again:
  c[_pid]!v;
  c[(_pid + 4) % 5]?v;
  if
  :: v = (v + 1) % 3
  :: skip
  fi;
  goto again
}
