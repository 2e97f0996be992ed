/* Twelve philosophers, who take the left fork first and may put it back. philosophers.dve is the same. */
bool fork[12];
active [12] proctype P() {
think:
  atomic { !fork[_pid] -> fork[_pid] = true };
  if
  :: atomic { !fork[(_pid + 1) % 12] -> fork[(_pid + 1) % 12] = true }
  :: fork[_pid] = false; goto think
  fi;
  fork[_pid] = false;
  fork[(_pid + 1) % 12] = false;
  goto think
}
