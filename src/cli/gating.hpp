// What `kbench gate` and `kbench run --gate` share.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/diagnostic.hpp"
#include "report/gate.hpp"
#include "schema/gate_policy.hpp"

namespace CLI {
class App;
}

namespace kbench {

struct GateOptions {
  std::string against, policy_file;
};

void declare_gate_options(CLI::App& app, GateOptions& options);

// What a run is held against.
struct Gate {
  GatePolicy policy;
  std::optional<RunRecords> before;
};

// Nothing where a file is not there or wrong, which is reported.
std::optional<Gate> open_gate(const GateOptions& options, Diagnostics& reports);

// Prints what is found in that format ("": its sentence alone), with `all` what passes, too; the
// exit status.
int pass_gate(const Gate& gate, const RunRecords& run, std::string_view format, bool all);

}  // namespace kbench
