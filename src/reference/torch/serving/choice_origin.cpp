#include "reference/torch/serving/choice_origin.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace kbench {
namespace {

constexpr std::int64_t most_reruns = 64;

struct ChoiceOrigin {
  std::vector<std::size_t> events;
  std::vector<std::int64_t> slots, options;
};

// Run of the reference once more on the same inputs, with other picks in place of its own.
using Rerun = std::function<std::vector<at::Tensor>(std::map<std::size_t, at::Tensor> picks)>;

using Numbers = std::vector<std::int64_t>;
using Picks = std::map<std::size_t, at::Tensor>;
using Group = std::vector<std::size_t>;  // numbers of events

bool is_choice(const ChoiceEvent& event) {
  return event.rounding == Rounding::none && event.scores.defined() && event.picked.numel() > 0;
}

bool is_integer(const at::Tensor& tensor) {
  return c10::isIntegralType(tensor.scalar_type(), false);
}

Numbers numbers_of(const at::Tensor& tensor) {
  const at::Tensor whole = tensor.to(at::kLong).contiguous();
  const auto* data = whole.const_data_ptr<std::int64_t>();
  return {data, data + whole.numel()};
}

// Returns the picks of a group as the operators give them, one event after the other.
Numbers given(const Group& group, const std::vector<ChoiceEvent>& events, const Picks& picks) {
  Numbers out;
  for (const std::size_t number : group) {
    const Numbers part = numbers_of(events[number].as_given(picks.at(number)));
    out.insert(out.end(), part.begin(), part.end());
  }
  return out;
}

Picks own_picks(const Group& group, const std::vector<ChoiceEvent>& events) {
  Picks picks;
  for (const std::size_t number : group) picks[number] = events[number].picked;
  return picks;
}

// Moves each pick to the next option.
Picks next_picks(const Group& group, const std::vector<ChoiceEvent>& events) {
  Picks picks;
  for (const std::size_t number : group) {
    const ChoiceEvent& event = events[number];
    picks[number] = (event.picked + 1).remainder(event.scores.size(1));
  }
  return picks;
}

std::int64_t step_of(const ChoiceEvent& event) {
  const std::int64_t picked = event.picked.size(1);
  return picked < event.scores.size(1) ? picked : 1;
}

// Picks options step·turn, step·turn + 1, …: after enough turns every row has shown all.
Picks swept_picks(const Group& group, const std::vector<ChoiceEvent>& events, std::int64_t turn) {
  Picks picks;
  for (const std::size_t number : group) {
    const ChoiceEvent& event = events[number];
    const std::int64_t start = turn * step_of(event);
    const at::Tensor row =
        at::arange(start, start + event.picked.size(1), at::kLong).remainder(event.scores.size(1));
    picks[number] = row.expand(event.picked.sizes()).contiguous();
  }
  return picks;
}

std::int64_t turns_of(const Group& group, const std::vector<ChoiceEvent>& events) {
  std::int64_t turns = 2;
  for (const std::size_t number : group) {
    const std::int64_t options = events[number].scores.size(1),
                       picked = events[number].picked.size(1);
    turns = std::max(turns, (options + picked - 1) / picked);
  }
  return turns;
}

// Element of given(): its row, counted over the group, and its place in rows.
struct Element {
  std::size_t row = 0;
  std::size_t place = 0;  // index in the group's picks, row after row
};

std::vector<Element> elements_of(const Group& group, const std::vector<ChoiceEvent>& events) {
  std::vector<Element> out;
  std::size_t first_row = 0, first_place = 0;
  for (const std::size_t number : group) {
    const ChoiceEvent& event = events[number];
    const auto picked = static_cast<std::size_t>(event.picked.size(1));
    const at::Tensor places =
        at::arange(event.picked.numel(), at::kLong).reshape(event.picked.sizes());
    for (const std::int64_t place : numbers_of(event.as_given(places))) {
      const auto at = static_cast<std::size_t>(place);
      out.push_back({first_row + at / picked, first_place + at});
    }
    first_row += static_cast<std::size_t>(event.picked.size(0));
    first_place += static_cast<std::size_t>(event.picked.numel());
  }
  return out;
}

// Returns the groups that an output may be, larger ones first: all events of a name (a loop's); all
// that pick one of a row; one event.
std::vector<Group> groups_of(const std::vector<ChoiceEvent>& events) {
  constexpr std::size_t most_alone = 16;
  std::map<std::string, Group> named;
  Group single, all;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (!is_choice(events[i])) continue;
    all.push_back(i);
    named[events[i].name].push_back(i);
    if (events[i].picked.size(1) == 1) single.push_back(i);
  }
  std::vector<Group> out;
  for (auto& [name, group] : named) out.push_back(std::move(group));
  out.push_back(std::move(single));
  if (all.size() > most_alone) return out;
  for (const std::size_t number : all) out.push_back({number});
  return out;
}

