// Small text helpers that several modules share.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kbench {

std::vector<std::string_view> split(std::string_view text, char separator);
std::string_view trim(std::string_view text);
std::string lower(std::string_view text);  // of ASCII letters
std::string join(std::span<const std::string> parts, std::string_view separator);

// The known name nearest to `word` by edit distance, letters' case aside, "" when none is near: for
// "did you mean".
std::string nearest(std::string_view word, std::span<const std::string> known);

// 'did you mean "x"?', or "" when nothing is near.
std::string did_you_mean(std::string_view word, std::span<const std::string> known);

// True for what Git leaves in the place of a file that Git LFS has not fetched.
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

// What others wrote, for one line of a terminal: control characters as "\x1b", and so the first
// character of what GitHub would read as a command in the log of a job: "::" where the line begins,
// "##[" anywhere (Workflow commands for GitHub Actions).
std::string printable(std::string_view text);
std::string printable_lines(std::string_view text);  // line breaks stay
// Whether some character of it is to be written in another way for a terminal: no name has one.
bool has_controls(std::string_view text);
// Each of these as one '?', so that columns stay where they are; a tab becomes a space.
std::string printable_in_columns(std::string_view text);

// The text with `to` in the place of each `from`; what it puts there is not looked at again.
std::string replace_all(std::string text, std::string_view from, std::string_view to);

}  // namespace kbench
