#include "reference/torch/serving/check.hpp"

#include <cstdio>
#include <nlohmann/json.hpp>
#include <variant>
#include <vector>

#include "base/file.hpp"
#include "reference/torch/script/program.hpp"
#include "reference/torch/serving/execute.hpp"

namespace kbench {
namespace {

// The arguments that a Definition declares. Shapes do not matter to the compiler, and a dtype that
// kbench does not know (uint8) is a tensor like any other.
std::vector<ReferenceArgument> arguments(const nlohmann::ordered_json& definition) {
  std::vector<ReferenceArgument> out;
  for (const auto& [name, spec] : definition.at("inputs").items()) {
    ReferenceArgument& argument = out.emplace_back();
    argument.name = name;
    argument.is_scalar = spec.at("shape").is_null();
    argument.dtype = find_dtype(spec.at("dtype").get<std::string>()).value_or(DType::float32);
  }
  return out;
}

}  // namespace

int check_files(std::span<const std::string> files) {
  warm_up();
  int refused = 0;
  for (const std::string& file : files) {
    try {
      const auto definition = nlohmann::ordered_json::parse(read_file(file));
      const auto compiled =
          compile_reference(definition.at("reference").get<std::string>(), arguments(definition));
      if (const auto* error = std::get_if<CompileError>(&compiled)) {
        ++refused;
        std::printf("no %s:%d: %s\n", file.c_str(), error->line, error->message().c_str());
      } else {
        std::printf("ok %s\n", file.c_str());
      }
    } catch (const std::exception& error) {
      ++refused;
      std::printf("no %s:0: cannot be read: %s\n", file.c_str(), error.what());
    }
  }
  return refused;
}

}  // namespace kbench
