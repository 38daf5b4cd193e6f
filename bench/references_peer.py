"""Plain PyTorch for bench/references: runs each reference it is sent on the memory that comes with it.

Answers on descriptor 3: "ready" once, then the seconds of each run(), or -1 where it raised. A message is what
src/base/channel.hpp says: a length and the descriptors, then the text.
"""
import json
import math
import mmap
import os
import socket
import struct
import sys
import time

sys.setdlopenflags(os.RTLD_LAZY | os.RTLD_GLOBAL)  # the stand-ins for CUDA's libraries have no functions
import torch

torch.set_num_threads(2)
DTYPES = {"float4_e2m1": torch.float4_e2m1fn_x2}


def tensor(memory, value):
    dtype = DTYPES.get(value["dtype"]) or getattr(torch, value["dtype"])
    shape = list(value["shape"])
    if dtype is torch.float4_e2m1fn_x2 and shape:
        shape[-1] //= 2
    count = math.prod(shape)
    if count == 0:
        return torch.empty(shape, dtype=dtype)
    raw = torch.frombuffer(memory, dtype=torch.uint8, count=count * dtype.itemsize, offset=value["offset"])
    return raw.view(dtype).view(shape)


def seconds(request, fds):
    memory = mmap.mmap(fds[0], 0, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_WRITE) if fds else None
    values = [v["scalar"] if "scalar" in v else tensor(memory, v) for v in request["inputs"]]
    names = {"__name__": "reference"}
    torch.manual_seed(0)
    with torch.no_grad():
        begin = time.perf_counter()
        exec(compile(request["reference"], "reference", "exec"), names)
        names["run"](*values)
        return time.perf_counter() - begin


def receive(channel):
    header, fds, _, _ = socket.recv_fds(channel, 8, 8, socket.MSG_WAITALL)
    if len(header) < 8:
        return None, []
    length, = struct.unpack("<Q", header)
    return json.loads(channel.recv(length, socket.MSG_WAITALL)), fds


def send(channel, text):
    channel.sendall(struct.pack("<Q", len(text)) + text.encode())


channel = socket.socket(fileno=3)
send(channel, "ready")
while True:
    request, fds = receive(channel)
    if request is None:
        break
    try:
        took = seconds(request, fds)
    except Exception as error:
        print(f"{request['reference'][:40]!r}: {error}", file=sys.stderr)
        took = -1
    for fd in fds:
        os.close(fd)
    send(channel, repr(took))
