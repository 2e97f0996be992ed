"""Methods of records with so many fields, compiled with this module instead of one by one.

`membar.records.classes` gives them the names of the fields. Written by `records/template_text.py`; not to be
edited.
"""

# fmt: off
# mypy: ignore-errors

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
def init_17(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16): self.f0 = f0; self.f1 = f1; self.f2 = f2; self.f3 = f3; self.f4 = f4; self.f5 = f5; self.f6 = f6; self.f7 = f7; self.f8 = f8; self.f9 = f9; self.f10 = f10; self.f11 = f11; self.f12 = f12; self.f13 = f13; self.f14 = f14; self.f15 = f15; self.f16 = f16
def init_18(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17): self.f0 = f0; self.f1 = f1; self.f2 = f2; self.f3 = f3; self.f4 = f4; self.f5 = f5; self.f6 = f6; self.f7 = f7; self.f8 = f8; self.f9 = f9; self.f10 = f10; self.f11 = f11; self.f12 = f12; self.f13 = f13; self.f14 = f14; self.f15 = f15; self.f16 = f16; self.f17 = f17
def init_19(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18): self.f0 = f0; self.f1 = f1; self.f2 = f2; self.f3 = f3; self.f4 = f4; self.f5 = f5; self.f6 = f6; self.f7 = f7; self.f8 = f8; self.f9 = f9; self.f10 = f10; self.f11 = f11; self.f12 = f12; self.f13 = f13; self.f14 = f14; self.f15 = f15; self.f16 = f16; self.f17 = f17; self.f18 = f18
def init_20(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19): self.f0 = f0; self.f1 = f1; self.f2 = f2; self.f3 = f3; self.f4 = f4; self.f5 = f5; self.f6 = f6; self.f7 = f7; self.f8 = f8; self.f9 = f9; self.f10 = f10; self.f11 = f11; self.f12 = f12; self.f13 = f13; self.f14 = f14; self.f15 = f15; self.f16 = f16; self.f17 = f17; self.f18 = f18; self.f19 = f19
def init_21(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20): self.f0 = f0; self.f1 = f1; self.f2 = f2; self.f3 = f3; self.f4 = f4; self.f5 = f5; self.f6 = f6; self.f7 = f7; self.f8 = f8; self.f9 = f9; self.f10 = f10; self.f11 = f11; self.f12 = f12; self.f13 = f13; self.f14 = f14; self.f15 = f15; self.f16 = f16; self.f17 = f17; self.f18 = f18; self.f19 = f19; self.f20 = f20
def init_22(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21): self.f0 = f0; self.f1 = f1; self.f2 = f2; self.f3 = f3; self.f4 = f4; self.f5 = f5; self.f6 = f6; self.f7 = f7; self.f8 = f8; self.f9 = f9; self.f10 = f10; self.f11 = f11; self.f12 = f12; self.f13 = f13; self.f14 = f14; self.f15 = f15; self.f16 = f16; self.f17 = f17; self.f18 = f18; self.f19 = f19; self.f20 = f20; self.f21 = f21
def init_23(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22): self.f0 = f0; self.f1 = f1; self.f2 = f2; self.f3 = f3; self.f4 = f4; self.f5 = f5; self.f6 = f6; self.f7 = f7; self.f8 = f8; self.f9 = f9; self.f10 = f10; self.f11 = f11; self.f12 = f12; self.f13 = f13; self.f14 = f14; self.f15 = f15; self.f16 = f16; self.f17 = f17; self.f18 = f18; self.f19 = f19; self.f20 = f20; self.f21 = f21; self.f22 = f22
def init_24(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23): self.f0 = f0; self.f1 = f1; self.f2 = f2; self.f3 = f3; self.f4 = f4; self.f5 = f5; self.f6 = f6; self.f7 = f7; self.f8 = f8; self.f9 = f9; self.f10 = f10; self.f11 = f11; self.f12 = f12; self.f13 = f13; self.f14 = f14; self.f15 = f15; self.f16 = f16; self.f17 = f17; self.f18 = f18; self.f19 = f19; self.f20 = f20; self.f21 = f21; self.f22 = f22; self.f23 = f23

INIT = (init_0.__code__, init_1.__code__, init_2.__code__, init_3.__code__, init_4.__code__, init_5.__code__, init_6.__code__, init_7.__code__, init_8.__code__, init_9.__code__, init_10.__code__, init_11.__code__, init_12.__code__, init_13.__code__, init_14.__code__, init_15.__code__, init_16.__code__, init_17.__code__, init_18.__code__, init_19.__code__, init_20.__code__, init_21.__code__, init_22.__code__, init_23.__code__, init_24.__code__)

