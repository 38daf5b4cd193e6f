#include "reference/torch/text/list_rules.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace kbench {
namespace {

struct Entry {
  std::size_t first = 0;
  std::size_t last = 0;  // just after it
};

bool is_starred(const Draft& draft, std::size_t i) {
  return draft.word(i) == "*" && i > 0 &&
         (is_opening(draft.word(i - 1)) || draft.word(i - 1) == ",");
}

// The arguments or entries between two brackets, up to the first keyword argument.
std::vector<Entry> entries(const Draft& draft, std::size_t open, std::size_t close) {
  std::vector<Entry> out;
  std::size_t begin = open + 1;
  for (std::size_t i = begin; i <= close; ++i) {
    const std::string_view w = draft.word(i);
    if (w == "=") return out;
    if (w == "for") return {};
    if (i < close) i = draft.past(i);
    if (i != close && w != ",") continue;
    if (i > begin) out.push_back({begin, i});
    begin = i + 1;
  }
  return out;
}

// *a, b, c → (a) + [b, c]
void join_entries(Draft& draft, const std::vector<Entry>& all) {
  for (std::size_t k = 0; k < all.size(); ++k) {
    const auto star_at = [&](std::size_t n) {
      return n < all.size() && is_starred(draft, all[n].first);
    };
    const bool last = k + 1 == all.size();
    if (star_at(k)) {
      draft.replace(all[k].first, "(");
    } else if (k == 0 || star_at(k - 1)) {
      draft.insert_before(all[k].first, "[");
    }
    if (!star_at(k) && !last && !star_at(k + 1)) continue;
    draft.insert_after(all[k].last - 1, star_at(k) ? ")" : "]");
    if (!last) draft.replace(all[k].last, " +");
  }
}

}  // namespace

void starred(Draft& draft, std::size_t open) {
  if (draft.word(open) != "(" && draft.word(open) != "[") return;
  const std::size_t close = draft.closing(open);
  const std::vector<Entry> all = entries(draft, open, close);
  const bool any = std::any_of(all.begin(), all.end(),
                               [&](const Entry& entry) { return is_starred(draft, entry.first); });
  if (!any) return;
  join_entries(draft, all);
  if (draft.word(close - 1) == ",") draft.replace(close - 1, "");
  if (draft.word(open) == "[") {
    draft.replace(open, "(");
    draft.replace(close, ")");
  }
}

void shape_tuple(Draft& draft, std::size_t i) {
  if (draft.word(i) != "tuple" || draft.word(i + 1) != "(") return;
  const std::size_t close = draft.closing(i + 1);
  for (std::size_t k = i + 2; k < close; ++k) {
    if (draft.word(k) == "shape" && draft.word(k - 1) == ".") draft.replace(i, "list");
  }
}

void empty_list(Draft& draft, const DraftLine& line) {
  if (line.last != line.first + 4 || !draft.is_name(line.first)) return;
  if (draft.word(line.first + 1) != "=" || draft.word(line.first + 2) != "[") return;
  for (std::size_t i = line.last; i + 5 < draft.size(); ++i) {
    if (draft.word(i) != draft.word(line.first) || draft.word(i + 2) != "append") continue;
    const std::string_view value = draft.word(i + 4);
    const bool is_call = draft.word(i + 5) == "(" && draft.word(draft.closing(i + 5) + 1) == ")";
    if (is_call && (value == "int" || value == "float")) {
      draft.insert_after(line.first, std::string(": List[").append(value).append("]"));
    }
    return;
  }
}

}  // namespace kbench
