// Solutions as ranks, by the real programs: right ones, and the outcomes of wrong and hostile ones.
#include "judge/derive/sharded.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <regex>

#include "judge/records.hpp"

namespace kbench {
namespace {

using nlohmann::json;

constexpr std::int64_t rows = 6, columns = 12;

// y[M] = the sums of x[M, K] over K.
Stored<Definition> sums() {
  return stored<Definition>(
      {{"name", "sums"},
       {"op_type", "test"},
       {"axes", {{"M", {{"type", "var"}}}, {"K", {{"type", "var"}}}}},
       {"inputs", {{"x", {{"shape", {"M", "K"}}, {"dtype", "float32"}}}}},
       {"outputs", {{"y", {{"shape", {"M"}}, {"dtype", "float32"}}}}},
       {"reference", "import torch\n\ndef run(x):\n    return x.sum(dim=1)\n"}});
}

Stored<Trace> sums_workload() {
  return stored<Trace>({{"definition", "sums"},
                        {"workload",
                         {{"axes", {{"M", rows}, {"K", columns}}},
                          {"inputs", {{"x", {{"type", "random"}}}}},
                          {"uuid", "w"}}},
                        {"solution", nullptr},
                        {"evaluation", nullptr}});
}

// `sharded` is the body of run_sharded: `rank` is known, `part` has the row sums of the rank's
// share, which is `m` rows of `k` elements.
std::string summing_source(const std::string& sharded, const std::string& more = "") {
  return R"(#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cmath>
#include <stdexcept>
#include <unistd.h>
#include <vector>
#include "kbench_ffi.h"
#include "kbench_rank.h"
using kbench::Tensor;
static std::vector<float> row_sums(Tensor x) {
  std::vector<float> out(static_cast<size_t>(x.size(0)));
  for (int64_t i = 0; i < x.numel(); ++i) out[i / x.size(1)] += x.data<float>()[i];
  return out;
}
static void run(Tensor x, Tensor y) {
  const auto part = row_sums(x);
  std::memcpy(y.data<float>(), part.data(), part.size() * 4);
}
)" + more +
         R"(
static void run_sharded(Tensor x, Tensor y) {
  const kbench::Rank rank;
  std::vector<float> part = row_sums(x);
  const int64_t m = x.size(0), k = x.size(1);
  (void)m, (void)k;
)" + sharded +
         R"(
}
KBENCH_EXPORT(run, run)
KBENCH_EXPORT(run_sharded, run_sharded)
)";
}

struct How {
  std::string axis = "K";
  std::string combine = "concat";
  std::string transport = "processes";
  std::string function = "run_sharded";
  std::int64_t ranks = 2;
  std::string scatter = "";  // axis that y is scattered by
  bool timed = false;
  Isolation isolation = best_isolation();
};

struct Judged {
  Evaluation evaluation;
  ShardResult result;
  double seconds = 0;
};

Judged judge_sharded(const std::string& text, const How& how) {
  Judged judged;
  JudgeOptions options;
  options.isolation = how.isolation;
  options.judge_pair = [&](const Job& job, const PreparedWorkload& workload,
                           const Solution& solution, const BuildResult& build,
                           const EvaluateOptions& evaluate) {
    Diagnostics reports;
    ShardRequest request{{how.axis}, how.ranks, {}};
    if (!how.scatter.empty()) request.tensors["y"] = how.scatter;
    ShardPlan plan;
    plan.layout = shard_layout(*job.definition, workload.problem, request, {}, reports).value();
    plan.combine = find_combine(how.combine);
    plan.transport = find_transport(how.transport);
    plan.function = how.function;
    plan.local_function = "run";
    plan.combine_function = "combine";
    plan.timed = how.timed;
    return evaluate_sharded({workload, solution, build, evaluate}, plan, judged.result);
  };
  TraceSet set;
  set.definitions.push_back(sums());
  set.solutions.push_back(solution("s", "sums", true, text));
  const auto line = sums_workload();
  set.workloads.push_back(line);
  const auto begin = std::chrono::steady_clock::now();
  judged.evaluation = judge(set, {line}, options).at("s").evaluation.value();
  judged.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return judged;
}

std::string cause_of(const Evaluation& evaluation) {
  return evaluation.kbench && evaluation.kbench->cause ? *evaluation.kbench->cause : "";
}

const std::string reduce_all = "rank.all_reduce(part.data(), y.data<float>(), m);";
const std::string scatter_sums =
    "rank.reduce_scatter(part.data(), y.data<float>(), m / rank.size());";

// ---- right ----

