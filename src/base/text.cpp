#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kbench {
namespace {

// Length of the sequence that starts with `lead` and its smallest code point; 0: no lead byte.
struct Sequence {
  std::size_t length;
  std::uint32_t smallest;
  std::uint32_t bits;  // payload bits of the lead byte
};

Sequence sequence_of(unsigned char lead) {
  if (lead < 0x80) return {1, 0, lead};
  if ((lead & 0xE0) == 0xC0) return {2, 0x80, lead & 0x1FU};
  if ((lead & 0xF0) == 0xE0) return {3, 0x800, lead & 0x0FU};
  if ((lead & 0xF8) == 0xF0) return {4, 0x10000, lead & 0x07U};
  return {0, 0, 0};
}

bool valid_at(std::string_view text, const Sequence& sequence) {
  if (sequence.length == 0 || sequence.length > text.size()) return false;
  std::uint32_t value = sequence.bits;
  for (std::size_t i = 1; i < sequence.length; ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if ((c & 0xC0) != 0x80) return false;
    value = (value << 6) | (c & 0x3FU);
  }
  return value >= sequence.smallest && value <= 0x10FFFF && (value < 0xD800 || value > 0xDFFF);
}

}  // namespace

bool is_utf16(std::string_view text) {
  const bool marked = text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF");
  const std::string_view first = text.substr(0, 2);
  // Two zeros are no letter, but what a crash leaves of a file.
  return marked || (first.find('\0') != first.npos && first.find_first_not_of('\0') != first.npos);
}

char* append_utf8(char* out, std::uint32_t c) {
  const auto put = [&out](std::uint32_t byte) { *out++ = static_cast<char>(byte); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xC0 | (c >> 6));
    put(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    put(0xE0 | (c >> 12));
    put(0x80 | ((c >> 6) & 0x3F));
    put(0x80 | (c & 0x3F));
  } else {
    put(0xF0 | (c >> 18));
    put(0x80 | ((c >> 12) & 0x3F));
    put(0x80 | ((c >> 6) & 0x3F));
    put(0x80 | (c & 0x3F));
  }
  return out;
}

std::size_t find_invalid_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const Sequence sequence = sequence_of(static_cast<unsigned char>(text[i]));
    if (!valid_at(text.substr(i), sequence)) return i;
    i += sequence.length;
  }
  return std::string_view::npos;
}

namespace {

// Counts letters put in, left out, replaced, or swapped with their neighbour: the optimal string
// alignment distance, one row at a time.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(above);
    above.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitute = above[j - 1] + (a[i - 1] != b[j - 1]);
      row[j] = std::min({substitute, above[j] + 1, row[j - 1] + 1});
      const bool is_swap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (is_swap) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row.back();
}

struct Unit {
  double scale;
  std::string_view name;
};

std::string scaled(double value, std::span<const Unit> units) {
  for (const Unit& unit : units) {
    const double shown = value / unit.scale;
    if (std::abs(shown) >= 0.9995 || &unit == &units.back()) {
      const int decimals = shown >= 99.95 ? 0 : shown >= 9.995 ? 1 : 2;
      return fmt::format("{:.{}f} {}", shown, decimals, unit.name);
    }
  }
  return "";
}

}  // namespace

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

std::string_view trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

