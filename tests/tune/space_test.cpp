#include "tune/space.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "problem/constraint.hpp"
#include "tune/make_space.hpp"

namespace kbench {
namespace {

SpaceParameter integers(std::string name, std::initializer_list<std::int64_t> values) {
  return {std::move(name), std::vector<ParameterValue>(values.begin(), values.end())};
}

CallFacts axes() { return {{{"hidden_size", 96}, {"rows", 5}}}; }

Space made(std::vector<SpaceParameter> parameters, const std::vector<std::string>& restrictions) {
  auto space = make_space(std::move(parameters), restrictions, axes());
  if (const auto* flaw = std::get_if<SpaceFlaw>(&space)) throw std::runtime_error(flaw->message);
  return std::get<Space>(std::move(space));
}

SpaceFlaw flaw(std::vector<SpaceParameter> parameters,
               const std::vector<std::string>& restrictions) {
  auto space = make_space(std::move(parameters), restrictions, axes());
  const auto* found = std::get_if<SpaceFlaw>(&space);
  return found != nullptr ? *found : SpaceFlaw{"a space", {}};
}

std::vector<std::string> texts(const Space& space) {
  std::vector<std::string> all;
  for (std::uint32_t i = 0; i < space.size(); ++i)
    all.push_back(configuration_text(space.configuration(i)));
  return all;
}

TEST(Space, HoldsTheProductInDeclaredOrder) {
  const Space space = made({integers("A", {4, 2}),
                            {"LAYOUT", {std::string("row"), std::string("column")}},
                            {"FAST", {false, true}}},
                           {});
  EXPECT_EQ(texts(space), (std::vector<std::string>{
                              "A=4,LAYOUT=row,FAST=false", "A=4,LAYOUT=row,FAST=true",
                              "A=4,LAYOUT=column,FAST=false", "A=4,LAYOUT=column,FAST=true",
                              "A=2,LAYOUT=row,FAST=false", "A=2,LAYOUT=row,FAST=true",
                              "A=2,LAYOUT=column,FAST=false", "A=2,LAYOUT=column,FAST=true"}));
}

TEST(Space, OfNoParametersIsOneConfiguration) {
  const Space space = made({}, {"hidden_size == 96"});
  ASSERT_EQ(space.size(), 1U);
  EXPECT_TRUE(space.configuration(0).empty());
}

TEST(Space, KeepsWhatTheConditionsAllow) {
  const Space space = made({integers("BLOCK", {64, 128, 256}), integers("VEC", {1, 2, 4, 5})},
                           {"BLOCK * VEC <= 512", "hidden_size % VEC == 0"});
  EXPECT_EQ(texts(space),
            (std::vector<std::string>{"BLOCK=64,VEC=1", "BLOCK=64,VEC=2", "BLOCK=64,VEC=4",
                                      "BLOCK=128,VEC=1", "BLOCK=128,VEC=2", "BLOCK=128,VEC=4",
                                      "BLOCK=256,VEC=1", "BLOCK=256,VEC=2"}));
}

// A condition that has no value does not hold: a division by zero, a fraction.
TEST(Space, LeavesOutWhatAConditionHasNoValueFor) {
  EXPECT_EQ(texts(made({integers("A", {0, 1, 2, 3})}, {"6 % A == 0"})),
            (std::vector<std::string>{"A=1", "A=2", "A=3"}));
  EXPECT_EQ(texts(made({integers("A", {2, 3, 4})}, {"A / 2 >= 1"})),
            (std::vector<std::string>{"A=2", "A=4"}));
}

// Filters the product, one by one.
std::vector<std::string> filtered(const Space& all, const std::vector<std::string>& restrictions) {
  std::vector<std::string> kept;
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    const Configuration configuration = all.configuration(i);
    const ConstraintScope scope{
        [&](std::string_view name) -> std::optional<std::int64_t> {
          if (name == "rows") return 5;
          const ParameterValue* value = configuration.find(name);
          const auto* integer = value != nullptr ? std::get_if<std::int64_t>(value) : nullptr;
          return integer == nullptr ? std::nullopt : std::optional(*integer);
        },
        [](std::string_view) { return std::nullopt; },
        [](std::string_view, std::span<const std::int64_t>) { return std::nullopt; }};
    const bool is_valid =
        std::all_of(restrictions.begin(), restrictions.end(), [&](const std::string& text) {
          return check_constraint(text, scope).outcome == ConstraintResult::Outcome::holds;
        });
    if (is_valid) kept.push_back(configuration_text(configuration));
  }
  return kept;
}

// Parameters are given values in another order here, and some are given up before all have one; the
// numbers are those of the declared order.
TEST(Space, IsTheFilteredProductWhateverTheConditions) {
  const std::vector<SpaceParameter> parameters{integers("A", {1, 2, 3, 4}),
                                               integers("B", {1, -2, 3}),
                                               integers("C", {5, 6, 7, 8}),
                                               {"W", {std::string("x"), std::int64_t{2}}},
                                               integers("D", {0, 1, 2, 3})};
  const Space all = made(parameters, {});
  const std::vector<std::vector<std::string>> sets{
      {"D * C <= 14", "A + C + D >= 9 or B == 2", "B != D", "rows % A == 1"},
      {"A * C * D <= 40", "A + B + C + D >= 10"},
      {"A * B * C * D <= -20"},
      {"C // D >= A", "max(A, B, D) == 3"},
      {"not (A * B * C > 20 or D > 1)", "A ** D % rows < C - B"},
      {"A <= D <= C - A - 1 if B > 0 else A + C + D == 9"},
      {"rows + A * B > D and 20 // D > C"},
      {"A < W or B == 3"}};  // no condition holds for a word
  for (const auto& restrictions : sets) {
    const std::vector<std::string> expected = filtered(all, restrictions);
    ASSERT_FALSE(expected.empty()) << restrictions.front();
    EXPECT_LT(expected.size(), all.size()) << restrictions.front();
    EXPECT_EQ(texts(made(parameters, restrictions)), expected) << restrictions.front();
  }
}

TEST(Space, FindsTheNumberOfAConfiguration) {
  const Space space =
      made({integers("A", {4, 2, 8}), {"W", {std::string("x"), 0.5, true}}}, {"A >= 4"});
  for (std::uint32_t i = 0; i < space.size(); ++i)
    EXPECT_EQ(space.number(space.configuration(i)), i);
  const auto number = [&](const char* text) {
    return space.number(std::get<Configuration>(parse_configuration(text)));
  };
  EXPECT_EQ(number("W=0.5,A=8"), 4U);  // any order will do
  EXPECT_EQ(number("A=2,W=x"), std::nullopt);
  EXPECT_EQ(number("A=3,W=x"), std::nullopt);
  EXPECT_EQ(number("A=4"), std::nullopt);
  EXPECT_EQ(number("A=4,V=x"), std::nullopt);
}

TEST(Space, NeighboursDifferInOneParameter) {
  const Space space =
      made({integers("A", {1, 2, 3, 4, 5}), integers("B", {1, 2, 3})}, {"not (A == 3 and B == 2)"});
  const auto neighbours = [&](const char* of, Neighbourhood which) {
    std::set<std::string> all;
    const auto from = space.number(std::get<Configuration>(parse_configuration(of)));
    for (const std::uint32_t n : space.neighbours(from.value(), which))
      all.insert(configuration_text(space.configuration(n)));
    return all;
  };
  EXPECT_EQ(neighbours("A=2,B=2", Neighbourhood::adjacent),
            (std::set<std::string>{"A=1,B=2", "A=2,B=1", "A=2,B=3"}));
  EXPECT_EQ(neighbours("A=1,B=1", Neighbourhood::adjacent),
            (std::set<std::string>{"A=2,B=1", "A=1,B=2"}));
  EXPECT_EQ(neighbours("A=2,B=2", Neighbourhood::any),
            (std::set<std::string>{"A=1,B=2", "A=4,B=2", "A=5,B=2", "A=2,B=1", "A=2,B=3"}));
}

TEST(Space, NamesTheConditionThatEmptiesIt) {
  const std::vector<SpaceParameter> parameters{
      integers("BLOCK", {64, 128}), integers("VEC", {1, 2}), {"LAYOUT", {std::string("row")}}};
  struct Case {
    std::vector<std::string> restrictions;
    const char* message;
    std::optional<std::size_t> restriction;
  };
  for (const Case& c :
       {Case{{"VEC > 0", "BLOCK * VEC < 64"},
             "\"BLOCK * VEC < 64\" holds for no values of BLOCK and VEC",
             1},
        {{"hidden_size == 95"},
         "\"hidden_size == 95\" does not hold on this problem, whatever the configuration",
         0},
        {{"VEC == 2", "BLOCK == 128", "BLOCK * VEC <= 128"},
         "\"BLOCK * VEC <= 128\" leaves no configuration of those for which \"VEC == 2\", "
         "\"BLOCK == 128\" holds",
         2},
        {{"LAYOUT == 1"}, "\"LAYOUT == 1\" speaks of LAYOUT, whose values are no integers", 0},
        {{"VEC == 1", "WIDTH < 3"},
         "\"WIDTH < 3\": \"WIDTH\" is no parameter and no axis, and has no whole value in "
         "this call",
         1}}) {
    const SpaceFlaw found = flaw(parameters, c.restrictions);
    EXPECT_EQ(found.message, c.message);
    EXPECT_EQ(found.restriction, c.restriction);
  }
}

TEST(Space, RefusesWhatIsTooLarge) {
  SpaceParameter wide{"P", {}};
  for (std::int64_t i = 0; i < 300; ++i) wide.values.push_back(i);
  std::vector<SpaceParameter> parameters;
  for (int i = 0; i < 3; ++i) {
    parameters.push_back(wide);
    parameters.back().name += std::to_string(i);
  }
  EXPECT_EQ(
      flaw(parameters, {}).message,
      "there are more than 16,777,216 configurations: state more conditions, or fewer values");
  EXPECT_EQ(made(parameters, {"P0 == P1"}).size(), 90'000U);
  for (int i = 3; i < 8; ++i) {
    parameters.push_back(wide);
    parameters.back().name += std::to_string(i);
  }
  EXPECT_EQ(flaw(parameters, {}).message,
            "the values of all parameters have more than 2^63 combinations");
}

// A billion combinations, about which nothing is known before all parameters have values.
TEST(Space, CanBeInterruptedWhileItIsMade) {
  std::vector<SpaceParameter> parameters{{"A", {}}, {"B", {}}, {"C", {}}};
  for (SpaceParameter& one : parameters) {
    for (std::int64_t i = 0; i < 1000; ++i) one.values.push_back(1 + i);
  }
  std::vector<double> parts;
  const auto made = make_space(parameters, {"A * B * C % 1000003 == 3"}, {}, [&parts](double part) {
    parts.push_back(part);
    return parts.size() == 100;
  });
  const auto* const found = std::get_if<SpaceFlaw>(&made);
  ASSERT_NE(found, nullptr);
  EXPECT_TRUE(found->is_interrupted);
  EXPECT_EQ(parts.size(), 100U);
  EXPECT_TRUE(std::is_sorted(parts.begin(), parts.end()));
  EXPECT_GT(parts.front(), 0);
  EXPECT_LT(parts.front(), 1e-4);
  EXPECT_GT(parts.back(), 1e-3);
  EXPECT_LT(parts.back(), 1e-2);
}

// Configurations given by hand that runs refuse are those that the space has not.
TEST(Space, HoldsWhatFitsATunable) {
  const std::vector<SpaceParameter> parameters{integers("A", {1, 2, 4}),
                                               {"FAST", {false, true}},
                                               {"W", {std::string("x"), std::int64_t{3}}},
                                               {"F", {0.5, std::int64_t{2}}}};
  Tunables tunables;
  for (const SpaceParameter& parameter : parameters)
    tunables.parameters.push_back({parameter.name, ParameterKind::define, parameter.values, {}});
  const Space all = made(parameters, {});
  for (const char* text : {"A * 2 <= 4 or FAST", "A < W", "hidden_size % A == 0 and A / F >= 1",
                           "6 // (A - 1) > 2", "not FAST or A == 2"}) {
    tunables.where = {{text, {}}};
    Diagnostics diagnostics;
    const auto space = make_space(tunables, axes(), diagnostics);
    ASSERT_TRUE(space) << text;
    for (std::uint32_t i = 0; i < all.size(); ++i) {
      const Configuration configuration = all.configuration(i);
      EXPECT_EQ(space->number(configuration).has_value(),
                unfit(configuration, tunables, axes()).empty())
          << text << " of " << configuration_text(configuration);
    }
  }
}

TEST(Space, ReportsAtTheConditionOfTheSolution) {
  Tunables tunables;
  tunables.parameters = {{"VEC", ParameterKind::define, {std::int64_t{1}}, {"kbench.yaml", 2, 3}}};
  tunables.where = {{"VEC > 0", {"kbench.yaml", 5, 5}}, {"VEC > 1", {"kbench.yaml", 6, 5}}};
  Diagnostics diagnostics;
  EXPECT_FALSE(make_space(tunables, axes(), diagnostics));
  ASSERT_EQ(diagnostics.items().size(), 1U);
  EXPECT_EQ(diagnostics.items()[0].where.line, 6);
  EXPECT_EQ(diagnostics.items()[0].message, "\"VEC > 1\" holds for no values of VEC");
}

TEST(Space, OfGivenConfigurationsSortsThem) {
  const auto configuration = [](const char* text) {
    return std::get<Configuration>(parse_configuration(text));
  };
  const std::vector<SpaceParameter> parameters{integers("A", {8, 4}), integers("B", {1, 2})};
  const auto space =
      space_of(parameters, std::vector{configuration("A=4,B=1"), configuration("A=8,B=2")});
  ASSERT_TRUE(space);
  EXPECT_EQ(texts(*space), (std::vector<std::string>{"A=8,B=2", "A=4,B=1"}));
  EXPECT_FALSE(space_of(parameters, std::vector{configuration("A=3,B=1")}));
}

}  // namespace
}  // namespace kbench
