"""A module as text of LLVM IR again, without attributes and metadata.

The compiler accepts what is printed; read again, it is the same module. The tests rely on both.
"""

from __future__ import annotations

from membar.languages.compiled.llvm import module as ir
from membar.languages.compiled.llvm.operands import OPENINGS
from membar.languages.compiled.llvm.types import (
    Array,
    Integer,
    Named,
    Pointer,
    Signature,
    Simple,
    Struct,
    Type,
    Vector,
)
from membar.source import pattern

_PLAIN_NAME = pattern(r"[-a-zA-Z$._][-a-zA-Z$._0-9]*|[0-9]+")


def print_module(module: ir.Module, *, only: frozenset[str] | None = None) -> str:
    """The text of a module; with `only`, of these functions."""
    lines = []
    if module.source_name:
        lines.append(f"source_filename = {_quote(module.source_name)}")
    if module.layout.text:
        lines.append(f'target datalayout = "{module.layout.text}"')
    if module.triple:
        lines.append(f'target triple = "{module.triple}"')
    lines += [f"module asm {_quote(text)}" for text in module.assembly]
    lines += ["", *(f"{_local(name)} = type {print_type(type_)}" for name, type_ in module.types.items())]
    lines += ["", *(_variable(item) for item in module.variables.values())]
    lines += [_alias(item) for item in module.aliases.values()]
    for function in module.functions.values():
        if only is None or function.name in only:
            lines += ["", *_function(function)]
    return "\n".join(lines) + "\n"


def print_type(type_: Type) -> str:
    """A type as it is written."""
    match type_:
        case Simple(name):
            return name
        case Integer(bits):
            return f"i{bits}"
        case Pointer(pointee, space):
            if pointee is None:
                return f"ptr addrspace({space})" if space else "ptr"
            return f"{print_type(pointee)} addrspace({space})*" if space else f"{print_type(pointee)}*"
        case Array(count, element):
            return f"[{count} x {print_type(element)}]"
        case Vector(count, element, is_scalable):
            return f"<{'vscale x ' * is_scalable}{count} x {print_type(element)}>"
        case Struct(fields, is_packed):
            body = f"{{ {', '.join(map(print_type, fields))} }}" if fields else "{}"
            return f"<{body}>" if is_packed else body
        case Named(name):
            return _local(name)
        case Signature(result, parameters, is_variadic):
            words = [print_type(item) for item in parameters] + ["..."] * is_variadic
            return f"{print_type(result)} ({', '.join(words)})"
    raise AssertionError(type_)


def _name(name: str) -> str:
    if _PLAIN_NAME.fullmatch(name):
        return name
    return _quote(name)


def _quote(text: str) -> str:
    return f'"{_escape(text.encode())}"'


def _escape(content: bytes) -> str:
    return "".join(
        chr(byte) if 32 <= byte < 127 and byte not in b'"\\' else f"\\{byte:02X}" for byte in content
    )


def _local(name: str) -> str:
    return f"%{_name(name)}"


def _operand(value: ir.Operand) -> str:
    match value:
        case ir.Local(name):
            return _local(name)
        case ir.Global(name):
            return f"@{_name(name)}"
        case ir.Number(number):
            return str(number)
        case ir.Word(text) | ir.MetadataOperand(text):
            return text
        case ir.Bytes(content):
            return f'c"{_escape(content)}"'
        case ir.Aggregate(opening, elements):
            return f"{opening} {', '.join(map(_typed_text, elements))} {OPENINGS[opening]}"
        case ir.BlockAddress(function, block):
            return f"blockaddress(@{_name(function)}, {_local(block)})"
        case ir.InlineAssembly(template, constraints, flags):
            words = "".join(f"{flag} " for flag in flags)
            return f"asm {words}{_quote(template)}, {_quote(constraints)}"
        case ir.ConstantExpression():
            return _expression(value)
    raise AssertionError(value)


def _expression(value: ir.ConstantExpression) -> str:
    words = "".join(f"{flag} " for flag in value.flags)
    operands = ", ".join(map(_typed_text, value.operands))
    if value.operation == "getelementptr" and value.type is not None:
        operands = f"{print_type(value.type)}, {operands}"
    elif value.type is not None:
        operands = f"{operands} to {print_type(value.type)}"
    return f"{value.operation} {words}({operands})"


