#include "cli/kernels/library_options.hpp"

#include "cli/shell/command_line.hpp"

namespace kbench {

void declare_libraries(CommandLine line, KernelOptions& options) {
  line.add_option("library", options.words,
                  "Kernel yaml files, folders with some, or trace sets; default: the current trace "
                  "set")
      .text("[LIB]...");
  line.add_option("--root", options.root, "The trace set; default: the current one").text("DIR");
  line.add_flag("--replace", options.replace,
                "Of two kernels that serve the same calls the later one counts");
}

}  // namespace kbench
