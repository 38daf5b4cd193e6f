#include "contract/contract_constraints.hpp"

#include "base/file.hpp"

namespace kbench {

std::optional<std::vector<DtypeConstraints>> contract_constraints(const std::string& file,
                                                                  const KernelSet& kernels,
                                                                  Diagnostics& diagnostics) {
  if (file.empty()) return std::vector<DtypeConstraints>();
  const auto text = read_file_if_there(file);
  if (!text) {
    diagnostics.error({file, 0, 0, "", ""}, "no such file");
    return std::nullopt;
  }
  const std::size_t before = diagnostics.errors();
  auto all = read_dtype_constraints({file, *text}, ops::installed_catalogue(), diagnostics);
  std::vector<const ops::Schema*> schemas;
  for (const KernelLibrary& library : kernels.libraries) {
    for (const OperatorEntry& entry : library.operators) schemas.push_back(&entry.schema);
  }
  if (diagnostics.errors() == before) check_constrained_names(all, schemas, diagnostics);
  return diagnostics.errors() == before ? std::optional(std::move(all)) : std::nullopt;
}

}  // namespace kbench
