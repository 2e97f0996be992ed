"""The constraints of declarations (C 6.7, 6.9)."""

from __future__ import annotations

from typing import Final

from pycparser import c_ast as ast

from membar.languages.c import codes
from membar.languages.c.constraints import constant
from membar.languages.c.constraints.initialisers import Initialisers
from membar.languages.c.constraints.kinds import (
    UNKNOWN,
    Array,
    Function,
    Kind,
    Nothing,
    are_same,
    is_complete,
    spelled,
)
from membar.languages.c.constraints.names import Meaning
from membar.languages.c.declarations import OPAQUE
from membar.languages.c.literals import string_bytes

_CLASSES: Final = ("typedef", "extern", "static", "auto", "register")


class Declarations(Initialisers):
    """The declarations of one file."""

    def declare(self, node: ast.Node) -> None:
        """Looks at a declaration, and remembers its name."""
        match node:
            case ast.Typedef():
                self._typedef(node)
            case ast.Decl(name=None):
                self.type_of(node.type)
            case ast.Decl():
                self._variable(node)
            case ast.StaticAssert():
                self.constant(node.cond, "a static assertion")
            case _:
                pass

    def _typedef(self, node: ast.Typedef) -> None:
        kind = self.type_of(node.type)
        if node.name in OPAQUE or node.name == "atomic_flag":
            return
        before = self.names.here.names.get(node.name)
        if before is not None and (before.what != "type" or not are_same(before.kind, kind)):
            self.names.report(node, f"`{node.name}` is declared twice", codes.NAME)
        self.names.here.names[node.name] = Meaning("type", kind)

    def _variable(self, node: ast.Decl) -> None:
        self._storage(node)
        kind = self.type_of(node.type)
        if isinstance(kind.shape, Function):
            self.function(node, kind)
            return
        is_static = self.names.is_outside or bool({"static", "extern"} & set(node.storage))
        if isinstance(kind.shape, Nothing):
            words = f"`{node.name}` has the incomplete type `void`"
            self.names.report(node, words, codes.TYPE, "a type whose size is known")
            kind = UNKNOWN
        kind = self._with_count(kind, node)
        self._remember(node, kind, is_static=is_static)
        if node.init is not None:
            self._begin(node, kind, is_static=is_static)
        elif not is_complete(kind) and "extern" not in node.storage and not self._may_be_completed(kind):
            words = f"`{node.name}` has the incomplete type `{spelled(kind)}`"
            self.names.report(node, words, codes.TYPE, "a type whose size is known")

    def _may_be_completed(self, kind: Kind) -> bool:
        """Whether a later declaration may say how large it is."""
        return self.names.is_outside and not isinstance(kind.shape, Nothing)

    def _storage(self, node: ast.Decl) -> None:
        classes = [word for word in node.storage if word in _CLASSES]
        if len(set(node.storage)) < len(node.storage):
            self.names.report(node, f"`{node.name}` has the same storage class twice", codes.TYPE)
        if len(classes) > 1:
            self.names.report(node, f"`{' '.join(classes)}` at once", codes.TYPE, "one of them")
        if self.names.is_outside and {"auto", "register"} & set(classes):
            self.names.report(node, f"`{classes[0]}` outside a function", codes.TYPE)

    def _with_count(self, kind: Kind, node: ast.Decl) -> Kind:
        """An array whose length its initial value says."""
        if not isinstance(kind.shape, Array) or not kind.shape.is_open or node.init is None:
            return kind
        count = None
        if isinstance(node.init, ast.Constant) and node.init.type == "string":
            count = len(string_bytes(node.init.value)) + 1
        return Kind(Array(kind.shape.element, count), kind.is_const, kind.is_atomic)

    def _remember(self, node: ast.Decl, kind: Kind, *, is_static: bool) -> None:
        here = self.names.here.names
        before = here.get(node.name)
        is_linked = self.names.is_outside or "extern" in node.storage
        if before is not None:
            self._again(node, kind, before, is_linked=is_linked)
        elif is_linked and not self.names.is_outside:
            outer = self.names.blocks[0].names.get(node.name)
            if outer is not None and outer.what == "variable" and not are_same(outer.kind, kind):
                self.names.report(node, f"`{node.name}` is declared with another type", codes.TYPE)
        is_defined = node.init is not None or (before is not None and before.is_defined)
        meaning = Meaning("variable", kind, tuple(node.storage), is_defined, None, is_static)
        if before is not None and not is_complete(kind) and before.what == "variable":
            meaning.kind = before.kind
        here[node.name] = meaning

    def _again(self, node: ast.Decl, kind: Kind, before: Meaning, *, is_linked: bool) -> None:
        was_linked = self.names.is_outside or "extern" in before.storage
        if before.what != "variable" or not is_linked or not was_linked:
            self.names.report(node, f"`{node.name}` is declared twice", codes.NAME)
        elif not are_same(before.kind, kind):
            expected = f"`{spelled(before.kind)}`, as before"
            self.names.report(node, f"`{node.name}` is declared with another type", codes.TYPE, expected)
        elif before.is_defined and node.init is not None:
            self.names.report(node, f"`{node.name}` gets a second initial value", codes.NAME)
        elif ("static" in node.storage) != ("static" in before.storage) and "extern" not in node.storage:
            self.names.report(node, f"`{node.name}` is declared static and not static", codes.TYPE)

    def _begin(self, node: ast.Decl, kind: Kind, *, is_static: bool) -> None:
        if "extern" in node.storage and not self.names.is_outside:
            words = f"`{node.name}` is extern in a block and has a value"
            self.names.report(node, words, codes.TYPE)
        if not is_complete(kind):
            words = f"`{node.name}` has the incomplete type `{spelled(kind)}`"
            self.names.report(node, words, codes.TYPE, "a type whose size is known")
            return
        self.initialised(kind, node.init)
        bad = constant.disturbing(self.names, node.init) if is_static else None
        if bad is not None:
            words = "this is not known before the program runs"
            self.names.report(bad, words, codes.CONSTANT, "a constant, for what is there from the beginning")

    def literal_object(self, node: ast.CompoundLiteral) -> Kind:
        """The type of the object that a compound literal is."""
        kind = self.type_of(node.type)
        if isinstance(kind.shape, Array) and kind.shape.is_open:
            kind = Kind(Array(kind.shape.element))
        if not is_complete(kind):
            self.names.report(node, f"an object of the incomplete type `{spelled(kind)}`", codes.TYPE)
            return UNKNOWN
        self.initialised(kind, node.init)
        return kind

    # Functions

    def function(self, node: ast.Decl, kind: Kind, *, is_defined: bool = False) -> None:
        """A function is declared, or defined."""
        if node.init is not None:
            self.names.report(node, f"the function `{node.name}` has a value", codes.TYPE)
        allowed = {"extern", "static"} if self.names.is_outside else {"extern"}
        wrong = [word for word in node.storage if word not in allowed]
        if wrong:
            self.names.report(node, f"a function is not `{wrong[0]}` here", codes.TYPE)
        if len(set(node.storage)) < len(node.storage):
            self.names.report(node, f"`{node.name}` has the same storage class twice", codes.TYPE)
        own = self.names.here.names.get(node.name)
        before = own or self.names.blocks[0].names.get(node.name)
        if before is not None and before.what != "function":
            if own is not None:
                self.names.report(node, f"`{node.name}` is declared twice", codes.NAME)
            before = None
        if before is not None:
            self._function_again(node, kind, before, is_defined=is_defined)
            if _says_less(kind, before.kind):
                kind = before.kind
        storage = tuple(node.storage) if before is None else before.storage
        is_known = is_defined or (before is not None and before.is_defined)
        self.names.here.names[node.name] = Meaning("function", kind, storage, is_known)

    def _function_again(self, node: ast.Decl, kind: Kind, before: Meaning, *, is_defined: bool) -> None:
        if not are_same(before.kind, kind):
            expected = "the type of the declaration before"
            words = f"the function `{node.name}` is declared with another type"
            self.names.report(node, words, codes.TYPE, expected)
        elif is_defined and before.is_defined:
            self.names.report(node, f"`{node.name}` is defined twice", codes.NAME)
        elif "static" in node.storage and "static" not in before.storage:
            self.names.report(node, f"`{node.name}` is declared static and not static", codes.TYPE)


def _says_less(kind: Kind, before: Kind) -> bool:
    """Whether a declaration leaves open the parameters that an earlier one says."""
    new, old = kind.shape, before.shape
    return isinstance(new, Function) and isinstance(old, Function) and new.parameters is None
