#include "data/row_kinds.hpp"

#include <algorithm>
#include <initializer_list>
#include <iterator>

#include "syntax/called.hpp"

namespace kbench {
namespace {

using Kinds = std::vector<RowKind>;

constexpr RowKind mixed_kinds[]{RowKind::needles, RowKind::plain, RowKind::down,    RowKind::pairs,
                                RowKind::up,      RowKind::zero,  RowKind::peaks,   RowKind::above,
                                RowKind::tiny,    RowKind::below, RowKind::valleys, RowKind::steps};
constexpr RowKind special_kinds[]{RowKind::masked_start, RowKind::plain,       RowKind::nan,
                                  RowKind::masked_end,   RowKind::plain,       RowKind::infinite,
                                  RowKind::masked,       RowKind::masked_some, RowKind::plain};
constexpr RowKind clustered_kinds[]{RowKind::cluster, RowKind::stride};
constexpr RowKind clustered_below[]{RowKind::cluster_below, RowKind::stride_below};

// Whether a reference takes rows that are far below 0 as a whole, as what ends in sums of e^x does.
// With a mean and a variance, much honest arithmetic loses too many digits there.
bool may_be_far_below(const std::string& reference) {
  const python::Calls calls(reference);
  const auto has = [&](std::initializer_list<std::string_view> names) {
    return std::any_of(names.begin(), names.end(), [&](auto name) { return calls.any(name); });
  };
  return has({"softmax", "log_softmax", "logsumexp", "exp", "exp2"}) &&
         !has({"mean", "var", "std", "var_mean", "std_mean", "layer_norm", "group_norm",
               "batch_norm", "instance_norm"});
}

// A reference that chooses several of many takes the greatest, or the least.
Kinds clusters_of(const std::string& reference) {
  const python::Calls calls(reference);
  if (!calls.any("topk") && !calls.any("sort") && !calls.any("argsort")) return {};
  if (reference.find("largest=False") != std::string::npos)
    return {std::begin(clustered_below), std::end(clustered_below)};
  return {std::begin(clustered_kinds), std::end(clustered_kinds)};
}

}  // namespace

std::vector<RowKind> kinds_of_rows(InputSet set, const std::string& reference) {
  if (set == InputSet::special) return {std::begin(special_kinds), std::end(special_kinds)};
  if (set == InputSet::clustered) return clusters_of(reference);
  if (set != InputSet::mixed) return {};
  Kinds out{std::begin(mixed_kinds), std::end(mixed_kinds)};
  if (may_be_far_below(reference)) out.push_back(RowKind::far_below);
  return out;
}

std::vector<RowKind> kinds_in(std::size_t rows, const std::vector<RowKind>& kinds) {
  Kinds out;
  std::copy_if(kinds.begin(), kinds.end(), std::back_inserter(out),
               [rows](RowKind kind) { return rows > 1 || kind != RowKind::plain; });
  return out;
}

}  // namespace kbench
