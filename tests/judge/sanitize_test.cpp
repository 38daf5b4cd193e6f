// Seeded memory errors and undefined behaviour, each found by --sanitize and named with its line,
// at the isolation levels A, B and C; honest kernels pass.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "build/builder.hpp"
#include "judge/records.hpp"

namespace kbench {
namespace {

struct Bug {
  std::string name;
  std::string cause;  // begin of the cause, up to the place
  std::string body;   // body of the kernel; the line with BUG is the place
};

// Kernels of y = x + x of 100 elements; `y` and `x` are float*, `n` is 100 and `zero` 0, which the
// compiler does not know.
std::vector<Bug> memory_bugs() {
  return {
      {"heap_read_by_one", "SANITIZER heap-buffer-overflow (read of 4 bytes)",
       "  std::vector<float> t(x, x + n);\n"
       "  const float* p = t.data();\n"
       "  for (int64_t i = 0; i < n; ++i) y[i] = x[i] + x[i];\n"
       "  if (p[n + zero] == 12345.0f) y[0] = 1;  // BUG\n"},
      {"heap_write_by_one", "SANITIZER heap-buffer-overflow (write of 4 bytes)",
       "  float* p = new float[n];\n"
       "  for (int64_t i = 0; i <= n; ++i)\n"
       "    p[i] = 1;  // BUG\n"
       "  keep(p);\n"},
      {"use_after_free", "SANITIZER heap-use-after-free (read of 4 bytes)",
       "  float* p = new float[n];\n  p[3] = x[3];\n  keep(p);\n  delete[] p;\n"
       "  y[0] = p[3];  // BUG\n"},
      {"double_free", "SANITIZER attempting double-free",
       "  float* p = static_cast<float*>(std::malloc(64));\n  keep(p);\n  std::free(p);\n"
       "  std::free(p);  // BUG\n"},
      {"stack_read", "SANITIZER stack-buffer-overflow (read of 4 bytes)",
       "  float t[8];\n  for (int i = 0; i < 8; ++i) t[i] = x[i];\n  keep(t);\n"
       "  const float* p = t;\n  keep(&p);\n"
       "  y[0] = p[8 + zero];  // BUG\n"},
      {"global_read", "SANITIZER global-buffer-overflow (read of 4 bytes)",
       "  const float* p = table;\n  keep(&p);\n"
       "  y[0] = p[16 + zero];  // BUG\n"},
      {"beyond_input", "SANITIZER out of bounds of input \"x\" (read of 4 bytes)",
       "  for (int64_t i = 0; i < n; ++i)\n"
       "    y[i] = x[i] + x[i + 1];  // BUG\n"},
      {"before_input", "SANITIZER out of bounds of input \"x\" (read of 4 bytes)",
       "  y[0] = x[zero - 1];  // BUG\n"},
      {"far_beyond_input", "SANITIZER out of bounds of input \"x\" (read of 4 bytes)",
       "  y[0] = x[zero + 12000];  // BUG\n"},
      {"beyond_output", "SANITIZER out of bounds of output \"y\" (write of 4 bytes)",
       "  for (int64_t i = 0; i <= n; ++i)\n"
       "    y[i] = 2;  // BUG\n"},
      {"writes_input", "SANITIZER wrote to input \"x\", which is read-only (write)",
       "  const_cast<float*>(x)[zero] = 1;  // BUG\n"},
  };
}

std::vector<Bug> other_bugs() {
  return {
      {"signed_overflow",
       "SANITIZER signed integer overflow: 1 + 2147483647 cannot be represented in type 'int'",
       "  int big = 2147483647 - static_cast<int>(zero);\n"
       "  big += static_cast<int>(n / 100);  // BUG\n"
       "  y[0] = static_cast<float>(big);\n"},
      {"shift_too_far", "SANITIZER shift exponent 100 is too large for 32-bit type 'int'",
       "  y[0] = static_cast<float>(1 << n);  // BUG\n"},
      {"null_read", "SANITIZER load of null pointer of type 'const float'",
       "  const float* p = nullptr;\n  keep(&p);\n"
       "  y[0] = *p;  // BUG\n"},
      {"misaligned_load", "SANITIZER load of misaligned address for type 'const float'",
       "  const char* p = reinterpret_cast<const char*>(x) + 1 + zero;\n"
       "  y[0] = *reinterpret_cast<const float*>(p);  // BUG\n"},
      {"division_by_zero", "SANITIZER division by zero",
       "  y[0] = static_cast<float>(n / zero);  // BUG\n"},
      {"float_out_of_range", "SANITIZER 1e+20 is outside the range of representable values",
       "  y[0] = static_cast<float>(static_cast<int>(1e20 + static_cast<double>(zero)));  // "
       "BUG\n"},
      {"array_index", "SANITIZER index 16 out of bounds for type 'float [16]'",
       "  y[0] = table[16 + zero];  // BUG\n"},
      {"stack_exhausted", "SANITIZER stack-overflow", "  y[0] = deeper(y, n);\n"},
      {"memory_bomb", "RESOURCE_LIMIT memory",
       "  for (;;) {\n    char* p = static_cast<char*>(std::malloc(1 << 24));\n"
       "    if (p != nullptr) std::memset(p, 1, 1 << 24);\n    keep(p);\n  }\n"},
  };
}

const std::vector<Bug>& bugs() {
  static const std::vector<Bug> all = [] {
    std::vector<Bug> both = memory_bugs();
    for (Bug& bug : other_bugs()) both.push_back(std::move(bug));
    return both;
  }();
  return all;
}

constexpr std::string_view before =
    "#include <cstdlib>\n#include <cstring>\n#include <vector>\n"
    "#include \"kbench_ffi.h\"\n"
    "float table[16];\n"
    "template <class T> void keep(T* p) { asm volatile(\"\" : : \"r\"(p) : \"memory\"); }\n"
    "__attribute__((noinline)) float deeper(float* y, int64_t n) {\n"
    "  volatile char room[4096];\n  room[n % 4096] = 1;\n"
    "  const float below = deeper(y, n + room[n % 4096]);\n  return below + room[n % 4096];\n}\n"
    "void kernel(kbench::Tensor in, kbench::Tensor out) {\n"
    "  const float* x = in.data<float>();\n  float* y = out.data<float>();\n"
    "  const int64_t n = in.numel();\n"
    "  int64_t zero = n - 100;\n  keep(&zero);\n";
constexpr std::string_view honest = "  for (int64_t i = 0; i < n; ++i) y[i] = x[i] + x[i];\n";

std::string source_of(std::string_view body) {
  return fmt::format("{}{}}}\nKBENCH_EXPORT(run, kernel)\n", before, body);
}

// Returns "at kernel.cpp:17", or "" where no line is marked.
std::string place_in(const std::string& source) {
  const std::size_t at = source.find("// BUG");
  if (at == source.npos) return "";
  const auto end = source.begin() + static_cast<std::ptrdiff_t>(at);
  return fmt::format(" at kernel.cpp:{} ", 1 + std::count(source.begin(), end, '\n'));
}

TraceSet set_of_bugs() {
  TraceSet set;
  set.definitions.push_back(
      definition("twice", {{"y", {{"shape", {"N"}}, {"dtype", "float32"}}}}, "x + x"));
  for (const Bug& bug : bugs())
    set.solutions.push_back(solution(bug.name, "twice", true, source_of(bug.body)));
  set.solutions.push_back(solution("honest", "twice", true, source_of(honest)));
  return set;
}

const std::map<std::string, Trace>& judged(Isolation level) {
  static std::map<Isolation, std::map<std::string, Trace>> all;
  const auto found = all.find(level);
  if (found != all.end()) return found->second;
  JudgeOptions options{default_config(), level};
  options.sanitizers = {true, true};
  return all[level] = judge(set_of_bugs(), {workload("twice")}, options);
}

class Sanitize : public testing::TestWithParam<std::tuple<Isolation, std::string>> {};

TEST_P(Sanitize, NamesTheBugAndItsLine) {
  const auto& [level, name] = GetParam();
  if (const std::string& why = missing_for(level); !why.empty()) GTEST_SKIP() << why;
  const auto bug =
      std::find_if(bugs().begin(), bugs().end(), [&](const Bug& one) { return one.name == name; });
  const Evaluation& evaluation = *judged(level).at(name).evaluation;
  EXPECT_EQ(status_name(evaluation.status), "RUNTIME_ERROR");
  const std::string cause = evaluation.kbench->cause.value_or("");
  EXPECT_TRUE(cause.starts_with(bug->cause)) << cause;
  EXPECT_NE(cause.find(place_in(source_of(bug->body))), cause.npos) << cause;
  EXPECT_EQ(cause.find("/tmp"), cause.npos) << cause;
}

std::vector<std::string> bug_names() {
  std::vector<std::string> all;
  for (const Bug& bug : bugs()) all.push_back(bug.name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, Sanitize,
                         testing::Combine(testing::Values(Isolation::namespaces,
                                                          Isolation::landlock, Isolation::limits),
                                          testing::ValuesIn(bug_names())),
                         [](const auto& info) {
                           return std::string(letter(std::get<0>(info.param))) + "_" +
                                  std::get<1>(info.param);
                         });

TEST(SanitizeAt, AnHonestKernelPassesUntimedAtEachLevel) {
  for (const Isolation level : {Isolation::namespaces, Isolation::landlock, Isolation::limits}) {
    if (!missing_for(level).empty()) continue;
    const Evaluation& evaluation = *judged(level).at("honest").evaluation;
    EXPECT_EQ(evaluation.status, Status::passed) << evaluation.log;
    EXPECT_FALSE(evaluation.kbench->timing);
    EXPECT_EQ(evaluation.performance->latency_ms, 0);
    EXPECT_EQ(evaluation.kbench->settings->sanitize, "address,undefined");
    const auto& flags = evaluation.kbench->basis->flags;
    EXPECT_NE(std::find(flags.begin(), flags.end(), "-fsanitize=address,undefined"), flags.end());
  }
}

TEST(SanitizeAt, EachSanitizerWorksAlone) {
  const auto cause = [](const std::string& name, const Sanitizers& sanitizers) {
    const auto bug = std::find_if(bugs().begin(), bugs().end(),
                                  [&](const Bug& one) { return one.name == name; });
    JudgeOptions options;
    options.sanitizers = sanitizers;
    return judge_one(
               definition("twice", {{"y", {{"shape", {"N"}}, {"dtype", "float32"}}}}, "x + x"),
               solution(name, "twice", true, source_of(bug->body)), options)
        .kbench->cause.value_or("");
  };
  const Sanitizers address{true, false};
  const Sanitizers undefined{false, true};
  EXPECT_TRUE(cause("use_after_free", address).starts_with("SANITIZER heap-use-after-free"));
  EXPECT_TRUE(cause("null_read", address).starts_with("SANITIZER SEGV (read) at kernel.cpp:"));
  EXPECT_TRUE(cause("shift_too_far", undefined).starts_with("SANITIZER shift exponent 100"));
}

}  // namespace
}  // namespace kbench
