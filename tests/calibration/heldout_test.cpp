// Held-out programs are what they are called: right ones near a long double answer, wrong ones not.
// No rule judges here. KBENCH_FULL=1: all seeds.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "calibration/mutants/heldout_tasks.hpp"
#include "calibration/mutants/third_tasks.hpp"
#include "calibration/mutants/workload.hpp"
#include "reference/exact_case.hpp"

namespace kbench {
namespace {

using namespace mutants;
using heldout::HeldOut;
using heldout::Made;
using heldout::Output;
using heldout::Values;

// Distance of outputs from the answer. Errors are in units of the largest element of the answer's
// row; `apart` is the share of elements that are not the answer rounded to the dtype.
struct Distance {
  double largest = 0, mean = 0, inwards = 0, apart = 0;
};

constexpr double no_number = 1e30;

long double highest_number(DType dtype) {
  switch (dtype) {
    case DType::float16:
      return 65504;
    case DType::float8_e4m3fn:
      return 448;
    case DType::float8_e5m2:
      return 57344;
    case DType::float4_e2m1:
      return 6;
    default:
      return info(dtype).kind == DTypeKind::floating ? std::numeric_limits<float>::max() : 1e30L;
  }
}

long double element_of(const TensorView& view, std::size_t i) {
  const Scalar value = element(view.dtype, view.data, i);
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return *whole;
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? 1 : 0;
  return std::get<double>(value);
}

Values elements(const TensorView& view) {
  Values out;
  for (std::size_t i = 0; i < element_count(view.shape); ++i) out.push_back(element_of(view, i));
  return out;
}

double error(long double got, long double answer, long double unit, DType dtype) {
  if (std::isnan(answer) || std::isnan(got))
    return std::isnan(answer) == std::isnan(got) ? 0 : no_number;
  const long double most = highest_number(dtype);
  const long double d = std::clamp(got, -most, most) - std::clamp(answer, -most, most);
  if (d == 0) return 0;
  return static_cast<double>(std::min(d / std::max(unit, 1e-300L) * (answer < 0 ? -1 : 1), 1e30L));
}

Values units(const Output& output, const Values& answer) {
  Values out(answer.size());
  for (std::size_t first = 0; first < answer.size(); first += output.columns) {
    const std::size_t end = std::min(answer.size(), first + output.columns);
    long double unit = 0;
    for (std::size_t i = first; i < end; ++i)
      if (std::isfinite(answer[i])) unit = std::max(unit, std::fabs(answer[i]));
    std::fill(out.begin() + static_cast<long>(first), out.begin() + static_cast<long>(end), unit);
  }
  return out;
}

Distance distance(const Output& output, const Values& got, const Values& answer) {
  Distance out;
  if (got.empty()) return out;
  const Values unit = units(output, answer);
  const Bytes bytes = heldout::stored_values(output.dtype, answer, false);
  const auto n = static_cast<double>(got.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double e = error(got[i], answer[i], unit[i], output.dtype);
    out.largest = std::max(out.largest, std::fabs(e));
    out.mean += std::min(e * e, 1e60) / n;
    out.inwards -= e / n;
    const TensorView one{output.dtype, {std::int64_t(got.size())}, bytes.data(), bytes.size()};
    const long double best = element_of(one, i);
    if (!(got[i] == best || (std::isnan(got[i]) && std::isnan(best)))) out.apart += 1 / n;
  }
  out.mean = std::sqrt(out.mean);
  return out;
}

Distance worst(const Distance& a, const Distance& b) {
  return {std::max(a.largest, b.largest), std::max(a.mean, b.mean),
          std::max(std::fabs(a.inwards), std::fabs(b.inwards)), std::max(a.apart, b.apart)};
}

bool has_codes(DType dtype) { return info(dtype).bits <= 8 || info(dtype).significand == 0; }

// Tells whether `wrong` is over three times as far as any right program in one of the measures.
bool is_beyond(const Distance& wrong, const Distance& right, DType dtype) {
  const bool is_apart = has_codes(dtype) && wrong.apart > 3 * right.apart;
  return is_apart || wrong.largest > 3 * right.largest || wrong.mean > 3 * right.mean ||
         std::fabs(wrong.inwards) > 3 * right.inwards;
}

// Tells whether `d` is what right programs keep to on random inputs, by the row's largest element:
// float32 1e-5, 16 bits two steps, 8 and 4 bits one step; whole numbers are right in 99 of 100.
bool is_near(const Distance& d, DType dtype) {
  if (info(dtype).kind != DTypeKind::floating) return d.apart <= 0.01;
  const double step = 2 * unit_roundoff(dtype);
  const double steps = info(dtype).bits == 16 ? 2 : 1;
  return d.largest <= (dtype == DType::float32 ? 1e-5 : steps * step);
}

using Distances = std::vector<Distance>;  // one for each output

struct Set {
  std::string name;
  std::vector<HeldOut> (*tasks)();
  std::uint64_t first_seed;
};

void PrintTo(const Set& set, std::ostream* out) { *out << set.name; }

class HeldOutTest : public ExactTest, public testing::WithParamInterface<Set> {
 protected:
  struct Drawn {
    std::vector<Given> given;  // the first is the random one
    std::vector<Made> answers;
  };

  static Distances distances(const HeldOut& held, const Given& given, const Made& made,
                             const Made& answer) {
    Distances out;
    for (std::size_t i = 0; i < held.outputs.size(); ++i) {
      const Output& output = held.outputs[i];
      if (output.score) {
        const Output scores{DType::float32, output.columns};
        out.push_back(
            distance(scores, output.score(given, made[i]), output.score(given, answer[i])));
      } else {
        out.push_back(distance(output, made[i], answer[i]));
      }
    }
    return out;
  }

