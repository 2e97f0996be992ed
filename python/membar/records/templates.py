"""Bodies of `__init__` for records with so many fields, compiled with this module instead of one by one.

`membar.records.classes` gives a body the names of the fields. Written by a loop: one line for each number of fields.
"""

# fmt: off
# mypy: ignore-errors

from __future__ import annotations


def init_0(self): pass
def init_1(self, f0): self.f0 = f0
def init_2(self, f0, f1): self.f0 = f0; self.f1 = f1
def init_3(self, f0, f1, f2): self.f0 = f0; self.f1 = f1; self.f2 = f2
def init_4(self, f0, f1, f2, f3): self.f0 = f0; self.f1 = f1; self.f2 = f2; self.f3 = f3
def init_5(self, f0, f1, f2, f3, f4): self.f0 = f0; self.f1 = f1; self.f2 = f2; self.f3 = f3; self.f4 = f4
def init_6(self, f0, f1, f2, f3, f4, f5): self.f0 = f0; self.f1 = f1; self.f2 = f2; self.f3 = f3; self.f4 = f4; self.f5 = f5
def init_7(self, f0, f1, f2, f3, f4, f5, f6): self.f0 = f0; self.f1 = f1; self.f2 = f2; self.f3 = f3; self.f4 = f4; self.f5 = f5; self.f6 = f6
def init_8(self, f0, f1, f2, f3, f4, f5, f6, f7): self.f0 = f0; self.f1 = f1; self.f2 = f2; self.f3 = f3; self.f4 = f4; self.f5 = f5; self.f6 = f6; self.f7 = f7
def init_9(self, f0, f1, f2, f3, f4, f5, f6, f7, f8): self.f0 = f0; self.f1 = f1; self.f2 = f2; self.f3 = f3; self.f4 = f4; self.f5 = f5; self.f6 = f6; self.f7 = f7; self.f8 = f8
def init_10(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9): self.f0 = f0; self.f1 = f1; self.f2 = f2; self.f3 = f3; self.f4 = f4; self.f5 = f5; self.f6 = f6; self.f7 = f7; self.f8 = f8; self.f9 = f9
def init_11(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10): self.f0 = f0; self.f1 = f1; self.f2 = f2; self.f3 = f3; self.f4 = f4; self.f5 = f5; self.f6 = f6; self.f7 = f7; self.f8 = f8; self.f9 = f9; self.f10 = f10
def init_12(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11): self.f0 = f0; self.f1 = f1; self.f2 = f2; self.f3 = f3; self.f4 = f4; self.f5 = f5; self.f6 = f6; self.f7 = f7; self.f8 = f8; self.f9 = f9; self.f10 = f10; self.f11 = f11
def init_13(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12): self.f0 = f0; self.f1 = f1; self.f2 = f2; self.f3 = f3; self.f4 = f4; self.f5 = f5; self.f6 = f6; self.f7 = f7; self.f8 = f8; self.f9 = f9; self.f10 = f10; self.f11 = f11; self.f12 = f12
def init_14(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13): self.f0 = f0; self.f1 = f1; self.f2 = f2; self.f3 = f3; self.f4 = f4; self.f5 = f5; self.f6 = f6; self.f7 = f7; self.f8 = f8; self.f9 = f9; self.f10 = f10; self.f11 = f11; self.f12 = f12; self.f13 = f13
def init_15(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14): self.f0 = f0; self.f1 = f1; self.f2 = f2; self.f3 = f3; self.f4 = f4; self.f5 = f5; self.f6 = f6; self.f7 = f7; self.f8 = f8; self.f9 = f9; self.f10 = f10; self.f11 = f11; self.f12 = f12; self.f13 = f13; self.f14 = f14
def init_16(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15): self.f0 = f0; self.f1 = f1; self.f2 = f2; self.f3 = f3; self.f4 = f4; self.f5 = f5; self.f6 = f6; self.f7 = f7; self.f8 = f8; self.f9 = f9; self.f10 = f10; self.f11 = f11; self.f12 = f12; self.f13 = f13; self.f14 = f14; self.f15 = f15

BODIES = (init_0.__code__, init_1.__code__, init_2.__code__, init_3.__code__, init_4.__code__, init_5.__code__, init_6.__code__, init_7.__code__, init_8.__code__, init_9.__code__, init_10.__code__, init_11.__code__, init_12.__code__, init_13.__code__, init_14.__code__, init_15.__code__, init_16.__code__)
