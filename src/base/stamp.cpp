#include "base/stamp.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace kbench {
namespace {

constexpr std::string_view prefix = "kbench#";
constexpr std::size_t key_digits = 16;

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// As it stands in a label.
bool is_plain(char c) { return is_letter_or_digit(c) || c == '_' || c == '-' || c == '.'; }

bool is_key_digit(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

std::string encoded(std::string_view name) {
  std::string out;
  for (const char c : name)
    out += is_plain(c) ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return out;
}

// Returns the value of two digits such as "2F"; -1 where they are none.
int hex_value(std::string_view digits) {
  int value = 0;
  if (digits.size() != 2) return -1;
  for (const char c : digits) {
    const bool is_upper = c >= 'A' && c <= 'F';
    if (!is_upper && !is_key_digit(c)) return -1;
    value = value * 16 + (c <= '9' ? c - '0' : (is_upper ? c - 'A' : c - 'a') + 10);
  }
  return value;
}

// Reads a label from the begin of a text on.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  std::optional<Stamp> read() {
    Stamp stamp;
    const bool is_whole = take(prefix) && name(stamp.definition) && slash() &&
                          name(stamp.solution) && take("@") && name(stamp.version) && take(":") &&
                          key(stamp.key);
    return is_whole ? std::optional(std::move(stamp)) : std::nullopt;
  }

  std::string_view rest() const { return rest_; }

 private:
  bool take(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  bool slash() {
    take("\\");
    return take("/");
  }

  // "" is a name, too: some records have none.
  bool name(std::string& out) {
    out.clear();
    while (!rest_.empty()) {
      if (is_plain(rest_.front())) {
        out += rest_.front();
        rest_.remove_prefix(1);
      } else if (rest_.front() == '%') {
        const int value = hex_value(rest_.substr(1, 2));
        if (value < 0) return false;
        out += static_cast<char>(value);
        rest_.remove_prefix(3);
      } else {
        return true;
      }
    }
    return true;
  }

  // A longer one is another program's digest.
  bool key(std::string& out) {
    const std::string_view digits = rest_.substr(0, key_digits);
    if (digits.size() < key_digits || !std::all_of(digits.begin(), digits.end(), is_key_digit))
      return false;
    rest_.remove_prefix(key_digits);
    out = digits;
    return rest_.empty() || !is_letter_or_digit(rest_.front());
  }

  std::string_view rest_;
};

}  // namespace

std::string stamp_label(const Stamp& stamp) {
  return fmt::format("{}{}/{}@{}:{}", prefix, encoded(stamp.definition), encoded(stamp.solution),
                     encoded(stamp.version), stamp.key);
}

std::optional<Stamp> parse_stamp(std::string_view label) {
  Reader reader(label);
  auto stamp = reader.read();
  if (!reader.rest().empty()) stamp.reset();
  return stamp;
}

std::vector<FoundStamp> find_stamps(std::string_view text) {
  std::vector<FoundStamp> found;
  std::map<Stamp, std::size_t> places;
  for (std::size_t at = text.find(prefix); at != text.npos; at = text.find(prefix, at + 1)) {
    auto stamp = Reader(text.substr(at)).read();
    if (!stamp) continue;
    const auto [place, is_new] = places.emplace(*stamp, found.size());
    if (is_new) found.push_back({*std::move(stamp)});
    ++found[place->second].count;
  }
  return found;
}

}  // namespace kbench
