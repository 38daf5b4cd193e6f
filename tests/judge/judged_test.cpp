// Outputs that the shipped definitions do not have: numbers or bools. A record's words about the
// reference's time, too.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "judge/judge.hpp"
#include "judge/records.hpp"

namespace kbench {
namespace {

using nlohmann::json;

Evaluation judge_one(Stored<Definition> definition, Stored<Solution> solution,
                     const RunConfig& config = default_config()) {
  return judge_one(std::move(definition), std::move(solution), JudgeOptions{config});
}

const json a_number = {{"shape", nullptr}, {"dtype", "float32"}};

// Solution that returns `value`, a C++ expression of x, a const float*, in the result's `member`.
std::string returns_number(const std::string& type, const std::string& member,
                           const std::string& value) {
  return R"(#include "kbench_ffi.h"
extern "C" int __tvm_ffi_run(void*, const kbench::Any* args, int32_t, kbench::Any* result) {
  const kbench::Tensor tensor(static_cast<const kbench::DLTensor*>(args[0].as_pointer));
  const float* x = tensor.data<float>();
  result->type_index = )" +
         type + ";\n  result->" + member + " = " + value + ";\n  return 0;\n}\n";
}

TEST(Judged, ANumberThatIsReturnedByValuePasses) {
  const auto first = [](const json& output, const std::string& expression) {
    return definition("number", {{"y", output}}, expression);
  };
  const Evaluation number = judge_one(
      first(a_number, "float(x[3])"),
      solution("f", "number", false, returns_number("kbench::kFloat", "as_float", "x[3]")));
  EXPECT_EQ(number.status, Status::passed) << number.log;
  const Evaluation integer = judge_one(
      first({{"shape", nullptr}, {"dtype", "int64"}}, "int(x[3] > 0) + 5"),
      solution("i", "number", false, returns_number("kbench::kInt", "as_int", "(x[3] > 0) + 5")));
  EXPECT_EQ(integer.status, Status::passed) << integer.log;
  const Evaluation boolean = judge_one(
      first({{"shape", nullptr}, {"dtype", "bool"}}, "bool(x[3] > x[4])"),
      solution("b", "number", false, returns_number("kbench::kBoolean", "as_int", "x[3] > x[4]")));
  EXPECT_EQ(boolean.status, Status::passed) << boolean.log;
}

TEST(Judged, AWrongNumberFails) {
  const Evaluation wrong = judge_one(
      definition("number", {{"y", a_number}}, "float(x[3])"),
      solution("w", "number", false, returns_number("kbench::kFloat", "as_float", "x[3] + 1")));
  EXPECT_EQ(wrong.status, Status::incorrect_numerical) << wrong.log;
}

TEST(Judged, ATupleOfNumberAndTensorPasses) {
  const json outputs = {{"a", a_number}, {"b", {{"shape", {"N"}}, {"dtype", "float32"}}}};
  const Evaluation both = judge_one(definition("both", outputs, "float(x[3]), x + 1"),
                                    solution("both", "both", false, R"(
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/function.h>
using namespace tvm::ffi;
Array<Any> both(TensorView x) {
  Tensor y = Tensor::FromEnvAlloc(TVMFFIEnvTensorAlloc, x.shape(), x.dtype(), x.device());
  const float* in = static_cast<const float*>(x.data_ptr());
  for (int64_t i = 0; i < x.numel(); ++i) static_cast<float*>(y.data_ptr())[i] = in[i] + 1;
  return {static_cast<double>(in[3]), y};
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, both)
)"));
  EXPECT_EQ(both.status, Status::passed) << both.log;
}

// Any byte that is not 0 counts as true, the pattern too.
TEST(Judged, BoolsThatWereNotWrittenDoNotPassAsTrue) {
  const Evaluation nothing = judge_one(
      definition("all_true", {{"y", {{"shape", {"N"}}, {"dtype", "bool"}}}}, "x == x"),
      solution("nothing", "all_true", true,
               "#include \"kbench_ffi.h\"\nvoid nothing(kbench::Tensor, kbench::Tensor) {}\n"
               "KBENCH_EXPORT(run, nothing)\n"));
  EXPECT_EQ(nothing.status, Status::incorrect_numerical);
  EXPECT_EQ(nothing.kbench->cause,
            "UNWRITTEN: 100 of 100 elements of output \"y\" were not written; first at [0]; it is "
            "passed to be written to (\"destination_passing_style\")");
}

TEST(Judged, BoolsThatAreWrittenOnlyWhenJudgedDoNotPass) {
  const Evaluation judged_only = judge_one(
      definition("all_true", {{"y", {{"shape", {"N"}}, {"dtype", "bool"}}}}, "x == x"),
      solution("judged_only", "all_true", true,
               "#include \"kbench_ffi.h\"\nvoid judged_only(kbench::Tensor, kbench::Tensor y) {\n"
               "  static int calls = 0;\n  if (++calls > 3) return;\n"
               "  for (int64_t i = 0; i < y.numel(); ++i) y.data<uint8_t>()[i] = 1;\n}\n"
               "KBENCH_EXPORT(run, judged_only)\n"));
  EXPECT_EQ(judged_only.status, Status::incorrect_numerical) << judged_only.log;
}

// Some wrong bytes are the pattern by chance.
TEST(Judged, WrongBytesAreNotCalledUnwritten) {
  const Evaluation wrong = judge_one(
      definition("bytes", {{"y", {{"shape", {"N"}}, {"dtype", "int8"}}}},
                 "torch.zeros(x.shape[0], dtype=torch.int8)"),
      solution("counts", "bytes", true,
               "#include \"kbench_ffi.h\"\nvoid counts(kbench::Tensor, kbench::Tensor y) {\n"
               "  for (int64_t i = 0; i < y.numel(); ++i)\n"
               "    y.data<int8_t>()[i] = static_cast<int8_t>(i + 1);\n}\n"
               "KBENCH_EXPORT(run, counts)\n"));
  EXPECT_EQ(wrong.status, Status::incorrect_numerical);
  EXPECT_EQ(wrong.kbench->cause->find("UNWRITTEN"), std::string::npos) << *wrong.kbench->cause;
}

}  // namespace
}  // namespace kbench
