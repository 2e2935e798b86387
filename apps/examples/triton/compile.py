"""Writes all_reduce.ptx next to this file. It needs Triton and no GPU: pip install triton, python3 compile.py"""

import re
from pathlib import Path

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from all_reduce import all_reduce

folder = Path(__file__).resolve().parent


def without_folder(text: str) -> str:
    """Triton names this folder: in a line .file, and letter by letter in the debug information, where dots of the same length replace it."""
    letters = [ord(letter) for letter in str(folder)]
    dots = ("./" * len(letters))[: len(letters)]
    pattern = r"(\s[^\n]*)?\n\.b8 ".join(str(letter) for letter in letters)
    text = re.sub(
        rf"(?<=^\.b8 ){pattern}(?=\s)",
        lambda found: "".join(f"{ord(dot)}{found[at] or ''}\n.b8 " for at, dot in enumerate(dots[:-1], 1)) + str(ord(dots[-1])),
        text,
        flags=re.MULTILINE,
    )
    return text.replace(f'"{folder}/', '"')


source = ASTSource(
    fn=all_reduce,
    signature={
        "data_pointers": "*i64",
        "flag_pointers": "*i64",
        "mine": "*fp32",
        "out": "*fp32",
        "count": "i32",
        "rank": "i32",
        "epoch": "i32",
        "RANKS": "constexpr",
        "BLOCK": "constexpr",
    },
    constexprs={"RANKS": 2, "BLOCK": 32},
)
compiled = triton.compile(source, target=GPUTarget("cuda", 90, 32), options={"num_warps": 1})
(folder / "all_reduce.ptx").write_text(without_folder(compiled.asm["ptx"]))
