#include "tune/make_space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "base/text.hpp"
#include "kernels/registry/call_facts.hpp"
#include "tune/restriction.hpp"

namespace kbench {
namespace {

using Outcome = Restriction::Outcome;

// Value of a parameter as conditions see it.
struct Digit {
  std::uint64_t code = 0;  // summand of a configuration's code
  RestrictionOperand operand;
};

IntegerRange range_of(const std::vector<Digit>& digits) {
  IntegerRange range{INT64_MAX, INT64_MIN};
  for (const Digit& digit : digits) {
    if (!digit.operand.is_integer) return {};
    range = {std::min(range.low, digit.operand.value), std::max(range.high, digit.operand.value)};
  }
  return range;
}

// Plan of the values to give, in order: parameters that share a restriction stand together, so that
// it is checked early.
struct Plan {
  std::vector<std::uint32_t> order;                     // numbers of parameters
  std::vector<std::vector<Digit>> digits;               // values by parameter
  std::vector<std::vector<const Restriction*>> checks;  // restrictions by place in `order`
  std::vector<std::uint64_t> steps;                     // what a value at that place costs
  // Restrictions, by place, that are not decided there, but may be out of reach.
  std::vector<std::vector<const Restriction*>> outlooks;
  std::vector<IntegerRange> ranges;  // ranges of the values, by parameter
  bool is_possible = true;           // false: a restriction that no parameter changes does not hold
};

std::vector<std::uint32_t> order_of(std::size_t parameters,
                                    const std::vector<Restriction>& restrictions) {
  std::vector<std::uint32_t> order;
  std::vector<bool> has_place(parameters, false);
  const auto missing = [&](const Restriction* restriction) {
    const auto& own = restriction->parameters();
    return std::count_if(own.begin(), own.end(), [&](std::uint32_t p) { return !has_place[p]; });
  };
  std::vector<const Restriction*> left;
  for (const Restriction& restriction : restrictions) left.push_back(&restriction);
  while (!left.empty()) {
    const auto next = std::min_element(
        left.begin(), left.end(),
        [&](const Restriction* a, const Restriction* b) { return missing(a) < missing(b); });
    for (const std::uint32_t p : (*next)->parameters()) {
      if (!has_place[p]) order.push_back(p);
      has_place[p] = true;
    }
    left.erase(next);
  }
  for (std::uint32_t p = 0; p < parameters; ++p) {
    if (!has_place[p]) order.push_back(p);
  }
  return order;
}

constexpr std::size_t parts_of_a_step = 32;  // of restrictions

// Notes at which place of the order each restriction is checked, or may be given up before.
void note_checks(const std::vector<Restriction>& restrictions, Plan& plan) {
  plan.checks.resize(plan.order.size());
  plan.outlooks.resize(plan.order.size());
  plan.steps.resize(plan.order.size(), 1);
  for (const Restriction& restriction : restrictions) {
    const auto& own = restriction.parameters();
    if (own.empty()) {
      plan.is_possible = plan.is_possible && restriction.holds({});
      continue;
    }
    std::vector<std::size_t> places;
    for (std::size_t place = 0; place < plan.order.size(); ++place) {
      if (std::binary_search(own.begin(), own.end(), plan.order[place])) places.push_back(place);
    }
    plan.checks[places.back()].push_back(&restriction);
    for (const std::size_t place : places)
      plan.steps[place] += restriction.size() / parts_of_a_step;
    // Restrictions of two parameters get no outlook: a value of the first mostly has a partner.
    for (std::size_t i = 0; i + 1 < places.size() && places.size() > 2; ++i)
      plan.outlooks[places[i]].push_back(&restriction);
  }
}

Plan plan_of(const std::vector<SpaceParameter>& parameters,
             const std::vector<std::uint64_t>& strides,
             const std::vector<Restriction>& restrictions) {
  Plan plan;
  plan.order = order_of(parameters.size(), restrictions);
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    std::vector<Digit>& digits = plan.digits.emplace_back();
    for (const ParameterValue& value : parameters[p].values)
      digits.push_back({strides[p] * digits.size(), operand_of(value)});
  }
  for (const Restriction& restriction : restrictions) {  // no word or fraction fits one
    for (const std::uint32_t p : restriction.parameters())
      std::erase_if(plan.digits[p], [](const Digit& digit) { return !digit.operand.is_integer; });
  }
  for (const std::vector<Digit>& digits : plan.digits) plan.ranges.push_back(range_of(digits));
  note_checks(restrictions, plan);
  return plan;
}

// Exception by which a watch ends the making.
struct Stopped : std::exception {};

// Walk through the configurations that the restrictions allow, up to `most` of them.
class Walk {
 public:
  Walk(const Plan& plan, std::size_t most, const SpaceWatch& watch)
      : plan_(plan),
        most_(most),
        watch_(watch),
        at_(plan.order.size()),
        operands_(plan.digits.size()),
        ranges_(plan.ranges) {}

