#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include "tune/search_state.hpp"
#include "tune/strategies.hpp"

namespace kbench {
namespace {

// Iterated local search (Lourenço, Martin and Stützle, 2003): climb, then leave the best for
// somewhere near, now and then for anywhere.
class LocalSearch {
 public:
  explicit LocalSearch(Search& search) : search_(search), order_(search.space().size()) {
    std::iota(order_.begin(), order_.end(), 0);
  }

  void run() {
    if (!search_.best()) look_around();
    auto from = search_.best();
    while (!search_.is_over() && from) {
      climb(*from);
      from = search_.draw(3) == 0 ? std::nullopt : kicked();
      if (!from) from = elsewhere();
    }
  }

 private:
  // Until one does not fail. A few to choose from: the worst start costs more than three others.
  void look_around() {
    constexpr std::size_t few = 4;
    for (std::size_t i = 0; !search_.is_over() && (i < few || !search_.best()); ++i) {
      if (!elsewhere()) return;
    }
  }

  // The next one by chance that is not known; nothing where all are.
  std::optional<std::uint32_t> elsewhere() {
    for (; next_ < order_.size(); ++next_) {
      std::swap(order_[next_], order_[next_ + search_.draw(order_.size() - next_)]);
      const std::uint32_t one = order_[next_];
      if (search_.effort(one) != 0) continue;
      search_.ask(std::span(&one, 1));
      return one;
    }
    return std::nullopt;
  }

  // To the best of the first batch that has a better one, until there is none.
  void climb(std::uint32_t from) {
    for (bool is_better = true; is_better && !search_.is_over();) {
      is_better = false;
      std::vector<std::uint32_t> near = search_.space().neighbours(from, Neighbourhood::any);
      search_.shuffle(near);
      for (std::size_t i = 0; i < near.size() && !is_better && !search_.is_over();
           i += search_.batch()) {
        const auto some = std::span(near).subspan(i, std::min(search_.batch(), near.size() - i));
        search_.ask(some);
        const std::uint32_t best = *std::min_element(
            some.begin(), some.end(),
            [&](std::uint32_t a, std::uint32_t b) { return search_.cost(a) < search_.cost(b); });
        is_better = search_.cost(best) < search_.cost(from);
        if (is_better) from = best;
      }
    }
  }

  // Some steps by chance away from the best, at one that was not known before: what is known has
  // been climbed from.
  std::optional<std::uint32_t> kicked() {
    constexpr int steps = 2;
    constexpr int tries = 8;
    for (int i = 0; i < tries && search_.best(); ++i) {
      std::uint32_t at = *search_.best();
      for (int step = 0; step < steps; ++step) {
        const auto near = search_.space().neighbours(at, Neighbourhood::any);
        if (!near.empty()) at = near[search_.draw(near.size())];
      }
      if (search_.effort(at) != 0) continue;
      search_.ask(std::span(&at, 1));
      return at;
    }
    return std::nullopt;
  }

  Search& search_;
  std::vector<std::uint32_t> order_;  // by chance up to next_
  std::size_t next_ = 0;
};

}  // namespace

void local_search(Search& search) { LocalSearch(search).run(); }

}  // namespace kbench
