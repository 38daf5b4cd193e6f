#include "tune/strategies.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "tune/search.hpp"

namespace kbench {

void exhaustive_search(Search& search) {
  constexpr std::uint32_t at_once = 4096;  // listed numbers; ask() makes batches
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

// Configurations come once each, drawn as they are asked about: a search that ends early has not
// shuffled a large space.
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

namespace {

// Neighbours of the best one known differ from it in one parameter: they are asked about one after
// the other until one is better, which is the best one then. It goes on around the next best where
// none is. One in four is from anywhere, so that a search gets out of where it began; on recorded
// spaces that finds more than climbing to the end and beginning anew.
class LocalSearch {
 public:
  explicit LocalSearch(Search& search) : search_(search), order_(search.space().size()) {
    std::iota(order_.begin(), order_.end(), 0);
    for (const std::uint32_t one : search.asked()) learn(one);
  }

  void run() {
    while (!search_.is_over()) {
      batch_.clear();
      while (batch_.size() < search_.batch() && add_one()) {
      }
      if (batch_.empty()) return;
      search_.ask(batch_);
      for (const std::uint32_t one : batch_) learn(one);
    }
  }

 private:
  // Starts with eight found more after 25 evaluations than with four and with sixteen.
  static constexpr std::size_t at_first = 8;

  void learn(std::uint32_t one) {
    ++learnt_;
    const double cost = search_.cost(one);
    if (cost < std::numeric_limits<double>::infinity()) centres_.emplace(cost, one);
  }

  // Returns false where everything is known, or asked about in this batch.
  bool add_one() {
    const bool is_start = learnt_ + batch_.size() < at_first;
    auto one = is_start || search_.draw(4) == 0 ? std::nullopt : nearby();
    if (!one) one = anywhere();
    if (!one) one = nearby();
    if (one) batch_.push_back(*one);
    return one.has_value();
  }

  bool is_new(std::uint32_t one) const {
    return search_.effort(one) == 0 && std::find(batch_.begin(), batch_.end(), one) == batch_.end();
  }

  std::optional<std::uint32_t> anywhere() {
    for (; next_ < order_.size(); ++next_) {
      std::swap(order_[next_], order_[next_ + search_.draw(order_.size() - next_)]);
      if (is_new(order_[next_])) return order_[next_++];
    }
    return std::nullopt;
  }

  std::optional<std::uint32_t> nearby() {
    while (!centres_.empty()) {
      if (centres_.top().second != centre_) surround(centres_.top().second);
      while (!around_.empty()) {
        const std::uint32_t one = around_.back();
        around_.pop_back();
        if (is_new(one)) return one;
      }
      centres_.pop();
    }
    return std::nullopt;
  }

  // Lists its neighbours, a parameter at a time in turns: one of many values does not keep the
  // others waiting.
  void surround(std::uint32_t centre) {
    centre_ = centre;
    const Space& space = search_.space();
    std::vector<std::uint32_t> near = space.neighbours(centre, Neighbourhood::any);
    search_.shuffle(near);
    std::vector<std::uint32_t> seen(space.parameters().size(), 0);  // counts of each parameter's
    std::vector<std::pair<std::uint32_t, std::uint32_t>> turns;
    for (const std::uint32_t one : near) {
      std::size_t p = 0;
      while (space.value(one, p) == space.value(centre, p)) ++p;
      turns.emplace_back(seen[p]++, one);
    }
    std::stable_sort(turns.begin(), turns.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    around_.clear();
    for (const auto& [turn, one] : turns) around_.push_back(one);
  }

  using Centre = std::pair<double, std::uint32_t>;  // cost and configuration

  Search& search_;
  std::size_t learnt_ = 0;
  std::vector<std::uint32_t> batch_;
  std::vector<std::uint32_t> order_;  // numbers, by chance up to next_
  std::size_t next_ = 0;
  std::priority_queue<Centre, std::vector<Centre>, std::greater<>> centres_;
  std::uint32_t centre_ = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> around_;  // neighbours, the next one last
};

}  // namespace

void local_search(Search& search) { LocalSearch(search).run(); }

namespace {

// Source: Jamieson and Talwalkar, "Non-stochastic best arm identification and hyperparameter
// optimization" (2016), with a third kept each time, as Hyperband does (Li and others, 2018).
constexpr std::size_t keep = 3;
constexpr std::size_t most_in_a_bracket = 81;

// Returns how many can start: all rounds take half as many again, within the budget's rest.
std::size_t bracket_size(const Search& search, std::size_t unknown) {
  const std::size_t affordable = search.left() - search.left() / keep;
  return std::min({unknown, most_in_a_bracket, std::max<std::size_t>(affordable, 1)});
}

// Sorts the better ones first; of equals the one named first.
void sort_by_cost(std::vector<std::uint32_t>& some, const Search& search) {
  std::stable_sort(some.begin(), some.end(), [&](std::uint32_t a, std::uint32_t b) {
    return search.cost(a) < search.cost(b);
  });
}

// Winners of earlier brackets know their cost better than new ones: in the last round all are asked
// with the winner's effort.
void run_bracket(Search& search, std::vector<std::uint32_t> some) {
  for (int effort = 1; !search.is_over(); effort *= static_cast<int>(keep)) {
    const bool is_last = some.size() <= keep;
    if (is_last) {
      for (const std::uint32_t one : some) effort = std::max(effort, search.effort(one));
    }
    search.ask(some, effort);
    sort_by_cost(some, search);
    if (is_last) return;
    some.resize((some.size() + keep - 1) / keep);
  }
}

}  // namespace

void successive_halving(Search& search) {
  std::vector<std::uint32_t> order(search.space().size());
  std::iota(order.begin(), order.end(), 0);
  search.shuffle(order);
  for (std::size_t from = 0; from < order.size() && !search.is_over();) {
    const auto champion = search.best();
    const std::size_t size = bracket_size(search, order.size() - from);
    std::vector<std::uint32_t> some;
    for (; from < order.size() && some.size() < size; ++from) {
      if (search.effort(order[from]) == 0) some.push_back(order[from]);
    }
    if (champion) some.push_back(*champion);
    run_bracket(search, std::move(some));
  }
}

}  // namespace kbench
