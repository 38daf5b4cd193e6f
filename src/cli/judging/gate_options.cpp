#include "cli/judging/gate_options.hpp"

#include "cli/shell/command_line.hpp"

namespace kbench {

void declare_gate_options(CommandLine line, GateOptions& options) {
  line.add_option("--against BASELINE", options.against,
                  "An earlier run: what is slower than there, or missing, is found");
  line.add_option("--policy FILE", options.policy_file,
                  "What stops, and what is only warned of: YAML or JSON");
  line.add_option("--junit FILE", options.junit_file,
                  "Write what was found there, too, as JUnit's XML");
}

}  // namespace kbench