def _typed_text(value: ir.Typed) -> str:
    # `true` and `false` are the only way to write some one-bit constants.
    if value.type == Integer(1) and isinstance(value.value, ir.Number):
        return f"i1 {'true' if value.value.value & 1 else 'false'}"
    return f"{print_type(value.type)} {_operand(value.value)}"


def _bare(type_: Type, value: ir.Operand) -> str:
    """An operand whose type stands elsewhere."""
    return _typed_text(ir.Typed(type_, value)).removeprefix(f"{print_type(type_)} ")


def _variable(item: ir.Variable) -> str:
    linkage = item.linkage if item.linkage != "external" or item.initialiser is None else ""
    words = [linkage, "thread_local" * item.is_thread_local, "constant" if item.is_constant else "global"]
    text = f"@{_name(item.name)} = {' '.join(filter(None, words))} {print_type(item.type)}"
    if item.initialiser is not None:
        text += f" {_bare(item.type, item.initialiser)}"
    return text if item.align is None else f"{text}, align {item.align}"


def _alias(item: ir.Alias) -> str:
    linkage = "" if item.linkage == "external" else f"{item.linkage} "
    kind = "ifunc" if item.is_resolver else "alias"
    return f"@{_name(item.name)} = {linkage}{kind} {print_type(item.type)}, {_typed_text(item.target)}"


def _function(function: ir.Function) -> list[str]:
    word = "define" if function.is_defined else "declare"
    linkage = "" if function.linkage == "external" else f"{function.linkage} "
    convention = "" if function.convention == "ccc" else f"{function.convention} "
    parameters = [_parameter(item, is_named=function.is_defined) for item in function.parameters]
    parameters += ["..."] * function.is_variadic
    head = (
        f"{word} {linkage}{convention}{print_type(function.result)} @{_name(function.name)}"
        f"({', '.join(parameters)}){' noreturn' * function.is_noreturn}"
    )
    if not function.is_defined:
        return [head]
    if function.personality is not None:
        head += f" personality {_typed_text(function.personality)}"
    lines = [f"{head} {{"]
    for block in function.blocks:
        lines.append(f"{_name(block.name)}:")
        lines += [f"  {print_instruction(item)}" for item in block.instructions if not _is_debug(item)]
    return [*lines, "}"]


def _is_debug(instruction: ir.Instruction) -> bool:
    return isinstance(instruction, ir.DebugDeclare)


def _parameter(item: ir.Parameter, *, is_named: bool) -> str:
    words = [print_type(item.type)]
    if item.by_value is not None:
        words.append(f"byval({print_type(item.by_value)})")
    if item.returns_through is not None:
        words.append(f"sret({print_type(item.returns_through)})")
    return " ".join([*words, _local(item.name)] if is_named else words)


def print_instruction(item: ir.Instruction) -> str:
    """An instruction as it is written, without attributes and metadata."""
    text = _instruction(item)
    return text if item.result is None else f"{_local(item.result)} = {text}"


def _flags(words: tuple[str, ...]) -> str:
    return "".join(f"{word} " for word in words)


def _align(align: int | None) -> str:
    return "" if align is None else f", align {align}"


def _order(ordering: str | None, scope: str | None) -> str:
    scoped = "" if scope is None else f' syncscope("{scope}")'
    return "" if ordering is None else f"{scoped} {ordering}"


def _access(item: ir.Load | ir.Store) -> str:
    return "atomic " * (item.ordering is not None) + "volatile " * item.is_volatile


def _instruction(item: ir.Instruction) -> str:
    match item:
        case ir.Alloca():
            count = "" if item.count is None else f", {_typed_text(item.count)}"
            return f"alloca {print_type(item.type)}{count}{_align(item.align)}"
        case ir.Load():
            order = _order(item.ordering, item.scope)
            address = f"{print_type(item.type)}, {_typed_text(item.address)}{order}{_align(item.align)}"
            return f"load {_access(item)}{address}"
        case ir.Store():
            order = _order(item.ordering, item.scope)
            address = f"{_typed_text(item.value)}, {_typed_text(item.address)}{order}{_align(item.align)}"
            return f"store {_access(item)}{address}"
        case ir.Fence():
            return f"fence{_order(item.ordering, item.scope)}"
        case ir.CompareExchange():
            words = "weak " * item.is_weak + "volatile " * item.is_volatile
            operands = ", ".join(map(_typed_text, (item.address, item.expected, item.new)))
            order = f"{_order(item.success, item.scope)} {item.failure}{_align(item.align)}"
            return f"cmpxchg {words}{operands}{order}"
        case ir.AtomicUpdate():
            words = "volatile " * item.is_volatile + item.operation
            order = f"{_order(item.ordering, item.scope)}{_align(item.align)}"
            return f"atomicrmw {words} {_typed_text(item.address)}, {_typed_text(item.value)}{order}"
        case ir.ElementAddress():
            operands = ", ".join(map(_typed_text, (item.base, *item.indices)))
            return f"getelementptr {_flags(item.flags)}{print_type(item.type)}, {operands}"
        case _:
            return _computation(item)


