"""Counts the lines that describe a launch in Python, structures apart."""

import ast
from pathlib import Path

#: A longer line counts as several.
WIDTH = 120


def lines_of(file, table):
    """By the keys of a table of launches: the lines of its entry, and of all functions that the entry needs."""
    text = Path(file).read_text("utf8")
    source = text.split("\n")
    module = ast.parse(text)
    functions = {node.name: node for node in module.body if isinstance(node, ast.FunctionDef) and node.name != "struct"}
    entries = next(node.value for node in module.body if isinstance(node, ast.Assign) and node.targets[0].id == table)
    return {key.value: _count(source, _needed(value, functions)) for key, value in zip(entries.keys, entries.values)}


def _needed(entry, functions):
    """The entry and the functions, each once."""
    found = [entry]
    for node in found:
        names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
        found += [functions[name] for name in sorted(names & functions.keys()) if functions[name] not in found]
    return found


def _count(source, nodes):
    numbers = {number for node in nodes for number in range(node.lineno, node.end_lineno + 1)}
    lines = [source[number - 1].partition("  # fmt:")[0].rstrip() for number in sorted(numbers)]
    return sum(-(-len(line) // WIDTH) for line in lines if line)
