#include "problem/data/sample_workload.hpp"

#include "data/value_case.hpp"

namespace kbench {
namespace {

ScalarInput scalar_of(const Workload& workload, const std::string& name) {
  const InputSpec* input = workload.inputs.find(name);
  return input == nullptr ? ScalarInput{} : std::get<ScalarInput>(*input);
}

ValueCase paged_rows() {
  ValueCase c("def run(q, kv_indptr, kv_indices, eps=1e-5):\n    assert q.shape[0] > 4\n");
  c.axis("batch_size", 1).axis("len_indptr", 1).axis("num_kv_indices", 1).axis("num_pages", 1);
  c.constant("head_dim", 64);
  c.input("q", DType::bfloat16, {"batch_size", "head_dim"});
  c.input("kv_indptr", DType::int32, {"len_indptr"});
  c.input("kv_indices", DType::int32, {"num_kv_indices"});
  return c;
}

TEST(SampleAxes, FulfilConstraintsAndAsserts) {
  ValueCase c = paged_rows();
  c.constraint("len_indptr == batch_size + 1").constraint("num_kv_indices % 8 == 0");
  const auto axes = sample_axes(c.definition, {});
  EXPECT_EQ(*axes.find("batch_size"), 5);
  EXPECT_EQ(*axes.find("len_indptr"), 6);
  EXPECT_EQ(*axes.find("num_kv_indices") % 8, 0);
}

TEST(SampleAxes, KeepWhatIsGiven) {
  OrderedMap<std::int64_t> given;
  given["len_indptr"] = 9;
  const auto axes = sample_axes(paged_rows().definition, given);
  EXPECT_EQ(*axes.find("len_indptr"), 9);
  EXPECT_EQ(*axes.find("batch_size"), 8);
  EXPECT_GE(*axes.find("num_kv_indices"), 8);
}

TEST(SampleWorkload, ScalarsByDescriptionDefaultAxisAndName) {
  ValueCase c = paged_rows();
  const auto scalar = [&](const std::string& name, DType dtype, const std::string& about = "") {
    c.definition.inputs[name].dtype = dtype;
    if (!about.empty()) c.definition.inputs[name].description = about;
  };
  scalar("sm_scale", DType::float32, "1/sqrt(head_dim_qk + 2) = 1/sqrt(60 + 4)");
  scalar("eps", DType::float32);
  scalar("head_dim", DType::int32);
  scalar("scale", DType::float32);
  scalar("is_neox", DType::boolean);
  const Workload workload = sample_workload(c.definition, {});
  EXPECT_EQ(std::get<double>(scalar_of(workload, "sm_scale").value), 0.125);
  EXPECT_EQ(std::get<double>(scalar_of(workload, "eps").value), 1e-5);
  EXPECT_EQ(std::get<std::int64_t>(scalar_of(workload, "head_dim").value), 64);
  EXPECT_EQ(std::get<double>(scalar_of(workload, "scale").value), 0.125);
  EXPECT_EQ(std::get<bool>(scalar_of(workload, "is_neox").value), true);
}

TEST(SampleWorkload, ScalarsThatTheReferenceChecksOrSplitsBy) {
  ValueCase c(
      "def run(x, num_heads, n_group, layer):\n"
      "    if x.shape[1] != num_heads:\n        raise ValueError()\n"
      "    y = x.view(x.shape[0], n_group, 4)\n    return x[layer]\n");
  c.axis("rows", 1).constant("width", 12).input("x", DType::float32, {"rows", "width"});
  for (const char* name : {"num_heads", "n_group", "layer"})
    c.definition.inputs[name].dtype = DType::int32;
  OrderedMap<std::int64_t> given;
  given["rows"] = 1;
  const Workload workload = sample_workload(c.definition, given);
  EXPECT_EQ(std::get<std::int64_t>(scalar_of(workload, "num_heads").value), 12);
  EXPECT_EQ(std::get<std::int64_t>(scalar_of(workload, "n_group").value), 3);
  EXPECT_EQ(std::get<std::int64_t>(scalar_of(workload, "layer").value), 0);
}

TEST(SampleWorkload, NoSequenceIsLongerThanMaxSeqlen) {
  ValueCase c(
      "def run(q, cu_seqlens_q, cu_seqlens_k, max_seqlen_q, most):\n"
      "    n = cu_seqlens_k[1] - cu_seqlens_k[0]\n    assert n <= most\n");
  c.axis("total_q", 9).axis("total_k", 20).axis("n", 4);
  c.input("q", DType::float32, {"total_q", "total_k"});
  c.input("cu_seqlens_q", DType::int32, {"n"}).input("cu_seqlens_k", DType::int32, {"n"});
  for (const char* name : {"max_seqlen_q", "most"}) c.definition.inputs[name].dtype = DType::int32;
  const Workload workload = sample_workload(c.definition, c.workload.axes);
  EXPECT_EQ(std::get<std::int64_t>(scalar_of(workload, "max_seqlen_q").value), 7);
  EXPECT_EQ(std::get<std::int64_t>(scalar_of(workload, "most").value), 18);
}

}  // namespace
}  // namespace kbench
