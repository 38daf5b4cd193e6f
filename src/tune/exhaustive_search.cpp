#include <algorithm>
#include <numeric>
#include <vector>

#include "tune/search_state.hpp"
#include "tune/strategies.hpp"

namespace kbench {

void exhaustive_search(Search& search) {
  constexpr std::uint32_t at_once = 4096;  // what is listed; the search cuts it into its batches
  std::vector<std::uint32_t> some;
  const std::uint32_t size = search.space().size();
  const std::uint32_t stride =
      std::max<std::uint32_t>(1, at_once / static_cast<std::uint32_t>(search.batch())) *
      static_cast<std::uint32_t>(search.batch());
  for (std::uint32_t from = 0; from < size && !search.is_over(); from += stride) {
    some.resize(std::min(stride, size - from));
    std::iota(some.begin(), some.end(), from);
    search.ask(some);
  }
}

}  // namespace kbench