  // Returns the codes, rising; nullopt where it took too many steps. Throws Stopped.
  std::optional<std::vector<std::uint64_t>> run() {
    if (plan_.is_possible) give(0, 0);
    if (steps_ > most_steps) return std::nullopt;
    if (!std::is_sorted(codes_.begin(), codes_.end())) std::sort(codes_.begin(), codes_.end());
    return std::move(codes_);
  }

 private:
  static constexpr std::uint64_t most_steps = std::uint64_t{1} << 29;           // ~30 s
  static constexpr std::uint64_t steps_between_looks = std::uint64_t{1} << 14;  // some ms

  void give(std::size_t place, std::uint64_t code) {
    if (place == plan_.order.size()) {
      codes_.push_back(code);
      return;
    }
    const std::uint32_t parameter = plan_.order[place];
    const std::vector<Digit>& digits = plan_.digits[parameter];
    for (std::size_t i = 0; i < digits.size(); ++i) {
      if (codes_.size() >= most_ || (steps_ += plan_.steps[place]) > most_steps) return;
      at_[place] = i;
      if (steps_ >= next_look_) look(place);
      const Digit& digit = digits[i];
      operands_[parameter] = digit.operand;
      ranges_[parameter] = range_of(digit.operand);
      if (is_allowed(place)) give(place + 1, code + digit.code);
    }
    ranges_[parameter] = plan_.ranges[parameter];
  }

  void look(std::size_t place) {
    next_look_ = steps_ + steps_between_looks;
    double part = 0;
    double step = 1;
    for (std::size_t i = 0; i <= place; ++i) {
      step /= static_cast<double>(plan_.digits[plan_.order[i]].size());
      part += step * static_cast<double>(at_[i]);
    }
    if (watch_ && watch_(part)) throw Stopped();
  }

  bool is_allowed(std::size_t place) const {
    const auto& checks = plan_.checks[place];
    return std::all_of(
               checks.begin(), checks.end(),
               [this](const Restriction* restriction) { return restriction->holds(operands_); }) &&
           has_outlook(place);
  }

  bool has_outlook(std::size_t place) const {
    const auto& outlooks = plan_.outlooks[place];
    return std::all_of(outlooks.begin(), outlooks.end(), [this](const Restriction* restriction) {
      return restriction->may_hold(ranges_);
    });
  }

  static IntegerRange range_of(const RestrictionOperand& operand) {
    return operand.is_integer ? IntegerRange{operand.value, operand.value} : IntegerRange{};
  }

  const Plan& plan_;
  std::size_t most_;
  const SpaceWatch& watch_;
  std::uint64_t steps_ = 0;
  std::uint64_t next_look_ = steps_between_looks;
  std::vector<std::size_t> at_;  // numbers of values, by place
  std::vector<RestrictionOperand> operands_;
  std::vector<IntegerRange> ranges_;
  std::vector<std::uint64_t> codes_;
};

// Returns "BLOCK and VEC".
std::string names_of(const Restriction& restriction,
                     const std::vector<SpaceParameter>& parameters) {
  std::vector<std::string> names;
  for (const std::uint32_t p : restriction.parameters()) names.push_back(parameters[p].name);
  const std::string last = names.back();
  names.pop_back();
  return names.empty() ? last : join(names, ", ") + " and " + last;
}

// Parts that restrictions are made of, and that their flaws are told with.
struct Making {
  const std::vector<SpaceParameter>& parameters;
  const std::vector<std::uint64_t>& strides;
  const std::vector<std::string>& texts;
  const std::vector<Restriction>& restrictions;  // restriction of each text
  const SpaceWatch& watch;

