"""Arithmetic written in data files: `intermediate_size or 4 * hidden_size`, evaluated over named values."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

Lookup = Callable[[str], Any]

_BINARY: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_COMPARE: Mapping[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda item, group: item in (group or ()),
    ast.NotIn: lambda item, group: item not in (group or ()),
}
_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "max": max,
    "min": min,
    "int": int,
    "len": len,
    "sum": sum,
    "is_list": lambda value: isinstance(value, list | tuple),
    "ceil": lambda value: -int(-value // 1),
    "round_up": lambda value, step: -(-int(value) // step) * step,
}


class Unknown(Exception):
    """An expression needs a value that is nowhere given."""

    def __init__(self, names: frozenset[str]) -> None:
        super().__init__(", ".join(sorted(names)))
        self.names = names


def evaluate(text: str, lookup: Lookup) -> Any:
    """Value of an expression. Errors: Unknown names the values arithmetic was asked of and not given."""
    tree = parse(text)
    try:
        return _value(tree, lookup)
    except (TypeError, ValueError, ZeroDivisionError, LookupError, OverflowError) as error:
        names = frozenset(name for name in names_in(text) if not lookup(name))
        raise Unknown(names or frozenset(names_in(text))) from error


@cache
def parse(text: str) -> ast.expr:
    """Syntax tree of an expression. Errors: SyntaxError for a data file that is wrong."""
    return ast.parse(text, mode="eval").body


@cache
def names_in(text: str) -> frozenset[str]:
    """Names of values an expression reads."""
    nodes = ast.walk(parse(text))
    return frozenset(n.id for n in nodes if isinstance(n, ast.Name) and n.id not in _FUNCTIONS)


def _value(node: ast.expr, lookup: Lookup) -> Any:
    return _NODES[type(node)](node, lookup)


def _conditional(node: ast.IfExp, lookup: Lookup) -> Any:
    return _value(node.body if _value(node.test, lookup) else node.orelse, lookup)


def _boolean(node: ast.BoolOp, lookup: Lookup) -> Any:
    stops = isinstance(node.op, ast.Or)
    found = None
    for item in node.values:
        found = _value(item, lookup)
        if bool(found) is stops:
            return found
    return found


def _unary(node: ast.UnaryOp, lookup: Lookup) -> Any:
    found = _value(node.operand, lookup)
    return (not found) if isinstance(node.op, ast.Not) else -found


def _binary(node: ast.BinOp, lookup: Lookup) -> Any:
    left, right = _value(node.left, lookup), _value(node.right, lookup)
    # A text or a list times a large number would fill the memory.
    if not (isinstance(left, int | float) and isinstance(right, int | float)):
        raise TypeError(type(node.op).__name__)
    return _BINARY[type(node.op)](left, right)


def _comparison(node: ast.Compare, lookup: Lookup) -> Any:
    left, right = _value(node.left, lookup), _value(node.comparators[0], lookup)
    return _COMPARE[type(node.ops[0])](left, right)


def _call(node: ast.Call, lookup: Lookup) -> Any:
    assert isinstance(node.func, ast.Name)
    return _FUNCTIONS[node.func.id](*(_value(argument, lookup) for argument in node.args))


def _item(node: ast.Subscript, lookup: Lookup) -> Any:
    return _value(node.value, lookup)[_value(node.slice, lookup)]


_NODES: Mapping[type[ast.AST], Callable[[Any, Lookup], Any]] = {
    ast.Constant: lambda node, lookup: node.value,
    ast.Name: lambda node, lookup: lookup(node.id),
    ast.IfExp: _conditional,
    ast.BoolOp: _boolean,
    ast.UnaryOp: _unary,
    ast.BinOp: _binary,
    ast.Compare: _comparison,
    ast.Call: _call,
    ast.Subscript: _item,
    ast.Tuple: lambda node, lookup: tuple(_value(item, lookup) for item in node.elts),
}
