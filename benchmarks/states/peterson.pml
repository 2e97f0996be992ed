/* Peterson's lock for four processes. peterson.dve is the same, transition by transition. */
byte pos[5];
byte step[5];
active [4] proctype P() {
  byte j;
  byte k;
ncs:
  j = 1;
level:
  if
  :: d_step { j < 4 -> pos[_pid] = j }
  :: j == 4 -> goto cs
  fi;
  d_step { step[j] = _pid; k = 0 };
look:
  if
  :: d_step { k < 4 && (k == _pid || pos[k] < j) -> k++ }; goto look
  :: d_step { step[j] != _pid || k == 4 -> j++ }; goto level
  fi;
cs:
  pos[_pid] = 0;
  goto ncs
}
