"""Messages between kbench and the importer: JSON behind its length, 8 bytes in native order (src/base/channel.hpp)."""
import json
import os
import struct

LONGEST_NUMBER = 400  # digits of an integer that is one


class Kbench:
    """The program that has started the importer."""

    def __init__(self, descriptor):
        self._reader = open(descriptor, "rb")
        self._writer = open(os.dup(descriptor), "wb")

    def receive(self):
        length, = struct.unpack("=Q", self._reader.read(8))
        return parse(self._reader.read(length).decode("utf-8", "surrogateescape"))

    def send(self, message):
        data = json.dumps(message).encode()
        self._writer.write(struct.pack("=Q", len(data)) + data)
        self._writer.flush()

    def ask(self, question):
        self.send({"ask": question})
        return self.receive()


def parse(text):
    return json.loads(text, strict=False, parse_int=_integer)


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _integer(text):
    return int(text) if len(text) <= LONGEST_NUMBER else float(text)
