"""safetensors files: the header's length (8 bytes, little endian), a header in JSON, then the tensors' bytes."""
import json
from typing import Any

NAMES = {"F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16", "F8_E4M3": "float8_e4m3fn",
         "F8_E5M2": "float8_e5m2", "I64": "int64", "I32": "int32", "I16": "int16", "I8": "int8", "U8": "uint8", "BOOL": "bool"}
CODES = {name: code for code, name in NAMES.items()}


def dtype_name(tensor: Any) -> str:
    """The dtype as definitions name it: "bfloat16" of a torch tensor, "float32" of a numpy array."""
    return str(tensor.dtype).removeprefix("torch.")


def encode(key: str, tensor: Any) -> bytes:
    """The file of one tensor, a numpy array or a torch tensor on any device. Equal tensors make equal bytes."""
    entry = {"dtype": CODES[dtype_name(tensor)], "shape": list(tensor.shape)}
    if hasattr(tensor, "detach"):
        import torch
        tensor = tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy()
    data: bytes = tensor.tobytes()
    header = json.dumps({key: {**entry, "data_offsets": [0, len(data)]}}).encode()
    header += b" " * (-len(header) % 8)
    return len(header).to_bytes(8, "little") + header + data


def decode(content: bytes, framework: str = "numpy") -> dict[str, Any]:
    """The tensors of a file by name. For numpy bfloat16 becomes float32; a dtype that `framework` lacks is a TypeError."""
    begin = 8 + int.from_bytes(content[:8], "little")
    entries = json.loads(content[8:begin])
    entries.pop("__metadata__", None)
    make = {"numpy": _numpy, "torch": _torch}[framework]
    return {name: make(NAMES.get(entry["dtype"], entry["dtype"]), entry["shape"],
                       bytearray(content[slice(*(begin + offset for offset in entry["data_offsets"]))]))
            for name, entry in entries.items()}


def _numpy(dtype: str, shape: list[int], data: bytearray) -> Any:
    import numpy
    if dtype == "bfloat16":
        return (numpy.frombuffer(data, "<u2").astype("<u4") << 16).view("<f4").reshape(shape)
    return numpy.frombuffer(data, dtype).reshape(shape)


def _torch(dtype: str, shape: list[int], data: bytearray) -> Any:
    import torch
    kind = getattr(torch, dtype)
    return torch.frombuffer(data, dtype=kind).reshape(shape) if data else torch.empty(shape, dtype=kind)
