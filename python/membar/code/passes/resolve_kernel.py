"""Makes instructions of the calls that the Linux kernel's macros expand to.

Orderings are words of the kernel's memory model: `Once`, `Acquire`, `Release`, `Mb`, and `Noreturn` for a
read-modify-write whose result nobody gets. Sizes, orders and operations must be constants.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from membar.code import ir
from membar.code.passes.link import Refuse
from membar.records import record, replace

ORDERINGS = ("Once", "Acquire", "Release", "Mb", "Noreturn")
# As the macros of <lkmm.h> number them.
_ORDERS: Mapping[int, str] = {0: "Once", 1: "Acquire", 2: "Release", 3: "Mb"}
_FENCES: Mapping[int, str] = {
    3: "Mb",
    4: "Wmb",
    5: "Rmb",
    6: "Rcu-lock",
    7: "Rcu-unlock",
    8: "Sync-rcu",
    9: "Before-atomic",
    10: "After-atomic",
    11: "After-spinlock",
    12: "Barrier",
    13: "After-unlock-lock",
}
_OPERATIONS: Mapping[int, str] = {0: "add", 1: "sub", 2: "and", 3: "or", 4: "xor"}
_PREFIX = "__LKMM_"
_WORD = ir.Int(64)


def resolve_kernel(module: ir.Module, refuse: Refuse) -> ir.Module:
    """The module without calls of `__LKMM_load` and similar functions.

    Raises:
        InputError: an order, a size or an operation that is not a known constant.
    """
    functions: dict[str, ir.Function] = {}
    for name, function in module.functions.items():
        if name in NAMES and not function.blocks:
            continue
        functions[name] = _Function(refuse).run(function) if function.blocks else function
    is_kernel = module.is_kernel or any(name.startswith(_PREFIX) for name in module.functions)
    return replace(module, functions=functions, is_kernel=is_kernel)


@record(eq=False)
class _Function:
    refuse: Refuse
    number: int = 0

    def run(self, function: ir.Function) -> ir.Function:
        blocks = []
        for block in function.blocks:
            instructions = tuple(new for old in block.instructions for new in self._resolve(old))
            blocks.append(replace(block, instructions=instructions))
        return replace(function, blocks=tuple(blocks))

    def _resolve(self, item: ir.Instruction) -> list[ir.Instruction]:
        if not isinstance(item, ir.Call) or not isinstance(item.callee, ir.FunctionAddress):
            return [item]
        meaning = _MEANINGS.get(item.callee.name)
        return [item] if meaning is None else meaning(self, item)

    def _constant_word(self, call: ir.Call, operand: ir.Operand, words: Mapping[int, str], what: str) -> str:
        """The word that a constant argument stands for."""
        found = words.get(operand.value) if isinstance(operand, ir.Constant) else None
        if found is None:
            raise self.refuse(f"this call needs {what}, given as a compile-time constant", call.place)
        return found

    def _order(self, call: ir.Call, number: int) -> str:
        return self._constant_word(call, call.arguments[number], _ORDERS, "an order")

    def _type(self, call: ir.Call) -> ir.Int:
        sizes = {1: "1", 2: "2", 4: "4", 8: "8"}
        return ir.Int(
            8 * int(self._constant_word(call, call.arguments[1], sizes, "a size of 1, 2, 4 or 8 bytes"))
        )

    def _value(self, type_: ir.Type) -> ir.Value:
        self.number += 1
        return ir.Value(f"kernel.{self.number}", type_)

    def _narrow(self, call: ir.Call, number: int, type_: ir.Int, done: list[ir.Instruction]) -> ir.Operand:
        """An argument, which is 64 bits wide, as a value of the size of the access."""
        operand = call.arguments[number]
        if type_ == _WORD:
            return operand
        if isinstance(operand, ir.Constant):
            return ir.Constant(operand.value & ((1 << type_.bits) - 1), type_)
        result = self._value(type_)
        done.append(ir.Compute(result=result, operation="trunc", operands=(operand,), place=call.place))
        return result

    def _result(self, call: ir.Call, type_: ir.Int) -> tuple[ir.Value, list[ir.Instruction]]:
        """The value that an access gives, and what makes the 64 bits of the call's result of it."""
        (wanted,) = call.results
        if type_ == _WORD:
            return wanted, []
        found = self._value(type_)
        return found, [ir.Compute(result=wanted, operation="sext", operands=(found,), place=call.place)]

    def load(self, call: ir.Call) -> list[ir.Instruction]:
        """`__LKMM_load(address, size, order)`."""
        type_ = self._type(call)
        result, after = self._result(call, type_)
        return [
            ir.Load(
                result=result,
                address=call.arguments[0],
                ordering=self._order(call, 2),
                align=type_.bits // 8,
                place=call.place,
            ),
            *after,
        ]

    def store(self, call: ir.Call) -> list[ir.Instruction]:
        """`__LKMM_store(address, size, value, order)`."""
        type_, done = self._type(call), list[ir.Instruction]()
        value = self._narrow(call, 2, type_, done)
        done.append(
            ir.Store(
                value=value,
                address=call.arguments[0],
                ordering=self._order(call, 3),
                align=type_.bits // 8,
                place=call.place,
            )
        )
        return done

    def exchange(self, call: ir.Call) -> list[ir.Instruction]:
        """`__LKMM_xchg(address, size, value, order)`."""
        return self._update(call, "xchg", self._order(call, 3))

    def change(self, call: ir.Call) -> list[ir.Instruction]:
        """`__LKMM_atomic_op(address, size, value, operation)`, without a result."""
        operation = self._constant_word(call, call.arguments[3], _OPERATIONS, "an operation")
        return self._update(call, operation, "Noreturn")

    def fetch(self, call: ir.Call) -> list[ir.Instruction]:
        """`__LKMM_atomic_fetch_op(address, size, value, order, operation)`: the old value."""
        operation = self._constant_word(call, call.arguments[4], _OPERATIONS, "an operation")
        return self._update(call, operation, self._order(call, 3))

    def fetch_new(self, call: ir.Call) -> list[ir.Instruction]:
        """`__LKMM_atomic_op_return(address, size, value, order, operation)`: the new value."""
        operation = self._constant_word(call, call.arguments[4], _OPERATIONS, "an operation")
        (wanted,) = call.results
        type_, done = self._type(call), list[ir.Instruction]()
        value, old, new = self._narrow(call, 2, type_, done), self._value(type_), self._value(type_)
        done += [
            self._make_update(call, old, operation, value, self._order(call, 3)),
            ir.Compute(result=new, operation=operation, operands=(old, value), place=call.place),
            ir.Compute(
                result=wanted,
                operation="bitcast" if type_ == _WORD else "sext",
                operands=(new,),
                place=call.place,
            ),
        ]
        return done

    def _update(self, call: ir.Call, operation: str, ordering: str) -> list[ir.Instruction]:
        type_, done = self._type(call), list[ir.Instruction]()
        value = self._narrow(call, 2, type_, done)
        old, after = self._result(call, type_) if call.results else (self._value(type_), [])
        return [*done, self._make_update(call, old, operation, value, ordering), *after]

    def _make_update(
        self, call: ir.Call, old: ir.Value, operation: str, value: ir.Operand, ordering: str
    ) -> ir.Update:
        return ir.Update(
            old=old,
            operation=operation,
            address=call.arguments[0],
            value=value,
            ordering=ordering,
            place=call.place,
        )

    def compare(self, call: ir.Call) -> list[ir.Instruction]:
        """`__LKMM_cmpxchg(address, size, expected, value, success, failure)`; failing orders nothing."""
        type_, done = self._type(call), list[ir.Instruction]()
        expected, new = (self._narrow(call, number, type_, done) for number in (2, 3))
        old, after = self._result(call, type_)
        done.append(
            ir.CompareExchange(
                old=old,
                done=self._value(ir.BOOL),
                address=call.arguments[0],
                expected=expected,
                new=new,
                success=self._order(call, 4),
                failure="Once",
                place=call.place,
            )
        )
        return [*done, *after]

    def fence(self, call: ir.Call) -> list[ir.Instruction]:
        """`__LKMM_fence(order)`."""
        word = self._constant_word(call, call.arguments[0], _FENCES, "a fence")
        return [ir.Fence(ordering=word, place=call.place)]


_MEANINGS: Mapping[str, Callable[[_Function, ir.Call], list[ir.Instruction]]] = {
    _PREFIX + "load": _Function.load,
    _PREFIX + "store": _Function.store,
    _PREFIX + "xchg": _Function.exchange,
    _PREFIX + "cmpxchg": _Function.compare,
    _PREFIX + "atomic_op": _Function.change,
    _PREFIX + "atomic_op_return": _Function.fetch_new,
    _PREFIX + "atomic_fetch_op": _Function.fetch,
    _PREFIX + "fence": _Function.fence,
}
NAMES = frozenset(_MEANINGS)