def init_and_complete_0(self): complete(self)
def init_and_complete_1(self, f0): self.f0 = f0; complete(self)
def init_and_complete_2(self, f0, f1): self.f0 = f0; self.f1 = f1; complete(self)
def init_and_complete_3(self, f0, f1, f2): self.f0 = f0; self.f1 = f1; self.f2 = f2; complete(self)
def init_and_complete_4(self, f0, f1, f2, f3): self.f0 = f0; self.f1 = f1; self.f2 = f2; self.f3 = f3; complete(self)
def init_and_complete_5(self, f0, f1, f2, f3, f4): self.f0 = f0; self.f1 = f1; self.f2 = f2; self.f3 = f3; self.f4 = f4; complete(self)
def init_and_complete_6(self, f0, f1, f2, f3, f4, f5): self.f0 = f0; self.f1 = f1; self.f2 = f2; self.f3 = f3; self.f4 = f4; self.f5 = f5; complete(self)
def init_and_complete_7(self, f0, f1, f2, f3, f4, f5, f6): self.f0 = f0; self.f1 = f1; self.f2 = f2; self.f3 = f3; self.f4 = f4; self.f5 = f5; self.f6 = f6; complete(self)
def init_and_complete_8(self, f0, f1, f2, f3, f4, f5, f6, f7): self.f0 = f0; self.f1 = f1; self.f2 = f2; self.f3 = f3; self.f4 = f4; self.f5 = f5; self.f6 = f6; self.f7 = f7; complete(self)
def init_and_complete_9(self, f0, f1, f2, f3, f4, f5, f6, f7, f8): self.f0 = f0; self.f1 = f1; self.f2 = f2; self.f3 = f3; self.f4 = f4; self.f5 = f5; self.f6 = f6; self.f7 = f7; self.f8 = f8; complete(self)
def init_and_complete_10(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9): self.f0 = f0; self.f1 = f1; self.f2 = f2; self.f3 = f3; self.f4 = f4; self.f5 = f5; self.f6 = f6; self.f7 = f7; self.f8 = f8; self.f9 = f9; complete(self)
def init_and_complete_11(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10): self.f0 = f0; self.f1 = f1; self.f2 = f2; self.f3 = f3; self.f4 = f4; self.f5 = f5; self.f6 = f6; self.f7 = f7; self.f8 = f8; self.f9 = f9; self.f10 = f10; complete(self)
def init_and_complete_12(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11): self.f0 = f0; self.f1 = f1; self.f2 = f2; self.f3 = f3; self.f4 = f4; self.f5 = f5; self.f6 = f6; self.f7 = f7; self.f8 = f8; self.f9 = f9; self.f10 = f10; self.f11 = f11; complete(self)
def init_and_complete_13(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12): self.f0 = f0; self.f1 = f1; self.f2 = f2; self.f3 = f3; self.f4 = f4; self.f5 = f5; self.f6 = f6; self.f7 = f7; self.f8 = f8; self.f9 = f9; self.f10 = f10; self.f11 = f11; self.f12 = f12; complete(self)
def init_and_complete_14(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13): self.f0 = f0; self.f1 = f1; self.f2 = f2; self.f3 = f3; self.f4 = f4; self.f5 = f5; self.f6 = f6; self.f7 = f7; self.f8 = f8; self.f9 = f9; self.f10 = f10; self.f11 = f11; self.f12 = f12; self.f13 = f13; complete(self)
def init_and_complete_15(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14): self.f0 = f0; self.f1 = f1; self.f2 = f2; self.f3 = f3; self.f4 = f4; self.f5 = f5; self.f6 = f6; self.f7 = f7; self.f8 = f8; self.f9 = f9; self.f10 = f10; self.f11 = f11; self.f12 = f12; self.f13 = f13; self.f14 = f14; complete(self)
def init_and_complete_16(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15): self.f0 = f0; self.f1 = f1; self.f2 = f2; self.f3 = f3; self.f4 = f4; self.f5 = f5; self.f6 = f6; self.f7 = f7; self.f8 = f8; self.f9 = f9; self.f10 = f10; self.f11 = f11; self.f12 = f12; self.f13 = f13; self.f14 = f14; self.f15 = f15; complete(self)
def init_and_complete_17(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16): self.f0 = f0; self.f1 = f1; self.f2 = f2; self.f3 = f3; self.f4 = f4; self.f5 = f5; self.f6 = f6; self.f7 = f7; self.f8 = f8; self.f9 = f9; self.f10 = f10; self.f11 = f11; self.f12 = f12; self.f13 = f13; self.f14 = f14; self.f15 = f15; self.f16 = f16; complete(self)
def init_and_complete_18(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17): self.f0 = f0; self.f1 = f1; self.f2 = f2; self.f3 = f3; self.f4 = f4; self.f5 = f5; self.f6 = f6; self.f7 = f7; self.f8 = f8; self.f9 = f9; self.f10 = f10; self.f11 = f11; self.f12 = f12; self.f13 = f13; self.f14 = f14; self.f15 = f15; self.f16 = f16; self.f17 = f17; complete(self)
def init_and_complete_19(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18): self.f0 = f0; self.f1 = f1; self.f2 = f2; self.f3 = f3; self.f4 = f4; self.f5 = f5; self.f6 = f6; self.f7 = f7; self.f8 = f8; self.f9 = f9; self.f10 = f10; self.f11 = f11; self.f12 = f12; self.f13 = f13; self.f14 = f14; self.f15 = f15; self.f16 = f16; self.f17 = f17; self.f18 = f18; complete(self)
def init_and_complete_20(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19): self.f0 = f0; self.f1 = f1; self.f2 = f2; self.f3 = f3; self.f4 = f4; self.f5 = f5; self.f6 = f6; self.f7 = f7; self.f8 = f8; self.f9 = f9; self.f10 = f10; self.f11 = f11; self.f12 = f12; self.f13 = f13; self.f14 = f14; self.f15 = f15; self.f16 = f16; self.f17 = f17; self.f18 = f18; self.f19 = f19; complete(self)
def init_and_complete_21(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20): self.f0 = f0; self.f1 = f1; self.f2 = f2; self.f3 = f3; self.f4 = f4; self.f5 = f5; self.f6 = f6; self.f7 = f7; self.f8 = f8; self.f9 = f9; self.f10 = f10; self.f11 = f11; self.f12 = f12; self.f13 = f13; self.f14 = f14; self.f15 = f15; self.f16 = f16; self.f17 = f17; self.f18 = f18; self.f19 = f19; self.f20 = f20; complete(self)
def init_and_complete_22(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21): self.f0 = f0; self.f1 = f1; self.f2 = f2; self.f3 = f3; self.f4 = f4; self.f5 = f5; self.f6 = f6; self.f7 = f7; self.f8 = f8; self.f9 = f9; self.f10 = f10; self.f11 = f11; self.f12 = f12; self.f13 = f13; self.f14 = f14; self.f15 = f15; self.f16 = f16; self.f17 = f17; self.f18 = f18; self.f19 = f19; self.f20 = f20; self.f21 = f21; complete(self)
def init_and_complete_23(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22): self.f0 = f0; self.f1 = f1; self.f2 = f2; self.f3 = f3; self.f4 = f4; self.f5 = f5; self.f6 = f6; self.f7 = f7; self.f8 = f8; self.f9 = f9; self.f10 = f10; self.f11 = f11; self.f12 = f12; self.f13 = f13; self.f14 = f14; self.f15 = f15; self.f16 = f16; self.f17 = f17; self.f18 = f18; self.f19 = f19; self.f20 = f20; self.f21 = f21; self.f22 = f22; complete(self)
def init_and_complete_24(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23): self.f0 = f0; self.f1 = f1; self.f2 = f2; self.f3 = f3; self.f4 = f4; self.f5 = f5; self.f6 = f6; self.f7 = f7; self.f8 = f8; self.f9 = f9; self.f10 = f10; self.f11 = f11; self.f12 = f12; self.f13 = f13; self.f14 = f14; self.f15 = f15; self.f16 = f16; self.f17 = f17; self.f18 = f18; self.f19 = f19; self.f20 = f20; self.f21 = f21; self.f22 = f22; self.f23 = f23; complete(self)

