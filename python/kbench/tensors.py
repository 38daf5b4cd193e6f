"""safetensors files: the header's length (8 bytes, little endian), a header in JSON, then the tensors' bytes."""
from __future__ import annotations

import json
from typing import Any

CODES = {"float64": "F64", "float32": "F32", "float16": "F16", "bfloat16": "BF16", "float8_e4m3fn": "F8_E4M3",
         "float8_e5m2": "F8_E5M2", "int64": "I64", "int32": "I32", "int16": "I16", "int8": "I8", "uint8": "U8", "bool": "BOOL"}
NAMES = {code: name for name, code in CODES.items()}


def dtype_name(tensor: Any) -> str:
    """The dtype as definitions name it: "bfloat16" of a torch tensor, "float32" of a numpy array."""
    return str(tensor.dtype).removeprefix("torch.")


def encode(key: str, tensor: Any) -> bytes:
    """The file of one tensor, a numpy array or a torch tensor on any device. Equal tensors make equal bytes."""
    entry = {"dtype": CODES[dtype_name(tensor)], "shape": list(tensor.shape)}
    if hasattr(tensor, "detach"):
        import torch
        tensor = tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy()
    data = tensor.tobytes()
    header = json.dumps({key: {**entry, "data_offsets": [0, len(data)]}}).encode()
    header += b" " * (-len(header) % 8)
    return len(header).to_bytes(8, "little") + header + data


def decode(content: bytes, framework: str = "numpy") -> dict[str, Any]:
    """The tensors of a file by name. For numpy bfloat16 becomes float32; a dtype that `framework` lacks is a TypeError."""
    begin = 8 + int.from_bytes(content[:8], "little")
    entries = json.loads(content[8:begin])
    entries.pop("__metadata__", None)
    make = {"numpy": _numpy, "torch": _torch}[framework]
    return {name: make(NAMES.get(entry["dtype"], entry["dtype"]),
                       bytearray(content[slice(*(begin + offset for offset in entry["data_offsets"]))]), entry["shape"])
            for name, entry in entries.items()}


def _numpy(dtype: str, data: bytearray, shape: list[int]) -> Any:
    import numpy
    if dtype == "bfloat16":
        return (numpy.frombuffer(data, "<u2").astype("<u4") << 16).view("<f4").reshape(shape)
    if not hasattr(numpy, dtype):
        raise TypeError(f'numpy has no {dtype}; say framework="torch"')
    return numpy.frombuffer(data, dtype).reshape(shape)


def _torch(dtype: str, data: bytearray, shape: list[int]) -> Any:
    import torch
    kind = getattr(torch, dtype)
    return torch.frombuffer(data, dtype=kind).reshape(shape) if data else torch.empty(shape, dtype=kind)