  std::optional<std::vector<std::uint64_t>> walk(const std::vector<Restriction>& some,
                                                 std::size_t most) const {
    const Plan plan = plan_of(parameters, strides, some);
    return Walk(plan, most, watch).run();
  }
  bool leaves_any(const std::vector<Restriction>& some) const {
    const auto found = walk(some, 1);
    return !found || !found->empty();
  }
};

bool has_only_words(const SpaceParameter& parameter) {
  return std::none_of(parameter.values.begin(), parameter.values.end(),
                      [](const ParameterValue& value) { return operand_of(value).is_integer; });
}

// Says why one restriction leaves nothing by itself.
std::string own_flaw(const Making& making, std::size_t which) {
  const std::string& text = making.texts[which];
  const Restriction& restriction = making.restrictions[which];
  if (restriction.parameters().empty())
    return fmt::format("\"{}\" does not hold on this problem, whatever the configuration", text);
  for (const std::uint32_t p : restriction.parameters()) {
    if (has_only_words(making.parameters[p]))
      return fmt::format("\"{}\" speaks of {}, whose values are no integers", text,
                         making.parameters[p].name);
  }
  return fmt::format("\"{}\" holds for no values of {}", text,
                     names_of(restriction, making.parameters));
}

// Finds the restriction that empties the space: one that leaves nothing by itself, else the first
// that leaves nothing of what those before it allow.
SpaceFlaw empty_flaw(const Making& making) {
  for (std::size_t i = 0; i < making.restrictions.size(); ++i) {
    if (!making.leaves_any({making.restrictions[i]})) return {own_flaw(making, i), i};
  }
  std::vector<Restriction> some;
  for (std::size_t i = 0; i < making.restrictions.size(); ++i) {
    some.push_back(making.restrictions[i]);
    if (making.leaves_any(some)) continue;
    const std::string before =
        join(std::vector<std::string>(making.texts.begin(), making.texts.begin() + i), "\", \"");
    return {fmt::format("\"{}\" leaves no configuration of those for which \"{}\" holds",
                        making.texts[i], before),
            i};
  }
  return {"there is no configuration: a parameter has no values", {}};
}

std::variant<std::vector<Restriction>, SpaceFlaw> compile_all(
    const std::vector<SpaceParameter>& parameters, const std::vector<std::string>& texts,
    const CallFacts& facts) {
  const NameLookup names = [&](std::string_view name) -> std::optional<RestrictionName> {
    for (std::uint32_t p = 0; p < parameters.size(); ++p) {
      if (parameters[p].name == name) return ParameterNumber{p};
    }
    return fact_or_word(name, facts);
  };
  std::vector<Restriction> restrictions;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    auto compiled = compile_restriction(texts[i], names);
    if (const auto* flaw = std::get_if<RestrictionFlaw>(&compiled))
      return SpaceFlaw{fmt::format("\"{}\": {}", texts[i], flaw->message), i};
    restrictions.push_back(std::get<Restriction>(std::move(compiled)));
  }
  return restrictions;
}

}  // namespace

std::variant<Space, SpaceFlaw> make_space(std::vector<SpaceParameter> parameters,
                                          const std::vector<std::string>& restrictions,
                                          const CallFacts& facts, const SpaceWatch& watch) try {
  const auto strides = strides_of(parameters);
  if (!strides)
    return SpaceFlaw{"the values of all parameters have more than 2^63 combinations", {}};
  auto compiled = compile_all(parameters, restrictions, facts);
  if (const auto* flaw = std::get_if<SpaceFlaw>(&compiled)) return *flaw;
  const Making making{parameters, *strides, restrictions,
                      std::get<std::vector<Restriction>>(compiled), watch};
  auto codes = making.walk(making.restrictions, most_configurations + 1);
  if (!codes)
    return SpaceFlaw{
        "there are too many combinations to look for the configurations among them: tighten the "
        "conditions under where (those over few parameters, such as A * B <= 64, spare most), or "
        "state fewer values",
        {}};
  if (codes->size() > most_configurations)
    return SpaceFlaw{
        "there are more than 16,777,216 configurations: state more conditions, or fewer values",
        {}};
  if (codes->empty()) return empty_flaw(making);
  return Space(std::move(parameters), *std::move(codes));
} catch (const Stopped&) {
  return SpaceFlaw{"it was interrupted before all configurations were found", {}, true};
}

namespace {

// Makes the space of a call's candidates, and of the heuristic's, which is held against them.
std::optional<Space> space_of_candidates(const Tunables& tunables,
                                         std::vector<SpaceParameter> parameters,
                                         const CallFacts& facts, Diagnostics& diagnostics) {
  std::vector<Configuration> some = candidates_for(tunables, facts);
  if (auto values = heuristic_configuration(tunables, facts)) some.push_back(*std::move(values));
  if (!some.empty()) return space_of(std::move(parameters), some);
  diagnostics.error(tunables.candidates.front().where,
                    "none of the candidates is for this call: their conditions do not hold, or "
                    "where forbids them");
  return std::nullopt;
}

}  // namespace

std::optional<Space> make_space(const Tunables& tunables, const CallFacts& facts,
                                Diagnostics& diagnostics, const SpaceWatch& watch) {
  std::vector<SpaceParameter> parameters;
  for (const Parameter& parameter : tunables.parameters)
    parameters.push_back({parameter.name, parameter.values});
  if (!tunables.candidates.empty())
    return space_of_candidates(tunables, std::move(parameters), facts, diagnostics);
  std::vector<std::string> restrictions;
  for (const Condition& condition : tunables.where) restrictions.push_back(condition.text);
  auto made = make_space(std::move(parameters), restrictions, facts, watch);
  if (auto* space = std::get_if<Space>(&made)) return std::move(*space);
  const auto& flaw = std::get<SpaceFlaw>(made);
  Where where;
  if (flaw.restriction) {
    where = tunables.where[*flaw.restriction].where;
  } else if (!flaw.is_interrupted && !tunables.parameters.empty()) {
    where = tunables.parameters.front().where;
  }
  diagnostics.error(std::move(where), flaw.message);
  return std::nullopt;
}

}  // namespace kbench
