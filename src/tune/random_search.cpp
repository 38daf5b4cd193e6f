#include <numeric>
#include <vector>

#include "tune/search_state.hpp"
#include "tune/strategies.hpp"

namespace kbench {

// Each once, drawn as they are asked about: a search that ends early has not shuffled a large
// space.
void random_search(Search& search) {
  std::vector<std::uint32_t> order(search.space().size());
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t from = 0; from < order.size() && !search.is_over();) {
    const std::size_t to = std::min(order.size(), from + search.batch());
    for (std::size_t i = from; i < to; ++i)
      std::swap(order[i], order[i + search.draw(order.size() - i)]);
    search.ask(std::span(order).subspan(from, to - from));
    from = to;
  }
}

}  // namespace kbench