def _computation(item: ir.Instruction) -> str:
    match item:
        case ir.Binary():
            pair = f"{_bare(item.type, item.left)}, {_bare(item.type, item.right)}"
            return f"{item.operation} {_flags(item.flags)}{print_type(item.type)} {pair}"
        case ir.Unary():
            return f"{item.operation} {_flags(item.flags)}{_typed_text(item.operand)}"
        case ir.Cast():
            return (
                f"{item.operation} {_flags(item.flags)}{_typed_text(item.operand)} to {print_type(item.type)}"
            )
        case ir.Compare():
            pair = f"{_bare(item.type, item.left)}, {_bare(item.type, item.right)}"
            flags = _flags(item.flags)
            return f"{item.operation} {flags}{item.predicate} {print_type(item.type)} {pair}"
        case ir.Select():
            operands = ", ".join(map(_typed_text, (item.condition, item.then, item.otherwise)))
            return f"select {_flags(item.flags)}{operands}"
        case ir.Phi():
            pairs = (f"[ {_bare(item.type, value)}, {_local(block)} ]" for value, block in item.incoming)
            return f"phi {_flags(item.flags)}{print_type(item.type)} {', '.join(pairs)}"
        case ir.ExtractValue():
            return f"extractvalue {_typed_text(item.aggregate)}, {', '.join(map(str, item.path))}"
        case ir.InsertValue():
            path = ", ".join(map(str, item.path))
            return f"insertvalue {_typed_text(item.aggregate)}, {_typed_text(item.value)}, {path}"
        case ir.VectorOperation():
            return f"{item.operation} {', '.join(map(_typed_text, item.operands))}"
        case ir.VariadicArgument():
            return f"va_arg {_typed_text(item.operand)}, {print_type(item.type)}"
        case _:
            return _control(item)


def _control(item: ir.Instruction) -> str:
    match item:
        case ir.Call():
            return f"call {_call(item)}"
        case ir.Invoke():
            return (
                f"invoke {_call(item.call)} to label {_local(item.normal)} unwind label {_local(item.unwind)}"
            )
        case ir.LandingPad():
            clauses = "".join(f" {word} {_typed_text(value)}" for word, value in item.clauses)
            return f"landingpad {print_type(item.type)}{' cleanup' * item.is_cleanup}{clauses}"
        case ir.Return():
            return "ret void" if item.value is None else f"ret {_typed_text(item.value)}"
        case ir.Jump():
            return f"br label {_local(item.target)}"
        case ir.Branch():
            targets = f"label {_local(item.then)}, label {_local(item.otherwise)}"
            return f"br {_typed_text(item.condition)}, {targets}"
        case ir.Switch():
            cases = " ".join(f"{_typed_text(value)}, label {_local(block)}" for value, block in item.cases)
            return f"switch {_typed_text(item.value)}, label {_local(item.default)} [ {cases} ]"
        case ir.IndirectBranch():
            targets = ", ".join(f"label {_local(block)}" for block in item.targets)
            return f"indirectbr {_typed_text(item.address)}, [{targets}]"
        case ir.Resume():
            return f"resume {_typed_text(item.value)}"
        case ir.Unreachable():
            return "unreachable"
        case ir.DebugDeclare():
            return f"; debug {item.kind}"
        case _:
            raise AssertionError(item)


def _call(item: ir.Call) -> str:
    convention = "" if item.convention == "ccc" else f"{item.convention} "
    type_ = item.type if item.signature is None else item.signature
    by_value = dict(item.by_value)
    arguments = []
    for index, argument in enumerate(item.arguments):
        text = _typed_text(argument)
        if index in by_value:
            kind = print_type(argument.type)
            text = f"{kind} byval({print_type(by_value[index])}){text.removeprefix(kind)}"
        arguments.append(text)
    callee = f"{print_type(type_)} {_operand(item.callee)}"
    return f"{_flags(item.flags)}{convention}{callee}({', '.join(arguments)})"