std::size_t count_of(const Group& group, const std::vector<ChoiceEvent>& events) {
  std::size_t count = 0;
  for (const std::size_t number : group)
    count += static_cast<std::size_t>(events[number].picked.numel());
  return count;
}

// Returns the origin if the output is the picked indices themselves.
std::optional<ChoiceOrigin> as_indices(const Group& group, std::size_t output, const Numbers& own,
                                       const std::vector<ChoiceEvent>& events, const Rerun& rerun) {
  if (count_of(group, events) != own.size()) return std::nullopt;
  if (given(group, events, own_picks(group, events)) != own) return std::nullopt;
  const Picks other = next_picks(group, events);
  if (numbers_of(rerun(other)[output]) != given(group, events, other)) return std::nullopt;
  ChoiceOrigin origin{group, Numbers(own.size()), {}};
  const std::vector<Element> elements = elements_of(group, events);
  for (std::size_t i = 0; i < elements.size(); ++i)
    origin.slots[elements[i].place] = static_cast<std::int64_t>(i);
  return origin;
}

// Table that the output was made with, as far as it has been seen.
class Table {
 public:
  Table(const Group& group, const std::vector<ChoiceEvent>& events) {
    for (const std::size_t number : group) {
      for (std::int64_t row = 0; row < events[number].scores.size(0); ++row) {
        first_.push_back(values_.size());
        values_.resize(values_.size() + static_cast<std::size_t>(events[number].scores.size(1)));
      }
    }
  }

  // Tells whether the value fits what was seen before.
  bool learn(std::size_t row, std::int64_t option, std::int64_t value) {
    auto& known = values_[first_[row] + static_cast<std::size_t>(option)];
    if (known) return *known == value;
    known = value;
    return true;
  }

  // Returns nothing while an option is unknown.
  std::optional<Numbers> whole() const {
    Numbers out;
    for (const auto& value : values_) {
      if (!value) return std::nullopt;
      out.push_back(*value);
    }
    return out;
  }

 private:
  std::vector<std::size_t> first_;
  std::vector<std::optional<std::int64_t>> values_;
};

struct Sweep {
  std::vector<Numbers> picks, outputs;  // one a turn
};

std::vector<std::size_t> changing(const Sweep& sweep) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < sweep.outputs.front().size(); ++i) {
    const bool changes =
        std::any_of(sweep.outputs.begin(), sweep.outputs.end(),
                    [&](const Numbers& one) { return one[i] != sweep.outputs.front()[i]; });
    if (changes) out.push_back(i);
  }
  return out;
}

// Returns the origin if the output is a table's entry for each pick.
std::optional<ChoiceOrigin> by_table(const Group& group, std::size_t output, const Numbers& own,
                                     const std::vector<ChoiceEvent>& events, const Rerun& rerun) {
  const std::int64_t turns = turns_of(group, events);
  if (turns > most_reruns || count_of(group, events) > own.size()) return std::nullopt;
  Sweep sweep{{given(group, events, own_picks(group, events))}, {own}};
  for (std::int64_t turn = 0; turn < turns; ++turn) {
    const Picks picks = swept_picks(group, events, turn);
    sweep.picks.push_back(given(group, events, picks));
    sweep.outputs.push_back(numbers_of(rerun(picks)[output]));
    if (sweep.outputs.back().size() != own.size()) return std::nullopt;
  }
  const std::vector<std::size_t> slots = changing(sweep);
  const std::vector<Element> elements = elements_of(group, events);
  if (slots.size() != elements.size()) return std::nullopt;
  Table table(group, events);
  for (std::size_t turn = 0; turn < sweep.picks.size(); ++turn) {
    for (std::size_t i = 0; i < slots.size(); ++i) {
      if (!table.learn(elements[i].row, sweep.picks[turn][i], sweep.outputs[turn][slots[i]]))
        return std::nullopt;
    }
  }
  auto options = table.whole();
  if (!options) return std::nullopt;
  ChoiceOrigin origin{group, Numbers(slots.size()), std::move(*options)};
  for (std::size_t i = 0; i < slots.size(); ++i)
    origin.slots[elements[i].place] = static_cast<std::int64_t>(slots[i]);
  return origin;
}

std::optional<ChoiceOrigin> find_choice(const std::vector<at::Tensor>& outputs, std::size_t output,
                                        const std::vector<ChoiceEvent>& events,
                                        const Rerun& rerun) {
  const Numbers own = numbers_of(outputs[output]);
  const std::vector<Group> groups = groups_of(events);
  for (const auto attempt : {&as_indices, &by_table}) {
    for (const Group& group : groups) {
      if (group.empty()) continue;
      if (auto origin = attempt(group, output, own, events, rerun)) return origin;
    }
  }
  return std::nullopt;
}