void passes(const std::string& sharded, const How& how) {
  const Judged judged = judge_sharded(summing_source(sharded), how);
  EXPECT_EQ(judged.evaluation.status, Status::passed) << judged.evaluation.log;
}

TEST(Sharded, RowsByRunInTurn) {
  passes("", {.axis = "M", .transport = "turn", .function = "run", .ranks = 3});
}
TEST(Sharded, RowsByRunAtOnce) { passes("", {.axis = "M", .function = "run", .ranks = 3}); }
TEST(Sharded, SumsByRun) {
  passes("", {.combine = "sum", .transport = "turn", .function = "run", .ranks = 4});
}
TEST(Sharded, AllReduce) { passes(reduce_all, {.ranks = 3}); }
TEST(Sharded, T12ReduceScatter) { passes(scatter_sums, {.ranks = 3, .scatter = "M"}); }
TEST(Sharded, T11AllGather) {
  // The whole x is gathered, of which each rank has some columns.
  passes(R"(std::vector<float> all(static_cast<size_t>(m * k) * rank.size());
            rank.all_gather(x.data<float>(), all.data(), m * k);
            std::vector<float> sum(static_cast<size_t>(m));
            for (size_t i = 0; i < all.size(); ++i) sum[i / k % m] += all[i];
            std::memcpy(y.data<float>(), sum.data(), sum.size() * 4);)",
         {.ranks = 4});
}
TEST(Sharded, RanksKnowWhoTheyAre) {
  passes(R"(if (rank.size() != 3 || std::strcmp(rank.axis(), "K") != 0 || rank.rank() > 2)
              throw std::runtime_error("wrong");
            for (float& one : part) one += rank.rank() - 1;  // -1 + 0 + 1
            )" +
             reduce_all,
         {.ranks = 3});
}
TEST(Sharded, CollectivesOfMoreThanTheyHaveRoomFor) {
  passes(R"(const int64_t n = 300000;
            std::vector<double> mine(n), all(n), whole(2 * n), some(n);
            for (int64_t i = 0; i < n; ++i) mine[i] = whole[i] = whole[n + i] = i + rank.rank();
            rank.all_reduce(mine.data(), all.data(), n, KBENCH_RANK_MAX);
            rank.reduce_scatter(whole.data(), some.data(), n);
            std::vector<double> both(2 * n);
            rank.all_gather(mine.data(), both.data(), n);
            for (int64_t i = 0; i < n; ++i)
              if (all[i] != i + 1 || some[i] != 2 * i + 1 || both[n + i] != i + 1 || both[i] != i)
                throw std::runtime_error("wrong");
            rank.barrier();)" +
             reduce_all,
         {});
}
TEST(Sharded, ItsOwnFunctionCombines) {
  const std::string merge = R"(
static void combine(Tensor parts, Tensor y) {
  for (int64_t i = 0; i < y.numel(); ++i) {
    y.data<float>()[i] = 0;
    for (int64_t r = 0; r < parts.size(0); ++r)
      y.data<float>()[i] += parts.data<float>()[r * y.numel() + i];
  }
}
KBENCH_EXPORT(combine, combine)
)";
  const Judged judged =
      judge_sharded(summing_source("", merge),
                    {.combine = "entry", .transport = "turn", .function = "run", .ranks = 3});
  EXPECT_EQ(judged.evaluation.status, Status::passed) << judged.evaluation.log;
}
TEST(Sharded, TimesOfEachRankAreGiven) {
  for (const std::string transport : {"turn", "processes"}) {
    const Judged judged = judge_sharded(
        summing_source(""),
        {.axis = "M", .transport = transport, .function = "run", .ranks = 2, .timed = true});
    ASSERT_EQ(judged.evaluation.status, Status::passed) << judged.evaluation.log;
    ASSERT_TRUE(judged.result.times);
    EXPECT_EQ(judged.result.times->ranks.size(), 2U);
    for (const Summary& rank : judged.result.times->ranks) EXPECT_GE(rank.count, 7U);
    EXPECT_GE(judged.result.times->total_ns, 0);
  }
}
TEST(Sharded, RanksThatMeetAreTimedTogether) {
  const Judged judged = judge_sharded(summing_source(reduce_all), {.ranks = 3, .timed = true});
  ASSERT_EQ(judged.evaluation.status, Status::passed) << judged.evaluation.log;
  EXPECT_GT(judged.result.times->total_ns, 0);
}

