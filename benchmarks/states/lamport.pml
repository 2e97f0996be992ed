/* Lamport's fast mutual exclusion for four processes: 7,264,064 states without reduction. */
byte x = 255;
byte y = 255;
bool b[4];
active [4] proctype P() {
  byte j;
start:
  b[_pid] = true;
  x = _pid;
  if
  :: y != 255 -> b[_pid] = false; y == 255; goto start
  :: else
  fi;
  y = _pid;
  if
  :: x != _pid ->
     b[_pid] = false;
     j = 0;
     do
     :: j < 4 -> b[j] == false; j++
     :: else -> break
     od;
     if
     :: y != _pid -> y == 255; goto start
     :: else
     fi
  :: else
  fi;
cs:
  y = 255;
  b[_pid] = false;
  goto start
}
