#include "schema/kinds.hpp"

#include "schema/definition.hpp"
#include "schema/json_schema.hpp"
#include "schema/solution.hpp"
#include "schema/to_json.hpp"
#include "schema/trace.hpp"

namespace kbench {
namespace {

template <class Record>
std::string check_text(const Source& source, const ReadOptions& options, Diagnostics& diagnostics) {
  const auto record = read_text<Record>(source, options, diagnostics);
  return record ? to_json(*record, Dump::full, 2) : "";
}

template <class Record>
constexpr Kind row(std::string_view name, std::string_view doc) {
  return {name, doc, &check_text<Record>, &json_schema<Record>};
}

constexpr Kind kind_rows[] = {
    row<Definition>("definition", "What a kernel has to compute."),
    row<Solution>("solution", "Source code that claims to compute a Definition."),
    row<Workload>("workload", "Axis values and inputs for one call."),
    row<Trace>("trace", "A workload, and what came of running a solution on it."),
    row<Evaluation>("evaluation", "Status, environment, correctness and performance of one run."),
    row<Correctness>("correctness", "Errors against the reference."),
    row<Performance>("performance", "Latencies in milliseconds."),
    row<TensorSpec>("tensor_spec", "Shape and dtype of an input or output."),
    row<AxisConst>("axis_const", "An axis of fixed length."),
    row<AxisVar>("axis_var", "An axis whose length comes from the workload."),
    row<BuildSpec>("build_spec", "How a solution is built and called."),
};

}  // namespace

std::span<const Kind> kinds() { return kind_rows; }

const Kind* find_kind(std::string_view name) {
  for (const Kind& kind : kind_rows) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

std::vector<std::string> kind_names() {
  std::vector<std::string> all;
  for (const Kind& kind : kind_rows) all.emplace_back(kind.name);
  return all;
}

}  // namespace kbench
