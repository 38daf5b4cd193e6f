"""Writes unicode_ranges.cpp from this Python's own tables: run by hand, Python 3.11 (Unicode 14)."""
import sys
import unicodedata


def ranges(test):
    found, first = [], None
    for code in range(128, 0x110001):
        inside = code < 0x110000 and not 0xD800 <= code < 0xE000 and test(chr(code))
        if inside and first is None:
            first = code
        if not inside and first is not None:
            found.append((first, code - 1))
            first = None
    return found


def table(name, found):
    items = [f"{{{a:#x}, {b:#x}}}," for a, b in found]
    lines, line = [], "   "
    for item in items:
        if len(line) + 1 + len(item) > 100:
            lines.append(line)
            line = "   "
        line += " " + item
    lines.append(line)
    return f"const std::array<CodeRange, {len(items)}> {name} = {{{{\n" + "\n".join(lines) + "\n}};\n"


start = str.isidentifier
extra = lambda c: ("a" + c).isidentifier() and not c.isidentifier()
sys.stdout.write(
    f"// Made by make_unicode_ranges.py (Unicode {unicodedata.unidata_version}). Do not edit.\n"
    "// clang-format off\n"
    '#include "syntax/unicode.hpp"\n\n#include <array>\n\nnamespace kbench::python {\n\n'
    "namespace {\n\n" + table("start_ranges", ranges(start)) + "\n"
    + table("extra_ranges", ranges(extra)) + "\n}  // namespace\n\n"
    "std::span<const CodeRange> identifier_start_ranges() { return start_ranges; }\n"
    "std::span<const CodeRange> identifier_extra_ranges() { return extra_ranges; }\n\n"
    "}  // namespace kbench::python\n")
