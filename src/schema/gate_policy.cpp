#include "schema/gate_policy.hpp"

#include "base/json.hpp"
#include "schema/read.hpp"
#include "schema/yaml.hpp"

namespace kbench {

std::optional<GatePolicy> read_gate_policy(const Source& source, Diagnostics& diagnostics) {
  json::Memory memory;
  const std::size_t before = diagnostics.errors();
  const json::Value value = parse_yaml(source, memory, diagnostics);
  if (diagnostics.errors() != before) return std::nullopt;
  if (value.kind == json::Kind::null) return GatePolicy{};  // an empty file
  ReadOptions options;
  options.strict = true;
  return read<GatePolicy>(source, value, options, diagnostics);
}

}  // namespace kbench