// T17: with one rank, all_gather and reduce_scatter kernels give the local result bit for bit.
TEST(Sharded, T17OneRankIsTheLocalResult) {
  for (const std::string& body : {reduce_all, scatter_sums}) passes(body, {.ranks = 1});
  const Judged judged = judge_sharded(
      summing_source(reduce_all + "y.data<float>()[2] = std::nextafter(y.data<float>()[2], 1e9f);"),
      {.ranks = 1});
  EXPECT_EQ(judged.evaluation.status, Status::incorrect_numerical);
  EXPECT_EQ(cause_of(judged.evaluation)
                .rfind("ONE_RANK: output \"y\" of run_sharded with one "
                       "rank is not what run gives: at [2] ",
                       0),
            0U)
      << cause_of(judged.evaluation);
}

// ---- wrong and hostile ----

struct Hostile {
  const char* name;
  std::string sharded;
  Status status;
  const char* cause;  // a regular expression
  How how = {};
};

void PrintTo(const Hostile& row, std::ostream* out) { *out << row.name; }

const std::string shared_pages = R"(
  if (FILE* maps = std::fopen("/proc/self/maps", "r")) {
    char line[512];
    unsigned long begin = 0, end = 0;
    while (std::fgets(line, sizeof line, maps))
      if (std::strstr(line, "memfd:kbench ranks") && std::sscanf(line, "%lx-%lx", &begin, &end) == 2)
        std::memset(reinterpret_cast<void*>(begin), 0xee, end - begin);
    std::fclose(maps);
  }
)";

