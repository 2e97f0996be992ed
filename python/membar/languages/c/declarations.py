"""Declarations: types from their syntax, variables with their initialisers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from pycparser import c_ast as ast

from membar.languages.c import codes, contents, layout, liveness, marks, wholes
from membar.languages.c import types as t
from membar.languages.c.initialisers import Initialisers, is_text
from membar.languages.c.literals import string_bytes
from membar.languages.c.machine import Machine
from membar.languages.c.values import UNSET, Aggregate, Slot, Value, is_constant, known
from membar.languages.c.world import Declared, Defined, Enumerator, Named, Object, Place
from membar.program.expr import FALSE, TRUE, Address, Constant, Expr, signed
from membar.program.program import Value as Initial

# Types of libraries that are one integer in memory, and that only library functions look into.
ANY: Final = "__membar_any"
"""How many threads there are, where that is any number."""
OPAQUE: Final = {
    "pthread_mutex_t": 4,
    "mtx_t": 4,
    "pthread_t": 8,
    "thrd_t": 8,
    "spinlock_t": 4,
    "raw_spinlock_t": 4,
    "spinlock": 4,
    "once_flag": 4,
    "pthread_once_t": 4,
    "pthread_rwlock_t": 4,
    "pthread_spinlock_t": 4,
    "pthread_cond_t": 8,
    "cnd_t": 8,
    "pthread_barrier_t": 8,
    "sem_t": 4,
}
HANDLES: Final = frozenset({"pthread_t", "thrd_t"})
_MOST_SCALARS: Final = 10_000
_LARGEST_ALIGNMENT: Final = 4096


class Declarations:
    """Types and variables, for one machine. `value` evaluates expressions, which may stand in both."""

    def __init__(self, machine: Machine, value: Callable[[ast.Node], Value | Aggregate]) -> None:
        self._m = machine
        self._value = value
        self._initialisers = Initialisers(machine, value, self.number)

    # Types

    def type_of(self, node: ast.Node) -> t.CType:
        """The type that a declarator, type name or specifier means."""
        match node:
            case ast.Typename() | ast.Decl() | ast.Typedef() | ast.AttributedType():
                return self.type_of(node.type)
            case ast.TypeDecl():
                return self._qualified(self.type_of(node.type), node.quals, node)
            case ast.PtrDecl():
                return self._qualified(t.Pointer(self.type_of(node.type)), node.quals, node)
            case ast.ArrayDecl():
                return self._array(node)
            case ast.FuncDecl():
                return self._function(node)
            case ast.IdentifierType():
                return self._named(node)
            case ast.Struct() | ast.Union():
                return self._structure(node)
            case ast.Enum():
                return self._enumeration(node)
            case ast.TypeOf():
                return self._type_of_expression(node)
            case _:
                self._m.refuse(node, f"a type `{type(node).__name__}`")

    def _qualified(self, kind: t.CType, quals: list[str] | None, node: ast.Node) -> t.CType:
        if "_Atomic" in (quals or ()) and not isinstance(kind, t.Atomic):
            if isinstance(kind, t.Array | t.Function):
                self._m.refuse(node, "an atomic array or function")
            if isinstance(kind, t.Opaque):
                return kind
            return t.Atomic(kind)
        return kind

    def _array(self, node: ast.ArrayDecl) -> t.Array:
        element = self.type_of(node.type)
        if isinstance(element, t.Function | t.Void):
            self._m.refuse(node, f"an array of `{t.spelled(element)}`", codes.TYPE)
        if node.dim is None:
            return t.Array(element, None)
        if self._m.world.is_any and isinstance(node.dim, ast.ID) and node.dim.name == ANY:
            if not t.is_scalar(element):
                self._m.refuse(node, f"an array of `{t.spelled(element)}` with an element per thread")
            return t.Array(element, 1, is_per_thread=True)
        count = self._length(node.dim)
        if not 0 <= count <= _MOST_SCALARS:
            self._m.refuse(node, f"an array of {count} elements", codes.TYPE)
        return t.Array(element, count)

    def _length(self, node: ast.Node) -> int:
        """The number of elements of an array; in a function it need only be known here."""
        if not self._m.frames or self._m.is_constant_only:
            return self.number(node, "the size of an array")
        value = self._value(node)
        number = known(value.expr) if isinstance(value, Value) else None
        if number is None:
            if not self._m.flow.is_dead:
                contents.needed_to_go_on(self._m)
            self._m.refuse(node, "the size of an array is not known before the program runs", codes.CONSTANT)
        return signed(number)

    def number(self, node: ast.Node, what: str) -> int:
        """The value of a constant expression."""
        value = self.constant(node)
        number = known(value.expr) if isinstance(value, Value) else None
        if number is None:
            self._m.refuse(node, f"{what} is not known before the program runs", codes.CONSTANT)
        return signed(number)

    def constant(self, node: ast.Node) -> Value | Aggregate:
        """The value of an expression that may not look at variables in memory."""
        before, self._m.is_constant_only = self._m.is_constant_only, True
        try:
            return self._value(node)
        finally:
            self._m.is_constant_only = before

    def _function(self, node: ast.FuncDecl) -> t.Function:
        result = self.type_of(node.type)
        if isinstance(result, t.Array | t.Function):
            self._m.refuse(node, f"a function that returns `{t.spelled(result)}`", codes.TYPE)
        if node.args is None:
            return t.Function(result, None)
        parameters: list[t.CType] = []
        is_variadic = False
        for item in node.args.params:
            if isinstance(item, ast.EllipsisParam):
                is_variadic = True
            elif isinstance(item, ast.ID):
                self._m.refuse(item, "an old-style parameter list")
            else:
                parameters.append(self._parameter(item))
        if parameters == [t.VOID]:
            parameters = []
        return t.Function(result, tuple(parameters), is_variadic)

    def _parameter(self, node: ast.Node) -> t.CType:
        """The type of a parameter; how long an array is does not matter, and may be said by another one."""
        kind = node.type
        if isinstance(kind, ast.ArrayDecl):
            return t.Pointer(self.type_of(kind.type))
        return self.adjusted(self.type_of(node))

    @staticmethod
    def adjusted(kind: t.CType) -> t.CType:
        """The type of a parameter: arrays and functions are pointers."""
        match kind:
            case t.Array(element=element):
                return t.Pointer(element)
            case t.Function():
                return t.Pointer(kind)
            case _:
                return kind

    def _named(self, node: ast.IdentifierType) -> t.CType:
        found = t.named(node.names)
        if found is not None:
            return found
        if len(node.names) == 1:
            name = node.names[0]
            if name in OPAQUE:
                return t.Opaque(name, OPAQUE[name])
            symbol = self._m.scope.find(name)
            if isinstance(symbol, Named):
                return symbol.type
        words = " ".join(node.names)
        if {"float", "double", "_Complex"} & set(node.names):
            self._m.refuse(node, f"floating-point type `{words}`")
        if "__int128" in node.names:
            self._m.refuse(node, "integers of 128 bits")
        self._m.refuse(node, f"unknown type `{words}`", codes.TYPE)

    def _structure(self, node: ast.Struct | ast.Union) -> t.CType:
        scope = self._m.scope
        if id(node) in scope.structures:
            return scope.structures[id(node)]
        is_union = isinstance(node, ast.Union)
        tag = node.name or ""
        found = scope.find_tag(tag) if node.decls is None else scope.tags.get(tag)
        if not tag or found is None:
            found = t.Structure(tag, is_union)
            if tag:
                scope.tags[tag] = found
        if not isinstance(found, t.Structure) or found.is_union != is_union:
            self._m.refuse(node, f"`{tag}` is another kind of tag", codes.TYPE)
        if node.decls is not None:
            if found.members is not None:
                self._m.refuse(node, f"`{tag}` is declared twice", codes.NAME)
            scope.structures[id(node)] = found
            try:
                layout.complete(found, list(self._members(node)))
            except layout.RunError:
                self._m.refuse(node, "bit fields side by side that do not fit into one word of 64 bits")
        return found

    def _members(self, node: ast.Struct | ast.Union) -> Iterator[layout.Asked]:
        for item in node.decls or ():
            if not isinstance(item, ast.Decl):
                continue
            kind = self.type_of(item.type)
            if item.bitsize is not None:
                yield layout.Asked(item.name or "", kind, width=self.number(item.bitsize, "a width"))
                continue
            is_tail = isinstance(kind, t.Array) and isinstance(node, ast.Struct) and item is node.decls[-1]
            if t.size_of(kind) is None and not (is_tail and len(node.decls) > 1):
                self._m.refuse(item, f"a member of the incomplete type `{t.spelled(kind)}`", codes.TYPE)
            least = max(map(self._alignment, item.align or ()), default=0)
            yield layout.Asked(item.name or "", kind, least)

    def _alignment(self, node: ast.Alignas) -> int:
        if isinstance(node.alignment, ast.Typename):
            return t.alignment_of(self.type_of(node.alignment))
        number = self.number(node.alignment, "an alignment")
        if number < 0 or number & (number - 1) or number > _LARGEST_ALIGNMENT:
            message = f"an alignment that is no power of two up to {_LARGEST_ALIGNMENT}"
            self._m.refuse(node, message, codes.TYPE)
        return number

    def _enumeration(self, node: ast.Enum) -> t.CType:
        scope = self._m.scope
        if node.values is None:
            found = scope.find_tag(node.name or "")
            if found is None:
                self._m.refuse(node, f"unknown enumeration `{node.name}`", codes.TYPE)
            return found
        numbers = []
        number = -1
        for item in node.values.enumerators:
            if not isinstance(item, ast.Enumerator):
                continue
            number = number + 1 if item.value is None else self.number(item.value, "an enumerator")
            numbers.append(number)
            scope.symbols[item.name] = Enumerator(number)
        kind = t.INT if min(numbers, default=0) < 0 else t.UINT
        if numbers and not -(1 << 31) <= min(numbers) <= max(numbers) < 1 << 32:
            kind = t.LONG
        if node.name:
            scope.tags[node.name] = kind
        return kind

    def _type_of_expression(self, node: ast.TypeOf) -> t.CType:
        if isinstance(node.expr, ast.Typename):
            return self.type_of(node.expr)
        return self.static_type(node.expr)

    def static_type(self, node: ast.Node) -> t.CType:
        """The type of an expression, which is not evaluated."""
        return self._m.type_of_expression(node)

    # Variables

    def declare(self, node: ast.Node, *, is_global: bool = False) -> Object | None:
        """Does a declaration; gives the object, if it makes one."""
        match node:
            case ast.Typedef():
                if node.name in OPAQUE:
                    return None
                self._m.scope.symbols[node.name] = Named(self.type_of(node.type))
                return None
            case ast.Decl(name=None):
                self.type_of(node.type)
                return None
            case ast.Decl():
                return self._declared(node, is_global=is_global)
            case ast.StaticAssert():
                if not self.number(node.cond, "a static assertion"):
                    words = node.message.value if node.message is not None else "static assertion"
                    self._m.refuse(node, f"{words} fails", codes.CONSTANT)
                return None
            case ast.Pragma() | ast.AttributeDeclaration() | ast.EmptyStatement():
                return None
            case _:
                self._m.refuse(node, f"`{type(node).__name__}` as a declaration")

    def _declared(self, node: ast.Decl, *, is_global: bool) -> Object | None:
        kind = self.type_of(node.type)
        scope = self._m.scope
        if isinstance(kind, t.Function):
            if not isinstance(scope.find(node.name), Defined):
                scope.symbols[node.name] = Declared(node.name, kind)
            return None
        before = scope.symbols.get(node.name)
        is_elsewhere = "extern" in node.storage and not is_global
        is_again = isinstance(before, Object) and (is_global or (is_elsewhere and before.label == node.name))
        if before is not None and not is_again:
            self._m.refuse(node, f"`{node.name}` is declared twice", codes.NAME)
        if is_elsewhere:
            return self._declared_elsewhere(node, kind)
        is_static = is_global or "static" in node.storage
        kind = self._completed(kind, node)
        if "_Thread_local" in node.storage:
            return self._thread_local(node, kind, is_static=is_static)
        if is_again and isinstance(before, Object):
            item = self._declared_again(before, kind, node)
        elif is_static and not is_global:
            found = self._m.world.objects.get(self._static_label(node))
            if found is not None:
                scope.symbols[node.name] = found
                return found
            item = self._new(node, kind, is_static=True)
        else:
            item = self._new(node, kind, is_static=is_static)
        scope.symbols[node.name] = item
        if is_static:
            if node.init is not None:
                item.initial = self._initial(item, node.init)
                if isinstance(kind, t.Array) and kind.is_per_thread and any(item.initial.values()):
                    self._m.refuse(node, "initial values for some of any number of threads", codes.CONSTANT)
        else:
            self._begin(item, node)
        return item

    def _thread_local(self, node: ast.Decl, kind: t.CType, *, is_static: bool) -> Object:
        """A variable of which each thread has its own: what is declared only says how they begin."""
        m = self._m
        if not is_static or (isinstance(kind, t.Array) and kind.is_per_thread):
            m.refuse(node, "a thread-local variable that is not static", codes.TYPE)
        label = node.name if not m.frames else self._static_label(node)
        known_as = m.scope.symbols.get(node.name) or next(
            (item for item in m.world.thread_locals if item.label == label), None
        )
        if isinstance(known_as, Object):
            item = known_as
        else:
            item = Object(
                label=label,
                name=node.name,
                type=kind,
                declared=id(node),
                in_memory=False,
                is_global=not m.frames,
                is_thread_local=True,
                span=m.span(node),
            )
            item.lay_out()
            m.world.thread_locals.append(item)
        if node.init is not None:
            item.initial = self._initial(item, node.init)
        m.scope.symbols[node.name] = item
        return item

    def _declared_again(self, item: Object, kind: t.CType, node: ast.Decl) -> Object:
        """A global variable that is declared once more; this declaration may say how long an array is."""
        if isinstance(kind, t.Array) and item.type == t.Array(kind.element, 0):
            item.type = kind
            item.lay_out()
        elif item.type != kind and kind != t.Array(getattr(item.type, "element", t.VOID), 0):
            self._m.refuse(node, f"`{node.name}` is declared with another type", codes.TYPE)
        return item

    def _declared_elsewhere(self, node: ast.Decl, kind: t.CType) -> Object:
        """`extern` in a block: the global variable of that name, whatever a block around it calls so."""
        if node.init is not None:
            self._m.refuse(node, f"`{node.name}` is extern in a block and has a value", codes.TYPE)
        found = self._m.world.scope.symbols.get(node.name)
        if found is None:
            self._m.refuse(
                node, f"`{node.name}` is extern, but no file of the program defines it", codes.NAME
            )
        if not isinstance(found, Object) or not _is_compatible(kind, found.type):
            self._m.refuse(node, f"`{node.name}` is declared with another type", codes.TYPE)
        self._m.scope.symbols[node.name] = found
        return found

    def _static_label(self, node: ast.Decl) -> str:
        function = self._m.frames[-1].function if self._m.frames else ""
        return f"{function}.{node.name}@{id(node)}"

    def _new(self, node: ast.Decl, kind: t.CType, *, is_static: bool) -> Object:
        m = self._m
        world = m.world
        is_handle = _is_handle(kind)
        declared = id(node)
        if is_static and not m.frames:
            label = name = node.name
        else:
            function = m.frames[-1].function if m.frames else ""
            name = f"{function}.{node.name}"
            label = self._static_label(node) if is_static else f"{m.name}/{name}"
        in_memory = (is_static and not (is_handle and not m.frames)) or declared in world.before.escaped
        return world.new_object(
            Object(
                label=label,
                name=name if in_memory or is_static else node.name,
                type=kind,
                declared=declared,
                in_memory=in_memory,
                is_global=is_static and not m.frames,
                span=m.span(node),
            )
        )

    def _completed(self, kind: t.CType, node: ast.Decl) -> t.CType:
        """The type with its size, which an initialiser may say."""
        if isinstance(kind, t.Array) and kind.count is None and node.init is not None:
            kind = t.Array(kind.element, self._count(kind.element, node.init))
        size = t.size_of(kind)
        if size is None:
            if "extern" in node.storage and isinstance(kind, t.Array):
                return t.Array(kind.element, 0)
            self._m.refuse(node, f"`{node.name}` has the incomplete type `{t.spelled(kind)}`", codes.TYPE)
        if size > 8 * _MOST_SCALARS:
            self._m.refuse(node, f"`{node.name}` has {size} bytes", codes.TYPE)
        return kind

    def _count(self, element: t.CType, init: ast.Node) -> int:
        if isinstance(init, ast.Constant) and init.type == "string":
            return len(string_bytes(init.value)) + 1
        if not isinstance(init, ast.InitList):
            self._m.refuse(init, "an array without a list of values", codes.TYPE)
        return self._initialisers.count(t.Array(element, None), init)

    def _begin(self, item: Object, node: ast.Decl) -> None:
        """What a local variable holds from here on."""
        m = self._m
        m.begin_life(item, is_set=node.init is not None or m.world.is_any)
        if not item.in_memory:
            m.flow.put_all({item.key(offset): UNSET for offset in item.places})
        elif node.init is None and not m.world.is_any:
            liveness.begin_unset(m, item, node)
            marks.begin_unset(m, item, node)
        if node.init is None:
            return
        if not isinstance(node.init, ast.InitList) and not is_text(item.type, node.init):
            self._begin_with(item, self._value(node.init), node)
            return
        values = self._initialisers.given(item.type, node.init)
        given = wholes.given(m, item.kinds, values, node)
        for offset, kind in m.scalars(item.type):
            slot = given.get(offset, Slot(FALSE))
            m.write(Place(Address(item.label, offset), _plain(kind)), Value(slot.expr, _plain(kind)), node)
            if slot.defined != TRUE and not item.in_memory:
                m.flow.put(item.key(offset), slot)

    def _begin_with(self, item: Object, value: Value | Aggregate, node: ast.Decl) -> None:
        whole = t.whole_of(item.type)
        place = Place(Address(item.label), _plain(item.type))
        if whole is not None:
            place, value = (
                Place(Address(item.label, whole.shift), whole),
                wholes.packed(self._m, value, whole, node),
            )
        self._m.write(place, value, node)

    def _initial(self, item: Object, init: ast.Node) -> dict[int, Initial]:
        """The initial contents of an object that is there from the beginning."""
        before, self._m.is_constant_only = self._m.is_constant_only, True
        try:
            found: dict[int, Initial] = {}
            values = self._initialisers.given(item.type, init)
            given = wholes.given(self._m, item.kinds, values, init)
            for offset, slot in given.items():
                if not is_constant(slot.expr):
                    self._m.refuse(init, "an initial value that is not constant", codes.CONSTANT)
                found[offset] = _initial_value(slot.expr)
            return found
        finally:
            self._m.is_constant_only = before


def _is_handle(kind: t.CType) -> bool:
    while isinstance(kind, t.Array):
        kind = kind.element
    return isinstance(kind, t.Opaque) and kind.name in HANDLES


def _is_compatible(kind: t.CType, defined: t.CType) -> bool:
    """Whether a further declaration may say this type; it may leave open how long an array is."""
    if isinstance(kind, t.Array) and isinstance(defined, t.Array) and kind.count is None:
        return kind.element == defined.element
    return kind == defined


def _plain(kind: t.CType) -> t.CType:
    """Initialising is no atomic operation."""
    return t.unqualified(kind)


def _initial_value(expr: Expr) -> Initial:
    assert isinstance(expr, Constant | Address)
    return expr if isinstance(expr, Address) else expr.value
