#include "judge/expected_standards.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/text.hpp"
#include "problem/origin.hpp"
#include "schema/check_function.hpp"
#include "syntax/called.hpp"

namespace kbench {
namespace {

template <typename Table, typename Wanted>
std::string called(const python::Calls& calls, const Table& table, const Wanted& is_wanted) {
  std::vector<std::string> found;
  for (const auto& row : table) {
    if (is_wanted(row) && calls.attribute(row.name)) found.emplace_back(row.name);
  }
  return join(found, ", ");
}

ExpectedStandard expected(const std::string& name, DType dtype, const python::Calls& reference) {
  if (dtype == DType::float4_e2m1)
    return {name, "ties",
            "what the reference has where its inputs are moved a little, if that differs; else "
            "numbers"};
  if (info(dtype).kind == DTypeKind::floating)
    return {name, "numbers", "beside the double-precision answer, in units of honest errors"};
  if (info(dtype).kind == DTypeKind::integer) {
    if (const std::string by = called(reference, choosers, std::mem_fn(&Chooser::is_traced));
        !by.empty())
      return {name, "choice",
              fmt::format("by the scores of what is chosen, if it comes from {}; else ties or bits",
                          by)};
    if (const std::string by = called(reference, rounders, [](const Rounder&) { return true; });
        !by.empty())
      return {name, "codes",
              fmt::format("by the numbers before they are rounded, if it comes from {}; else ties "
                          "or bits",
                          by)};
    return {name, "ties",
            "what the reference has where its inputs are moved a little, if that differs; else "
            "bits"};
  }
  return {name, "bits", "equal to the reference's"};
}

}  // namespace

std::vector<ExpectedStandard> expected_standards(const Definition& definition) {
  const python::Calls reference(text_without_check(definition));
  const auto check = find_check(definition);
  std::vector<ExpectedStandard> out;
  for (const auto& [name, spec] : definition.outputs) {
    const bool is_checked = check && std::find(check->outputs.begin(), check->outputs.end(),
                                               name) != check->outputs.end();
    out.push_back(is_checked
                      ? ExpectedStandard{name, "check", "by the function check of the reference"}
                      : expected(name, spec.dtype, reference));
  }
  return out;
}

}  // namespace kbench