INIT_AND_COMPLETE = (init_and_complete_0.__code__, init_and_complete_1.__code__, init_and_complete_2.__code__, init_and_complete_3.__code__, init_and_complete_4.__code__, init_and_complete_5.__code__, init_and_complete_6.__code__, init_and_complete_7.__code__, init_and_complete_8.__code__, init_and_complete_9.__code__, init_and_complete_10.__code__, init_and_complete_11.__code__, init_and_complete_12.__code__, init_and_complete_13.__code__, init_and_complete_14.__code__, init_and_complete_15.__code__, init_and_complete_16.__code__, init_and_complete_17.__code__, init_and_complete_18.__code__, init_and_complete_19.__code__, init_and_complete_20.__code__, init_and_complete_21.__code__, init_and_complete_22.__code__, init_and_complete_23.__code__, init_and_complete_24.__code__)

def equal_0(self, other): return () == () if other.__class__ is self.__class__ else NotImplemented
def equal_1(self, other): return (self.f0,) == (other.f0,) if other.__class__ is self.__class__ else NotImplemented
def equal_2(self, other): return (self.f0, self.f1,) == (other.f0, other.f1,) if other.__class__ is self.__class__ else NotImplemented
def equal_3(self, other): return (self.f0, self.f1, self.f2,) == (other.f0, other.f1, other.f2,) if other.__class__ is self.__class__ else NotImplemented
def equal_4(self, other): return (self.f0, self.f1, self.f2, self.f3,) == (other.f0, other.f1, other.f2, other.f3,) if other.__class__ is self.__class__ else NotImplemented
def equal_5(self, other): return (self.f0, self.f1, self.f2, self.f3, self.f4,) == (other.f0, other.f1, other.f2, other.f3, other.f4,) if other.__class__ is self.__class__ else NotImplemented
def equal_6(self, other): return (self.f0, self.f1, self.f2, self.f3, self.f4, self.f5,) == (other.f0, other.f1, other.f2, other.f3, other.f4, other.f5,) if other.__class__ is self.__class__ else NotImplemented
def equal_7(self, other): return (self.f0, self.f1, self.f2, self.f3, self.f4, self.f5, self.f6,) == (other.f0, other.f1, other.f2, other.f3, other.f4, other.f5, other.f6,) if other.__class__ is self.__class__ else NotImplemented
def equal_8(self, other): return (self.f0, self.f1, self.f2, self.f3, self.f4, self.f5, self.f6, self.f7,) == (other.f0, other.f1, other.f2, other.f3, other.f4, other.f5, other.f6, other.f7,) if other.__class__ is self.__class__ else NotImplemented
def equal_9(self, other): return (self.f0, self.f1, self.f2, self.f3, self.f4, self.f5, self.f6, self.f7, self.f8,) == (other.f0, other.f1, other.f2, other.f3, other.f4, other.f5, other.f6, other.f7, other.f8,) if other.__class__ is self.__class__ else NotImplemented
def equal_10(self, other): return (self.f0, self.f1, self.f2, self.f3, self.f4, self.f5, self.f6, self.f7, self.f8, self.f9,) == (other.f0, other.f1, other.f2, other.f3, other.f4, other.f5, other.f6, other.f7, other.f8, other.f9,) if other.__class__ is self.__class__ else NotImplemented
def equal_11(self, other): return (self.f0, self.f1, self.f2, self.f3, self.f4, self.f5, self.f6, self.f7, self.f8, self.f9, self.f10,) == (other.f0, other.f1, other.f2, other.f3, other.f4, other.f5, other.f6, other.f7, other.f8, other.f9, other.f10,) if other.__class__ is self.__class__ else NotImplemented
def equal_12(self, other): return (self.f0, self.f1, self.f2, self.f3, self.f4, self.f5, self.f6, self.f7, self.f8, self.f9, self.f10, self.f11,) == (other.f0, other.f1, other.f2, other.f3, other.f4, other.f5, other.f6, other.f7, other.f8, other.f9, other.f10, other.f11,) if other.__class__ is self.__class__ else NotImplemented

