"""Code IR as text, for people (`--print-after`) and for tests."""

from __future__ import annotations

from collections.abc import Sequence

from membar.code import ir


def print_module(module: ir.Module) -> str:
    """Everything in a module."""
    lines = [_object(item) for item in module.objects.values()]
    if module.constructors:
        lines.append(f"constructors {' '.join(f'&{name}' for name in module.constructors)}")
    for function in module.functions.values():
        lines += ["", *_function(function)]
    return "\n".join(lines).lstrip("\n") + "\n"


def _object(item: ir.Object) -> str:
    words = ["const"] if item.is_constant else ["object"]
    if item.is_thread_local:
        words.append("thread_local")
    words.append(f"@{item.name}: {item.size} bytes, align {item.align}")
    if item.content is None:
        words.append("external")
    elif any(item.content):
        words.append(f"= {item.content.hex()}")
    words += [f"[{offset}: {print_operand(target)}]" for offset, target in item.addresses]
    words += [f"[{first}..{end}: unset]" for first, end in item.unset]
    words += [
        f"[{each.offset}: {'piece ' * each.are_pieces}i{8 * each.size} * {each.count}]"
        for each in item.cells or ()
    ]
    return " ".join(words)


def _function(function: ir.Function) -> list[str]:
    parameters = [f"%{value.name}: {value.type}" for value in function.parameters]
    parameters += ["..."] * function.is_variadic
    results = f" -> {', '.join(map(str, function.results))}" if function.results else ""
    head = f"func &{function.name}({', '.join(parameters)}){results}"
    if function.never_returns:
        head += " noreturn"
    if not function.blocks:
        return [f"{head} external"]
    lines = [head]
    for block in function.blocks:
        values = ", ".join(f"%{value.name}: {value.type}" for value in block.parameters)
        lines.append(f"{block.name}({values}):" if values else f"{block.name}:")
        lines += [_line(item) for item in (*block.instructions, block.end)]
    return lines


def _line(item: ir.Instruction) -> str:
    text = f"  {print_instruction(item)}"
    if item.place is None:
        return text
    chain, place = [], item.place
    caller: ir.Place | None = place
    while caller is not None:
        chain.append(f"{caller.file.rsplit('/', 1)[-1]}:{caller.line}")
        caller = caller.caller
    return f"{text:<70} ; {' <- '.join(chain)}"


def print_operand(operand: ir.Operand) -> str:
    """An operand as it is written."""
    match operand:
        case ir.Value(name):
            return f"%{name}"
        case ir.Constant(value, type_):
            return "null" if isinstance(type_, ir.Ptr) and value == 0 else f"{value}"
        case ir.ObjectAddress(name, offset):
            return f"@{name} + {offset}" if offset else f"@{name}"
        case ir.FunctionAddress(name):
            return f"&{name}"
        case ir.Undefined(is_poison=is_poison):
            return "poison" if is_poison else "undef"


def _list(operands: Sequence[ir.Operand]) -> str:
    return ", ".join(map(print_operand, operands))


def _goto(target: ir.Goto) -> str:
    return f"{target.block}({_list(target.arguments)})" if target.arguments else target.block


def _access(ordering: str | None, *, is_volatile: bool) -> str:
    return "".join(f"{word} " for word in (ordering, "volatile" if is_volatile else None) if word)


def print_instruction(item: ir.Instruction) -> str:
    """An instruction as it is written, without its place."""
    match item:
        case ir.Compute(result=result, operation=operation, operands=operands, checks=checks):
            checked = f" checked({', '.join(checks)})" if checks else ""
            return f"%{result.name} = {operation} {result.type} {_list(operands)}{checked}"
        case ir.Index(result=result, base=base, index=index, stride=stride, count=count):
            bound = f" of {count}" if count is not None else ""
            step = f"{stride} * {print_operand(index)}{bound}"
            return f"%{result.name} = index {print_operand(base)} + {step}"
        case ir.Load(result=result, address=address):
            access = _access(item.ordering, is_volatile=item.is_volatile)
            return f"%{result.name} = load {access}{result.type} {print_operand(address)}"
        case ir.Store(value=value, address=address):
            access = _access(item.ordering, is_volatile=item.is_volatile)
            return f"store {access}{value.type} {print_operand(value)}, {print_operand(address)}"
        case ir.CompareExchange():
            words = "weak " * item.is_weak + "volatile " * item.is_volatile
            given = _list((item.address, item.expected, item.new))
            orders = f"{item.success} {item.failure}"
            return f"%{item.old.name}, %{item.done.name} = cas {words}{orders} {item.old.type} {given}"
        case ir.Update():
            access = _access(item.ordering, is_volatile=item.is_volatile)
            given = _list((item.address, item.value))
            return f"%{item.old.name} = update {item.operation} {access}{item.old.type} {given}"
        case ir.Fence(ordering=ordering, is_signal=is_signal):
            return f"fence {'signal ' * is_signal}{ordering}"
        case _:
            return _other(item)


def _other(item: ir.Instruction) -> str:
    match item:
        case ir.Slot():
            count = "" if item.count is None else f" * {print_operand(item.count)}"
            variable = f" {item.variable}" if item.variable else ""
            return f"%{item.result.name} = slot {item.size}{count} align {item.align}{variable}"
        case ir.Lifetime(slot=slot, begins=begins):
            return f"{'begin' if begins else 'end'} {print_operand(slot)}"
        case ir.Copy():
            word = "move" if item.may_overlap else "copy"
            access = "volatile " * item.is_volatile
            return f"{word} {access}{_list((item.target, item.source, item.length))}"
        case ir.Fill():
            return f"fill {'volatile ' * item.is_volatile}{_list((item.target, item.byte, item.length))}"
        case ir.Call(results=results, callee=callee, arguments=arguments):
            given = f"{', '.join(f'%{each.name}' for each in results)} = " if results else ""
            return f"{given}call {print_operand(callee)}({_list(arguments)})"
        case ir.Assembly():
            given = f"{', '.join(f'%{each.name}' for each in item.results)} = " if item.results else ""
            return f"{given}asm {item.template!r} {item.constraints!r} ({_list(item.operands)})"
        case ir.Jump(target=target):
            return f"jump {_goto(target)}"
        case ir.Branch(condition=condition, then=then, otherwise=otherwise):
            return f"branch {print_operand(condition)}, {_goto(then)}, {_goto(otherwise)}"
        case ir.Switch():
            cases = "".join(f"{value}: {_goto(target)}, " for value, target in item.cases)
            return f"switch {print_operand(item.value)} {{ {cases}else: {_goto(item.default)} }}"
        case ir.Return(values=values):
            return f"return {_list(values)}".rstrip()
        case ir.Unreachable():
            return "unreachable"
        case _:
            raise AssertionError(item)
