#include "contract/contract_subject.hpp"

#include <algorithm>

namespace kbench {
namespace {

bool is_for_any_type(const std::optional<KernelKey>& key) {
  return !key || std::all_of(key->begin(), key->end(),
                             [](const TensorMeta& meta) { return !meta.scalar_type; });
}

bool is_for_any_order(const std::optional<KernelKey>& key) {
  return !key || std::all_of(key->begin(), key->end(),
                             [](const TensorMeta& meta) { return !meta.dim_order; });
}

}  // namespace

bool concerns(const ContractCheck& check, const Subject& subject) {
  using enum CheckedKernels;
  if (subject.is_constrained || check.kernels == constrained)
    return subject.is_constrained && check.kernels == constrained;
  if ((check.tensors == CheckedTensors::special) != subject.is_special) return false;
  if (subject.is_dispatch || check.kernels == dispatching)
    return subject.is_dispatch && check.kernels == dispatching;
  if (check.kernels == any_type) return is_for_any_type(subject.key);
  if (check.kernels == any_sizes && !subject.kernel->conditions.empty()) return false;
  return check.kernels == all || is_for_any_order(subject.key);
}

bool is_turned(const std::optional<KernelKey>& key) {
  return key && std::any_of(key->begin(), key->end(), [](const TensorMeta& meta) {
           return meta.dim_order && !std::is_sorted(meta.dim_order->begin(), meta.dim_order->end());
         });
}

bool is_served(const OperatorEntry& entry, KernelKey key, bool channels_last) {
  for (TensorMeta& meta : key) {
    if (channels_last && meta.dim_order && meta.dim_order->size() == 4)
      meta.dim_order = {0, 2, 3, 1};
  }
  const std::size_t outputs = entry.schema.out.size();
  return std::any_of(entry.kernels.begin(), entry.kernels.end(), [&](const Kernel& kernel) {
    return kernel.is_default ||
           std::any_of(kernel.keys.begin(), kernel.keys.end(),
                       [&](const KernelKey& wanted) { return matches(wanted, key, outputs); });
  });
}

bool has_four_axes(const Definition& definition) {
  const auto has = [](const auto& tensor) {
    return tensor.second.shape && tensor.second.shape->size() == 4;
  };
  return std::any_of(definition.inputs.begin(), definition.inputs.end(), has) ||
         std::any_of(definition.outputs.begin(), definition.outputs.end(), has);
}

}  // namespace kbench
