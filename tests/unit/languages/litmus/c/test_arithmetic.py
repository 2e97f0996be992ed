"""C's integers: every operator, promotions, conversions, wrap-around, pointers."""

from __future__ import annotations

import pytest

from unit.languages.litmus.c.single import run


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("1 + 2 * 3", 7),
        ("(1 + 2) * 3", 9),
        ("10 - 4 - 3", 3),
        ("7 / 2", 3),
        ("-7 / 2", -3),
        ("-7 % 3", -1),
        ("7 % -3", 1),
        ("1 << 4", 16),
        ("1 << 31", -(2**31)),
        ("-8 >> 1", -4),
        ("0xff & 0x0f", 15),
        ("8 | 1", 9),
        ("6 ^ 3", 5),
        ("~0", -1),
        ("-5", -5),
        ("+5", 5),
        ("!5", 0),
        ("!0", 1),
        ("!!7", 1),
        ("1 < 2", 1),
        ("2 <= 2", 1),
        ("1 > 2", 0),
        ("3 >= 4", 0),
        ("3 == 3", 1),
        ("3 != 3", 0),
        ("1 | 2 == 2", 1),
        ("2147483647 + 1", -(2**31)),
        ("-1 < 1u", 0),
        ("-1 < 1", 1),
        ("-1L < 1u", 1),
        ("4294967295u + 1u == 0", 1),
        ("4294967295u / 2 == 2147483647", 1),
        ("0xffffffff > 0", 1),
        ("010", 8),
        ("0b101", 5),
        ("'a'", 97),
        ("'\\n'", 10),
        ("true + true", 2),
        ("1 && 2", 1),
        ("1 && 0", 0),
        ("0 || 3", 1),
        ("0 || 0", 0),
        ("1 ? 10 : 20", 10),
        ("0 ? 10 : 20", 20),
        ("0 ? 1 : 1 ? 2 : 3", 2),
        ("(char)300", 44),
        ("(unsigned char)-1", 255),
        ("(char)200", -56),
        ("(short)65535", -1),
        ("(uint16_t)-1", 65535),
        ("(_Bool)256", 1),
        ("(bool)0", 0),
        ("(int)4294967295u", -1),
        ("(long)1 << 40 >> 40", 1),
        ("(unsigned char)255 + 1", 256),
        ("(2, 3)", 3),
        ("(char)127 + (char)1", 128),
        ("kill_dependency(4)", 4),
    ],
)  # fmt: skip
def test_constant_expressions_have_their_c_value(expression: str, value: int) -> None:
    assert run(f"int r0 = {expression};").registers["r0"] == value


@pytest.mark.parametrize(
    ("kind", "initial", "value"),
    [
        ("char", "200", -56),
        ("unsigned char", "300", 44),
        ("short", "40000", -25536),
        ("uint16_t", "-1", 65535),
        ("int", "4294967296", 0),
        ("unsigned", "-1", 2**32 - 1),
        ("unsigned long int", "1", 1),
        ("long long", "-1", -1),
        ("int64_t", "-9223372036854775807", -(2**63) + 1),
        ("_Bool", "2", 1),
        ("size_t", "3u", 3),
    ],
)
def test_a_variable_holds_what_its_type_can(kind: str, initial: str, value: int) -> None:
    assert run(f"{kind} r = {initial};").registers["r"] == value


def test_arithmetic_on_variables_wraps_like_on_constants() -> None:
    code = "int a = 2147483647; int b = a + 1; unsigned c = a; c = c + a + 2; char d = a;"
    ending = run(code)
    assert (ending.registers["b"], ending.registers["c"], ending.registers["d"]) == (-(2**31), 0, -1)


def test_compound_assignment_and_steps() -> None:
    code = "int a = 5; a += 3; a <<= 1; a -= 1; a ^= 2; int b = a++; int c = ++a; int d = a--; --a; a++;"
    registers = run(code).registers
    assert (registers["b"], registers["c"], registers["d"], registers["a"]) == (13, 15, 15, 14)


def test_assignment_is_an_expression() -> None:
    registers = run("int a; int b; a = b = 7; int c = (a = 3) + 1;").registers
    assert (registers["a"], registers["b"], registers["c"]) == (3, 7, 4)


@pytest.mark.parametrize(
    ("kind", "written", "read"),
    [("char", 200, -56), ("uint8_t", 200, 200), ("short", -1, -1), ("uint16_t", -1, 65535), ("int", -1, -1),
     ("unsigned", -1, 2**32 - 1), ("long", -1, -1)],
)  # fmt: skip
def test_memory_has_the_width_and_sign_of_its_type(kind: str, written: int, read: int) -> None:
    assert run(f"*x = {written}; long r = *x;", parameters=f"{kind}* x").registers["r"] == read


def test_arrays_and_pointers() -> None:
    code = """
      int *p = v + 1;
      int a = *p;
      int b = p[1];
      v[0] = 9;
      *(p + 1) = 8;
      int i = 1;
      int c = v[i];
      p++;
      int d = *p;
      long e = p - v;
      int f = p == &v[2];
      int g = *(&v[1] - 1);
    """
    ending = run(code, parameters="int* v", initial=" int v[3]={1,2,3}; ")
    values = [ending.registers[name] for name in "abcdefg"]
    assert values == [2, 3, 2, 8, 2, 1, 9]
    assert [ending.memory[f"v[{i}]"] for i in range(3)] == [9, 2, 8]


def test_a_location_may_hold_an_address() -> None:
    ending = run(
        "int *r = *p; *r = 5; *p = y; **p = 6;", parameters="int** p, int* y", initial=" p=&x; x=1; "
    )
    assert (ending.memory["x"], ending.memory["y"]) == (5, 6)


def test_an_untyped_location_that_holds_an_address_is_a_pointer() -> None:
    assert run("int* r = *p; int s = *r;", parameters="int** p", initial=" p=&x; x=4; ").registers["s"] == 4
