#include "schema/names.hpp"

#include <array>

namespace kbench {
namespace {

constexpr std::string_view languages[] = {"python", "triton", "cpp", "cuda", "tilelang"};
constexpr std::string_view bindings[] = {"tvm-ffi", "torch"};
constexpr std::string_view statuses[] = {
    "PASSED",        "INCORRECT_SHAPE", "INCORRECT_NUMERICAL", "INCORRECT_DTYPE", "RUNTIME_ERROR",
    "COMPILE_ERROR", "TIMEOUT"};

constexpr std::string_view value_kinds[] = {
    "indptr", "page_ids",  "slot_ids",  "expert_ids", "packed_expert_ids", "sparse_ids",
    "ids",    "batch_ids", "positions", "seq_lens",   "last_page_len",     "permutation",
    "mask",   "fraction",  "positive",  "probs"};

constexpr std::string_view consequences[] = {"fail", "warn", "ignore"};
constexpr std::string_view decisions[] = {"beaten", "tied", "only"};

}  // namespace

std::span<const std::string_view> names(const DType*) {
  static const auto all = [] {
    std::array<std::string_view, dtype_count> out;
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = dtypes()[i].name;
    return out;
  }();
  return all;
}

std::span<const std::string_view> names(const Language*) { return languages; }
std::span<const std::string_view> names(const Binding*) { return bindings; }
std::span<const std::string_view> names(const Status*) { return statuses; }
std::span<const std::string_view> names(const ValueKind*) { return value_kinds; }
std::span<const std::string_view> names(const Consequence*) { return consequences; }
std::span<const std::string_view> names(const Decision*) { return decisions; }

std::string_view status_name(Status status) { return name_of(status); }

}  // namespace kbench