std::string nearest(std::string_view word, std::span<const std::string> known) {
  constexpr std::size_t longest = 64;  // limit of a word: the search takes its length squared
  std::string best;
  if (word.size() > longest) return best;
  // Something must be left of the word: any letter is one edit away from any other.
  std::size_t best_distance = std::min(std::max<std::size_t>(1, word.size() / 3) + 1, word.size());
  const std::string wanted = lower(word);
  const auto length = static_cast<std::ptrdiff_t>(word.size());
  for (const std::string& name : known) {
    const std::ptrdiff_t longer = std::abs(length - static_cast<std::ptrdiff_t>(name.size()));
    if (longer >= static_cast<std::ptrdiff_t>(best_distance)) continue;
    const std::size_t distance = edit_distance(wanted, lower(name));
    if (distance < best_distance) {
      best_distance = distance;
      best = name;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> known) {
  const std::string name = nearest(word, known);
  return name.empty() ? "" : fmt::format("did you mean \"{}\"?", name);
}

bool is_lfs_pointer(std::string_view file) {
  return file.starts_with("version https://git-lfs.github.com/spec/v1");
}

std::string shell_quote(std::string_view word) {
  constexpr std::string_view plain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./:=@%+,";
  if (!word.empty() && word.find_first_not_of(plain) == std::string_view::npos)
    return std::string(word);
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string counted(std::size_t number, std::string_view noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

std::string human_time(double nanoseconds) {
  constexpr Unit units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}, {1, "ns"}};
  return scaled(nanoseconds, units);
}

namespace {

bool begins_command(std::string_view line, std::size_t at) {
  const std::string_view rest = line.substr(at);
  if (rest.starts_with("##[")) return true;
  return rest.starts_with("::") && line.substr(0, at).find_first_not_of(' ') == line.npos;
}

// U+0080 to U+009F are control characters as those of ASCII are, and so may be bytes that are no
// UTF-8; U+200E, U+202E and their like turn what follows; XML cannot hold U+FFFE and U+FFFF.
bool is_obeyed(std::string_view character) {
  if (character.size() == 1) {
    const auto code = static_cast<unsigned char>(character.front());
    return code < 0x20 || code >= 0x7f;
  }
  if (find_invalid_utf8(character) != character.npos) return true;
  if (character.starts_with("\xc2")) return static_cast<unsigned char>(character[1]) < 0xa0;
  constexpr std::string_view turning[] = {
      "\u061c", "\u200e", "\u200f", "\u2028", "\u2029", "\u202a", "\u202b", "\u202c",
      "\u202d", "\u202e", "\u2066", "\u2067", "\u2068", "\u2069", "\ufffe", "\uffff"};
  return std::find(std::begin(turning), std::end(turning), character) != std::end(turning);
}

// The bytes of the character that begins there: its first one, and as many as that one says of what
// continues it in UTF-8. Bytes that are no UTF-8 hide no control character so.
std::string_view character_at(std::string_view text, std::size_t at) {
  const auto first = static_cast<unsigned char>(text[at]);
  const std::size_t most = first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  std::size_t size = 1;
  while (size < std::min(most, text.size() - at) &&
         (static_cast<unsigned char>(text[at + size]) & 0xc0) == 0x80)
    ++size;
  return text.substr(at, size);
}

// Tells whether nothing of it is to be written in another way, as is so with nearly all texts and
// quick to see.
bool is_plain(std::string_view text) {
  const auto is_plain_letter = [](char letter) {
    return letter >= 0x20 && letter < 0x7f && letter != '#';
  };
  const std::size_t first = text.find_first_not_of(' ');
  return std::all_of(text.begin(), text.end(), is_plain_letter) &&
         (first == text.npos || text[first] != ':');
}

}  // namespace

bool has_controls(std::string_view text) {
  if (std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7f; }))
    return false;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view character = character_at(text, at);
    if (is_obeyed(character)) return true;
    at += character.size();
  }
  return false;
}

std::string printable_lines(std::string_view text) {
  if (is_plain(text)) return std::string(text);
  std::string out;
  for (const std::string_view line : split(text, '\n'))
    out += (line.data() == text.data() ? "" : "\n") + printable(line);
  return out;
}

std::string printable_in_columns(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view character = character_at(text, at);
    if (character == "\t")
      out += ' ';
    else
      out += is_obeyed(character) || begins_command(text, at) ? "?" : character;
    at += character.size();
  }
  return out;
}

std::string printable(std::string_view text) {
  if (is_plain(text)) return std::string(text);
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view character = character_at(text, at);
    if (!is_obeyed(character) && !begins_command(text, at)) {
      out += character;
    } else {
      for (const char c : character) out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
    at += character.size();
  }
  return out;
}

std::string human_bytes(double bytes) {
  constexpr Unit units[] = {
      {1024.0 * 1024 * 1024, "GiB"}, {1024.0 * 1024, "MiB"}, {1024, "KiB"}, {1, "B"}};
  return scaled(bytes, units);
}

std::string replace_all(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

std::string python_string(std::string_view text) {
  const bool double_quotes =
      text.find('\'') != std::string_view::npos && text.find('"') == std::string_view::npos;
  const char quote = double_quotes ? '"' : '\'';
  constexpr std::string_view plain = "\n\r\t\\";
  constexpr std::string_view letters = "nrt\\";
  std::string out(1, quote);
  for (const char c : text) {
    const std::size_t known = plain.find(c);
    if (c == quote || known != std::string_view::npos) {
      out += {'\\', c == quote ? quote : letters[known]};
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out + quote;
}

std::string python_tuple(std::span<const std::int64_t> values) {
  return fmt::format("({}{})", fmt::join(values, ", "), values.size() == 1 ? "," : "");
}

}  // namespace kbench
