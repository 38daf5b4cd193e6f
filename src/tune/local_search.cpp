#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "tune/search_state.hpp"
#include "tune/strategies.hpp"

namespace kbench {
namespace {

// Around the best one known lie those that differ from it in one parameter: they are asked about
// one after the other until one is better, which is the best one then. Where none is, it goes on
// around the next best. One in four is from anywhere, so that a search gets out of where it began;
// on recorded spaces that finds more than climbing to the end and beginning anew.
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
  // After 25 evaluations more was found from eight than from four and from sixteen.
  static constexpr std::size_t at_first = 8;

  void learn(std::uint32_t one) {
    ++learnt_;
    const double cost = search_.cost(one);
    if (cost < std::numeric_limits<double>::infinity()) centres_.emplace(cost, one);
  }

  // False where everything is known, or asked about in this batch.
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

  // Lists what lies around it, a parameter at a time in turns: one of many values does not keep the
  // others waiting.
  void surround(std::uint32_t centre) {
    centre_ = centre;
    const Space& space = search_.space();
    std::vector<std::uint32_t> near = space.neighbours(centre, Neighbourhood::any);
    search_.shuffle(near);
    std::vector<std::uint32_t> seen(space.parameters().size(), 0);  // how many of each parameter
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
  std::vector<std::uint32_t> order_;  // by chance up to next_
  std::size_t next_ = 0;
  std::priority_queue<Centre, std::vector<Centre>, std::greater<>> centres_;
  std::uint32_t centre_ = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> around_;  // the next one last
};

}  // namespace

void local_search(Search& search) { LocalSearch(search).run(); }

}  // namespace kbench