const Hostile hostile[] = {
    {"Rank1IsWrong", "if (rank.rank() == 1) part[3] += 9;" + reduce_all,
     Status::incorrect_numerical, "output \"y\": .* worst at \\[3\\]: .*"},
    {"Rank1IsNaN", "if (rank.rank() == 1) part[3] = NAN;" + reduce_all, Status::incorrect_numerical,
     ".*"},
    {"RanksDisagree", reduce_all + "if (rank.rank() == 1) y.data<float>()[2] += 1;",
     Status::incorrect_numerical,
     "DISAGREE: output \"y\" is replicated, and what rank 1 has is not what rank 0 has: at \\[2\\] "
     ".* on rank 1, .* on rank 0"},
    {"ForgotTheCollective", "std::memcpy(y.data<float>(), part.data(), 4 * part.size());",
     Status::incorrect_numerical, "DISAGREE: .*"},
    {"NeverArrives", "if (rank.rank() == 1) return;" + reduce_all, Status::runtime_error,
     "DEADLOCK: rank 1 returned after 0 collectives while rank 0 waits in all_reduce, collective 1 "
     "of the call"},
    {"ArrivesTwice", reduce_all + "if (rank.rank() == 1) rank.barrier();", Status::runtime_error,
     "DEADLOCK: rank 0 returned after 1 collective while rank 1 waits in barrier, collective 2 of "
     "the call"},
    {"DisagreesOnSizes",
     "rank.all_reduce(part.data(), y.data<float>(), rank.rank() == 1 ? m : m / 2);",
     Status::runtime_error,
     "rank [01]: .*MISMATCH: in collective 1 of the call rank [01] calls all_reduce of float32 "
     "sums, (12|24) bytes a rank, rank [01] all_reduce of float32 sums, (24|12) bytes a rank"},
    {"DisagreesOnOperations", "rank.all_reduce(part.data(), y.data<float>(), m, rank.rank());",
     Status::runtime_error, "rank [01]: .*MISMATCH: .*float32 (sums|maxima).*"},
    {"CallsInAnotherOrder",
     "if (rank.rank() == 1) rank.barrier();" + reduce_all + "if (rank.rank() == 0) rank.barrier();",
     Status::runtime_error,
     "rank [01]: .*MISMATCH: .* all_reduce.*barrier.*|rank [01]: "
     ".*MISMATCH: .* barrier.*all_reduce.*"},
    {"CrashesOnOneRank",
     "if (rank.rank() == 1) *static_cast<volatile int*>(nullptr) = 1;" + reduce_all,
     Status::runtime_error,
     "rank 1: CRASHED SIGSEGV in call 1: null pointer; rank 0 waited for it in a collective"},
    {"ExitsOnOneRank", "if (rank.rank() == 1) std::_Exit(0);" + reduce_all, Status::runtime_error,
     "rank 1: .*EXITED.*; rank 0 waited for it in a collective"},
    {"ThrowsOnOneRank", "if (rank.rank() == 1) throw std::runtime_error(\"no luck\");" + reduce_all,
     Status::runtime_error, "rank 1: .*no luck.*; rank 0 waited for it in a collective"},
    {"HangsOnOneRank", "if (rank.rank() == 1) for (;;) pause();" + reduce_all, Status::timeout,
     "rank 1: .*time limit of .*; rank 0 waits in all_reduce, collective 1 of the call"},
    {"SpinsOnOneRank", "if (rank.rank() == 1) for (volatile int i = 0;; i = i + 1) {}" + reduce_all,
     Status::timeout,
     "rank 1: .*time limit of .*; rank 0 waits in all_reduce, collective 1 of the call"},
    {"MeetsForEver", "for (;;) rank.barrier();", Status::timeout, ".*time limit of .*"},
    {"ReadsBeyondItsShard",
     "for (int64_t i = 0; i < 4096; ++i) part[0] += 0 * x.data<float>()[i];" + reduce_all,
     Status::runtime_error, "rank [01]: CRASHED SIGSEGV in call 1: out of bounds of input \"x\".*"},
    {"WritesTheWholeShape",
     "std::memcpy(y.data<float>(), part.data(), 4 * part.size());",
     Status::runtime_error,
     "rank 0: OUT_OF_BOUNDS: wrote beside output \"y\"",
     {.ranks = 3, .scatter = "M"}},
    {"WritesFarBeyond", "std::memset(y.data<float>(), 0, 8192);", Status::runtime_error,
     "rank [01]: CRASHED SIGSEGV in call 1: out of bounds of output \"y\".*"},
    {"WritesNothingOnOneRank",
     "if (rank.rank() == 0)" + reduce_all +
         " else rank.all_reduce("
         "part.data(), part.data(), m);",
     Status::incorrect_numerical, "rank 1: UNWRITTEN: 6 of 6 elements of output \"y\" .*"},
    {"WritesToItsInput", "const_cast<float*>(x.data<float>())[0] = 1;" + reduce_all,
     Status::runtime_error, "rank [01]: CRASHED SIGSEGV in call 1: wrote to input \"x\", .*"},
    {"SwallowsErrors",
     "try { if (rank.rank() == 0) rank.barrier(); else rank.all_reduce(part.data(), part.data(), "
     "m); } catch (...) {} std::memcpy(y.data<float>(), part.data(), 4 * part.size());",
     Status::incorrect_numerical, "DISAGREE: .*"},
    {"ForgesCollectives",
     "auto* table = const_cast<KbenchRank*>(KbenchRankOfCall());"
     "table->all_reduce = [](const void* mine, void* all, uint64_t n, int32_t, int32_t) -> const "
     "char* { std::memcpy(all, mine, 4 * n); return nullptr; };" +
         reduce_all,
     Status::incorrect_numerical, "DISAGREE: .*"},
    {"ForgesItsRank",
     "auto* table = const_cast<KbenchRank*>(KbenchRankOfCall()); table->rank = 0;" + reduce_all,
     Status::timeout, ".*"},
    {"ScribblesOnTheHub",
     "if (rank.rank() == 1) {" + shared_pages + "}" + reduce_all,
     Status::runtime_error,
     ".*",
     {.isolation = Isolation::limits}},
    {"MeetsInTurn",
     reduce_all,
     Status::runtime_error,
     "rank 0: .*no collectives: the ranks run one after the other; --transport processes runs "
     "them at once",
     {.transport = "turn"}},
    {"RightOnceOnly",
     "static int calls = 0; if (++calls > 8 && rank.rank() == 1) part[0] += 9;" + reduce_all,
     Status::incorrect_numerical,
     "after the timed calls: .*",
     {.timed = true}},
    {"StopsWorking",
     "static int calls = 0; if (++calls > 8) return;" + reduce_all,
     Status::incorrect_numerical,
     "after the timed calls: rank [01]: UNWRITTEN: .*",
     {.timed = true}},
};

class HostileRanks : public testing::TestWithParam<Hostile> {};

// The status is right, its cause names the rank, and it comes within the limit of a call.
TEST_P(HostileRanks, AreCaught) {
  const Hostile& row = GetParam();
  const Judged judged = judge_sharded(summing_source(row.sharded), row.how);
  EXPECT_EQ(judged.evaluation.status, row.status) << judged.evaluation.log;
  EXPECT_TRUE(std::regex_match(cause_of(judged.evaluation), std::regex(row.cause)))
      << cause_of(judged.evaluation);
  EXPECT_LT(judged.seconds, 60);  // allows 3 s a call, compilation and reference aside
}

INSTANTIATE_TEST_SUITE_P(All, HostileRanks, testing::ValuesIn(hostile),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace kbench