EQUAL = (equal_0.__code__, equal_1.__code__, equal_2.__code__, equal_3.__code__, equal_4.__code__, equal_5.__code__, equal_6.__code__, equal_7.__code__, equal_8.__code__, equal_9.__code__, equal_10.__code__, equal_11.__code__, equal_12.__code__)

def hashed_0(self): return hash(())
def hashed_1(self): return hash((self.f0,))
def hashed_2(self): return hash((self.f0, self.f1,))
def hashed_3(self): return hash((self.f0, self.f1, self.f2,))
def hashed_4(self): return hash((self.f0, self.f1, self.f2, self.f3,))
def hashed_5(self): return hash((self.f0, self.f1, self.f2, self.f3, self.f4,))
def hashed_6(self): return hash((self.f0, self.f1, self.f2, self.f3, self.f4, self.f5,))
def hashed_7(self): return hash((self.f0, self.f1, self.f2, self.f3, self.f4, self.f5, self.f6,))
def hashed_8(self): return hash((self.f0, self.f1, self.f2, self.f3, self.f4, self.f5, self.f6, self.f7,))
def hashed_9(self): return hash((self.f0, self.f1, self.f2, self.f3, self.f4, self.f5, self.f6, self.f7, self.f8,))
def hashed_10(self): return hash((self.f0, self.f1, self.f2, self.f3, self.f4, self.f5, self.f6, self.f7, self.f8, self.f9,))
def hashed_11(self): return hash((self.f0, self.f1, self.f2, self.f3, self.f4, self.f5, self.f6, self.f7, self.f8, self.f9, self.f10,))
def hashed_12(self): return hash((self.f0, self.f1, self.f2, self.f3, self.f4, self.f5, self.f6, self.f7, self.f8, self.f9, self.f10, self.f11,))

HASHED = (hashed_0.__code__, hashed_1.__code__, hashed_2.__code__, hashed_3.__code__, hashed_4.__code__, hashed_5.__code__, hashed_6.__code__, hashed_7.__code__, hashed_8.__code__, hashed_9.__code__, hashed_10.__code__, hashed_11.__code__, hashed_12.__code__)
