#include "report/format.hpp"
#include "schema/to_json.hpp"

namespace kbench {

std::string write_json(std::span<const Trace> traces, const ReportOptions&) {
  std::string out;
  for (const Trace& trace : traces)
    out += (out.empty() ? "[\n" : ",\n") + to_json(trace, Dump::full);
  return out.empty() ? "[]\n" : out + "\n]\n";
}

std::string write_jsonl(std::span<const Trace> traces, const ReportOptions&) {
  std::string out;
  for (const Trace& trace : traces) out += to_json(trace, Dump::full) + "\n";
  return out;
}

}  // namespace kbench