  static Made run(const HeldOut& held, const Program& program, const Given& given,
                  const Made& answer) {
    const Outputs outputs = program.run(given);
    Made made;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const std::vector<std::int64_t> shape{std::int64_t(answer[i].size())};
      made.push_back(
          elements({held.outputs[i].dtype, shape, outputs[i].data(), outputs[i].size()}));
    }
    return made;
  }

  Drawn drawn(const HeldOut& held, std::uint64_t seed) {
    Drawn out;
    const PreparedWorkload workload = prepared(definition_of(held.task), workload_of(held.task),
                                               seed, evaluator(EvaluatorChoice::libtorch));
    for (const auto* some : {&workload.trials, &workload.structured}) {
      for (const Trial& trial : *some) {
        out.given.push_back(given_of(trial));
        out.answers.push_back(held.truth(out.given.back(), {}));
        if (some == &workload.trials) check_reference(held, trial, out);
      }
    }
    return out;
  }

  // The reference's text and the programs' author mean the same.
  static void check_reference(const HeldOut& held, const Trial& trial, const Drawn& drawn) {
    Made made;
    for (const TensorView& view : trial.reference.outputs) made.push_back(elements(view));
    const auto far = distances(held, drawn.given.back(), made, drawn.answers.back());
    for (std::size_t i = 0; i < far.size(); ++i)
      EXPECT_TRUE(is_near(far[i], held.outputs[i].dtype))
          << held.task.name << ": the reference, output " << i << ": " << far[i].largest;
  }

  // Returns right programs' distances at random inputs, which must be near; all must be numbers.
  static Distances right_ones(const HeldOut& held, const std::vector<Drawn>& seeds) {
    Distances limit(held.outputs.size());
    for (const Program& program : held.task.programs) {
      if (!program.right) continue;
      for (const Drawn& d : seeds) {
        for (std::size_t s = 0; s < d.given.size(); ++s) {
          const auto far = distances(held, d.given[s], run(held, program, d.given[s], d.answers[s]),
                                     d.answers[s]);
          for (std::size_t i = 0; i < far.size(); ++i) {
            if (s == 0) limit[i] = worst(limit[i], far[i]);
            const Output& output = held.outputs[i];
            const bool is_good = s == 0
                                     ? is_near(far[i], output.score ? DType::int64 : output.dtype)
                                     : far[i].largest < no_number;
            EXPECT_TRUE(is_good) << held.task.name << ": " << program.name << ", output " << i
                                 << ", set " << s << ": " << far[i].largest << " " << far[i].apart;
          }
        }
      }
    }
    return limit;
  }

  static bool is_wrong(const HeldOut& held, const Program& program, const Drawn& d, std::size_t s,
                       const Distances& limit) {
    const auto far =
        distances(held, d.given[s], run(held, program, d.given[s], d.answers[s]), d.answers[s]);
    for (std::size_t i = 0; i < far.size(); ++i)
      if (is_beyond(far[i], limit[i], held.outputs[i].score ? DType::int64 : held.outputs[i].dtype))
        return true;
    return false;
  }
};

TEST_P(HeldOutTest, ProgramsAreWhatTheyAreCalled) {
  const bool full = std::getenv("KBENCH_FULL") != nullptr;
  for (const HeldOut& held : GetParam().tasks()) try {
      std::vector<Drawn> seeds;
      for (std::uint64_t i = 0; i < (full ? 16 : 1); ++i)
        seeds.push_back(drawn(held, GetParam().first_seed + i));
      const Distances limit = right_ones(held, seeds);
      seeds.resize(full ? 10 : 1);
      for (const Program& program : held.task.programs) {
        if (program.right) continue;
        const auto count = std::count_if(seeds.begin(), seeds.end(), [&](const Drawn& d) {
          return is_wrong(held, program, d, 0, limit);
        });
        EXPECT_EQ(count, std::ssize(seeds))
            << held.task.name << " to " << info(held.task.dtype).name << ": " << program.name;
      }
    } catch (const std::exception& error) {
      ADD_FAILURE() << held.task.name << ": " << error.what();
    }
}

// The set has enough of each.
TEST_P(HeldOutTest, HasAllDtypesAndManyOps) {
  std::set<DType> dtypes;
  std::map<std::string, int> ops;
  std::size_t right = 0, wrong = 0;
  for (const HeldOut& held : GetParam().tasks()) {
    std::set<std::string> names;
    std::size_t mine = 0;
    for (const Program& program : held.task.programs) {
      EXPECT_TRUE(names.insert(program.name).second) << held.task.name << ": " << program.name;
      mine += program.right ? 1 : 0;
    }
    EXPECT_GE(mine, 2U) << held.task.name;
    EXPECT_GE(held.task.programs.size() - mine, 7U) << held.task.name;
    right += mine;
    wrong += held.task.programs.size() - mine;
    dtypes.insert(held.task.dtype);
    ++ops[held.task.op_type];
  }
  for (const DTypeInfo& one : kbench::dtypes())
    EXPECT_TRUE(dtypes.contains(one.dtype) || !is_in_flashinfer_bench(one.dtype)) << one.name;
  EXPECT_GE(ops.size(), 10U);
  fmt::print("{} right, {} wrong\n", right, wrong);
  for (const auto& [op, count] : ops) fmt::print("{} {}\n", op, count);
}

INSTANTIATE_TEST_SUITE_P(HeldOut, HeldOutTest,
                         testing::Values(Set{"second", heldout_set, heldout_first_seed},
                                         Set{"third", third_set, third_first_seed}),
                         [](const auto& set) { return set.param.name; });

}  // namespace
}  // namespace kbench
