// Values that follow from what the reference was seen to do with its inputs.
#include "problem/data/seen_values.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "data/value_case.hpp"
#include "problem/data/generate.hpp"
#include "problem/element.hpp"

namespace kbench {
namespace {

class SeenValues : public ::testing::Test {
 protected:
  ValueCase c;
  SeenUses known;

  SeenValues() {
    c.axis("b", 16).axis("n", 8);
    c.input("t", DType::int64, {"b", "n"}).input("m", DType::boolean, {"b", "n"});
    c.input("x", DType::float32, {"b", "n", "n"});
    known.resize(3);
  }

  // Elements of an input after `change`, row by row.
  template <class Change>
  std::vector<double> made(std::size_t input, const Change& change) {
    const Problem problem = c.problem();
    Diagnostics problems;
    Inputs inputs = generate_inputs(problem, {}, {.seed = 1}, problems);
    change(problem, inputs);
    const TensorView& tensor = inputs.values[input].tensor;
    std::vector<double> out(element_count(tensor.shape));
    decode(tensor.dtype, tensor.data, 0, std::span(out));
    return out;
  }
  std::vector<double> adapted(std::size_t input) {
    return made(input, [this](const Problem& problem, Inputs& inputs) {
      adapt(problem, {}, known, {.seed = 1}, inputs);
    });
  }
  std::vector<double> set(std::size_t input, InputSet kind, std::uint32_t turn, int bits = 0) {
    return made(input, [&](const Problem& problem, Inputs& inputs) {
      const Structure structure{.set = kind, .seed = 1, .turn = turn};
      EXPECT_TRUE(make_whole_numbers(problem, {}, known, {structure, bits}, inputs));
    });
  }
};

TEST_F(SeenValues, ConstantsStandAtSomePlacesAndInTheLastRow) {
  known[0].compared = {5000, -100};
  const std::vector<double> values = adapted(0);
  const auto is_one = [](double value) { return value == 5000 || value == -100; };
  const auto count = std::count_if(values.begin(), values.end() - 8, is_one);
  EXPECT_GE(count, 5);
  EXPECT_LE(count, 35);
  EXPECT_TRUE(std::all_of(values.end() - 8, values.end(), is_one));
  EXPECT_EQ(set(0, InputSet::constants, 1), std::vector<double>(128, -100));
}

TEST_F(SeenValues, IndicesAndDivisors) {
  known[0].index_of = 7;
  for (const double value : adapted(0)) EXPECT_TRUE(value >= 0 && value < 7) << value;
  known[0].need = InputNeed::not_zero;
  for (const double value : adapted(0)) EXPECT_TRUE(value >= 1 && value < 7) << value;
}

TEST_F(SeenValues, SortedRows) {
  known[0].need = InputNeed::sorted;
  const std::vector<double> values = adapted(0);
  for (std::size_t r = 0; r < 128; r += 8)
    EXPECT_TRUE(std::is_sorted(values.begin() + r, values.begin() + r + 8)) << r;
}

TEST_F(SeenValues, MatricesThatAreSymmetricAndDefinite) {
  for (const InputNeed need : {InputNeed::symmetric, InputNeed::definite}) {
    known[2].need = need;
    const std::vector<double> a = adapted(2);
    for (std::size_t r = 0; r < 8; ++r) {
      for (std::size_t k = 0; k < 8; ++k) EXPECT_EQ(a[r * 8 + k], a[k * 8 + r]);
      if (need == InputNeed::definite) EXPECT_GT(a[r * 8 + r], 1);
    }
  }
}

TEST_F(SeenValues, LargeIntegers) {
  for (const int bits : {30, 52}) {
    const std::vector<double> both = set(0, InputSet::large_integers, 0, bits);
    const auto [low, high] = std::minmax_element(both.begin(), both.end());
    EXPECT_GT(*high, std::ldexp(0.5, bits));
    EXPECT_LE(*high, std::ldexp(1.0, bits));
    EXPECT_LT(*low, -std::ldexp(0.5, bits));
    for (const double value : set(0, InputSet::large_integers, 1, bits)) EXPECT_LT(value, 0);
  }
}

TEST_F(SeenValues, RowsOfMasks) {
  for (const std::uint32_t turn : {0U, 1U}) {
    const std::vector<double> values = set(1, InputSet::masks, turn);
    for (std::size_t r = 0; r < 16; r += 3)
      EXPECT_EQ(std::count(values.begin() + r * 8, values.begin() + r * 8 + 8, turn), 8) << r;
  }
}

TEST_F(SeenValues, LearnsWhatIsNewAlone) {
  SeenUses seen(3);
  EXPECT_FALSE(learn(seen, c.problem(), {}, known));
  seen[0].compared = {3};
  EXPECT_TRUE(learn(seen, c.problem(), {}, known));
  EXPECT_FALSE(learn(seen, c.problem(), {}, known));
  ValuePlan declared(3);
  declared[0] = ValueRule{.kind = ValueKind::ids, .low = 0, .high = 9};
  c.input("t", DType::int64, {"b", "n"}, {.kind = ValueKind::ids});
  seen[0].compared = {-100};  // beyond what the workload says
  EXPECT_FALSE(learn(seen, c.problem(), declared, known));
  seen[0].compared.clear();
  seen[2].index_of = 4;  // no integers
  EXPECT_FALSE(learn(seen, c.problem(), {}, known));
}

}  // namespace
}  // namespace kbench
