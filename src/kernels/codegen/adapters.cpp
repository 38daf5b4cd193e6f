#include "kernels/codegen/adapters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "kernels/operators/schema.hpp"

namespace kbench {
namespace {

std::string role_text(const ops::Argument& argument, bool is_out) {
  if (is_out) return "Role::output";
  return argument.is_write() ? "Role::in_place" : "Role::input";
}

}  // namespace

std::optional<std::vector<std::size_t>> returned_arguments(const ops::Schema& schema) {
  const auto arguments = ops::arguments_of(schema);
  std::vector<std::size_t> out;
  for (const ops::Return& value : schema.returns) {
    const auto found =
        std::find_if(arguments.begin(), arguments.end(), [&](const ops::Argument* argument) {
          return argument->is_write() && value.is_write() && argument->alias == value.alias;
        });
    if (found == arguments.end()) return std::nullopt;
    out.push_back(static_cast<std::size_t>(found - arguments.begin()));
  }
  return out;
}

std::vector<SelectedKernel> servable(
    const std::vector<SelectedKernel>& kernels,
    const std::function<std::string(const SelectedKernel& kernel)>& why_left_out,
    Diagnostics& diagnostics) {
  std::vector<SelectedKernel> out;
  for (const SelectedKernel& one : kernels) {
    // A kernel has no memory for tensors that do not exist yet.
    const ops::Schema& schema = one.entry->schema;
    const std::string why =
        returned_arguments(schema)
            ? why_left_out(one)
            : fmt::format("{} returns what is none of its arguments", ops::full_name(schema.name));
    if (why.empty()) {
      out.push_back(one);
    } else {
      warn_of_kernel(*one.kernel, why, diagnostics);
    }
  }
  return out;
}

void check_names(const std::vector<GeneratedOperator>& operators,
                 const std::function<std::string(const GeneratedOperator& one)>& name_of,
                 const std::string& hint, Diagnostics& diagnostics) {
  std::map<std::string, std::string> taken;
  for (const GeneratedOperator& one : operators) {
    const std::string name = name_of(one);
    const auto [at, is_new] = taken.try_emplace(name, one.name);
    if (!is_new)
      diagnostics.error(one.entry->where,
                        fmt::format("{} and {} would both be {}", at->second, one.name, name),
                        hint);
  }
}

std::string held_call_text(const ops::Schema& schema, const std::string& function) {
  const auto arguments = ops::arguments_of(schema);
  const std::size_t inputs = arguments.size() - schema.out.size();
  std::string held, passed, written;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    held += fmt::format("  Held<{}> arg{}({{call, {}, {}}});\n",
                        ops::cpp_value(arguments[i]->type, scope), i, i,
                        role_text(*arguments[i], i >= inputs));
    passed += fmt::format(", arg{}.value()", i);
    if (arguments[i]->is_write()) written += fmt::format("  arg{}.write_back();\n", i);
  }
  return fmt::format("{}  ::{}(call.context(){});\n  call.check();\n{}", held, function, passed,
                     written);
}

std::string numbers_text(const std::vector<std::size_t>& numbers) {
  return fmt::format("{}", fmt::join(numbers, ", "));
}

}  // namespace kbench
