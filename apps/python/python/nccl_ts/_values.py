"""Bytes and types of numpy arrays, ctypes structures and torch tensors."""

from __future__ import annotations

from typing import Any

from ._errors import misuse

_NAMES = {
    "uint8": "u8",
    "uint16": "u16",
    "uint32": "u32",
    "uint64": "u64",
    "int8": "i8",
    "int16": "i16",
    "int32": "i32",
    "int64": "i64",
    "float16": "f16",
    "bfloat16": "bf16",
    "float32": "f32",
    "float64": "f64",
}


def element_name(dtype: Any) -> str:
    """The type's name in a program. Types that it lacks are bytes."""
    return _NAMES.get(str(dtype).rpartition(".")[2], "u8")


def is_tensor(value: Any) -> bool:
    """Whether it is a torch tensor. torch is never imported for that."""
    return hasattr(value, "untyped_storage") and hasattr(value, "data_ptr")


def bytes_of_tensor(tensor: Any) -> bytes:
    """The bytes of the elements of a torch CPU tensor, in their order."""
    import ctypes

    if tensor.device.type != "cpu":
        raise misuse(f"a tensor must be on the CPU; given one on {tensor.device}: write .cpu().")
    flat = tensor.detach().contiguous()
    return ctypes.string_at(flat.data_ptr(), flat.numel() * flat.element_size())


def array_of(value: Any) -> tuple[str, int, bytes] | None:
    """The element's type, the number of elements and the bytes of an array; ``None`` for others."""
    import ctypes

    if is_tensor(value):
        data = bytes_of_tensor(value)
        name = element_name(value.dtype)
        return name, value.numel() if name != "u8" else len(data), data
    if isinstance(value, (ctypes.Array, ctypes.Structure, ctypes.Union)):
        data = bytes(value)
        return "u8", len(data), data
    if hasattr(value, "__array_interface__") and getattr(value, "ndim", 0) > 0:
        data = value.tobytes()
        name = element_name(value.dtype)
        return name, value.size if name != "u8" else len(data), data
    return None


def array_as(values: Any, dtype: Any) -> tuple[str, int, bytes]:
    """The same for numbers, as elements of a type. numpy lacks bfloat16."""
    import numpy as np

    element = element_name(dtype)
    if element != "bf16":
        data = np.asarray(values, str(dtype).rpartition(".")[2])
    else:
        bits = np.asarray(values, np.float32).view(np.uint32).astype(np.uint64)
        rounded = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
        data = np.where((bits & 0x7FFFFFFF) > 0x7F800000, bits >> 16 | 0x40, rounded).astype(np.uint16)
    return element, data.size, data.tobytes()


def scalar_bytes(value: Any) -> bytes | None:
    """The bytes of a structure, a ctypes or a numpy scalar, or of bytes; ``None`` for others."""
    import ctypes

    if isinstance(value, (bytes, bytearray)):
        return bytes(value)
    if isinstance(value, (ctypes.Structure, ctypes.Union, ctypes._SimpleCData)):
        return bytes(value)
    if hasattr(value, "__array_interface__") and hasattr(value, "tobytes"):
        return value.tobytes()
    return None
