// Small text helpers that several modules share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kbench {

std::vector<std::string_view> split(std::string_view text, char separator);
std::string_view trim(std::string_view text);
std::string lower(std::string_view text);  // lowers ASCII letters alone
std::string join(std::span<const std::string> parts, std::string_view separator);

// The known name nearest to `word` by edit distance, letters' case aside, "" when none is near;
// "did you mean" shows it.
std::string nearest(std::string_view word, std::span<const std::string> known);

// 'did you mean "x"?', or "" when nothing is near.
std::string did_you_mean(std::string_view word, std::span<const std::string> known);

// Recognises what Git leaves in the place of a file that Git LFS has not fetched.
bool is_lfs_pointer(std::string_view file);
constexpr std::string_view lfs_message = "is a Git LFS pointer, not the file itself";
constexpr std::string_view lfs_hint = "run `git lfs pull` in its repository";

// A word for a POSIX shell, in quotes where it needs them.
std::string shell_quote(std::string_view word);

// "1 file", "2 files".
std::string counted(std::size_t number, std::string_view noun);

// A time for people, three significant digits: "812 ns", "3.40 µs", "1.20 s".
std::string human_time(double nanoseconds);

// A size for people: "512 B", "1.5 KiB", "2.0 GiB".
std::string human_bytes(double bytes);

// Text that others wrote, for one line of a terminal: control characters as "\x1b", and so the
// first character of what GitHub would read as a command in the log of a job: "::" where the line
// begins, "##[" anywhere (Workflow commands for GitHub Actions).
std::string printable(std::string_view text);
std::string printable_lines(std::string_view text);  // line breaks stay
// Tells whether a character of it is to be written in another way for a terminal: no name has one.
bool has_controls(std::string_view text);
// Writes each of these as one '?', so that columns stay where they are; a tab becomes a space.
std::string printable_in_columns(std::string_view text);

// The text with `to` in the place of each `from`; a text put there is not looked at again.
std::string replace_all(std::string text, std::string_view from, std::string_view to);

// UTF-8, as far as JSON and YAML need it. RFC 3629.
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

// Recognises a text that an editor has saved as UTF-16, with a byte order mark or without.
bool is_utf16(std::string_view text);

// Tells whether a byte goes on with a character that an earlier one began.
constexpr bool continues_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

// Writes a code point (1 to 4 bytes) and returns the place after it.
char* append_utf8(char* out, std::uint32_t code_point);

// The first byte that is part of no valid UTF-8 sequence, npos when there is none: overlong forms,
// surrogates and values above U+10FFFF are invalid.
std::size_t find_invalid_utf8(std::string_view text);

// Values as Python prints them: FlashInfer-Bench's messages hold lists and tuples.

// repr() of a str: 'M', "it's".
std::string python_string(std::string_view text);

// (2, 3), (4,), ()
std::string python_tuple(std::span<const std::int64_t> values);

}  // namespace kbench