at::Tensor rounded(const ChoiceEvent& event) {
  switch (event.rounding) {
    case Rounding::down:
      return event.scores.floor();
    case Rounding::up:
      return event.scores.ceil();
    case Rounding::toward_zero:
      return event.scores.trunc();
    default:
      return event.scores.round();
  }
}

bool rounds_fractions(const ChoiceEvent& event) {
  return event.rounding != Rounding::none && event.scores.defined() &&
         !at::equal(event.scores, event.scores.round());
}

// Tells whether the event rounds no fractions and an earlier one of as many numbers did (round(x) +
// 3): it changes no number any more, and says nothing of those near.
bool comes_too_late(const std::vector<ChoiceEvent>& events, std::size_t number) {
  const ChoiceEvent& event = events[number];
  if (rounds_fractions(event)) return false;
  return std::any_of(events.begin(), events.begin() + static_cast<std::ptrdiff_t>(number),
                     [&](const ChoiceEvent& one) {
                       return rounds_fractions(one) && one.scores.numel() == event.scores.numel();
                     });
}

// Returns the number of the event that an output was rounded from: its numbers, held within the
// range that the output has.
std::optional<std::size_t> find_rounding(const at::Tensor& output,
                                         const std::vector<ChoiceEvent>& events) {
  const at::Tensor own = output.to(at::kDouble).reshape({1, -1});
  for (std::size_t i = 0; i < events.size(); ++i) {
    const ChoiceEvent& event = events[i];
    if (event.rounding == Rounding::none || !event.scores.defined()) continue;
    if (event.scores.numel() != own.numel()) continue;
    const at::Tensor numbers = rounded(event);
    // Range of equal numbers: holding others within it would say nothing.
    const bool is_same = own.min().equal(own.max());
    if (at::equal(is_same ? numbers : numbers.clamp(own.min(), own.max()), own) &&
        !comes_too_late(events, i))
      return i;
  }
  return std::nullopt;
}

// Tells whether the scores of these events are an input's elements.
bool are_input(const Group& group, const ObservedRun& run) {
  std::vector<at::Tensor> rows;
  for (const std::size_t number : group) rows.push_back(run.events[number].scores);
  if (std::any_of(rows.begin(), rows.end(),
                  [&](const at::Tensor& one) { return one.size(1) != rows.front().size(1); }))
    return false;
  const at::Tensor scores = at::cat(rows).reshape(-1);
  return std::any_of(run.arguments.begin(), run.arguments.end(), [&](const c10::IValue& argument) {
    return argument.isTensor() && argument.toTensor().numel() == scores.numel() &&
           at::equal(argument.toTensor().reshape(-1).to(at::kDouble), scores);
  });
}

std::vector<ChoiceRow> rows_of(const Group& group, const ObservedRun& run) {
  const bool is_input = are_input(group, run);
  std::vector<ChoiceRow> out;
  for (const std::size_t number : group) {
    const ChoiceEvent& event = run.events[number];
    const ChoiceRow row{event.kind, event.order, event.picked.size(1), event.scores.size(1),
                        is_input ? 1 : 0};
    out.insert(out.end(), static_cast<std::size_t>(event.picked.size(0)), row);
  }
  return out;
}

OutputOrigin find_origin(const ObservedRun& run, std::size_t output, const Rerun& rerun) {
  OutputOrigin out;
  if (!is_integer(run.outputs[output]) || run.outputs[output].numel() == 0) return out;
  if (auto choice = find_choice(run.outputs, output, run.events, rerun)) {
    out.rows = rows_of(choice->events, run);
    out.events = std::move(choice->events);
    out.slots = std::move(choice->slots);
    out.options = std::move(choice->options);
  } else if (const auto event = find_rounding(run.outputs[output], run.events)) {
    out.rounding = run.events[*event].rounding;
    out.events = {*event};
  }
  return out;
}

}  // namespace

std::vector<OutputOrigin> find_origins(const ObservedRun& run, ChoiceRecorder& recorder,
                                       const std::function<std::vector<at::Tensor>()>& rerun) {
  std::vector<OutputOrigin> out(run.outputs.size());
  std::set<std::size_t> needed;
  if (!recorder.overflowed()) {
    // Runs that fail with picks that are not their own do not follow them.
    const Rerun with_picks = [&](Picks picks) {
      recorder.force(std::move(picks));
      std::vector<at::Tensor> outputs = run.outputs;
      try {
        outputs = rerun();
      } catch (...) {
      }
      recorder.force({});
      return outputs;
    };
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = find_origin(run, i, with_picks);
      needed.insert(out[i].events.begin(), out[i].events.end());
    }
  }
  recorder.keep_only(needed);
  return out;
}

}  // namespace kbench
