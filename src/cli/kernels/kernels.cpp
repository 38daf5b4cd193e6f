// kbench kernels: its verbs. A new one has a file, a declaration in kernels.hpp, and a row here.
#include "cli/kernels/kernels.hpp"

#include "cli/shell/command.hpp"
#include "cli/shell/command_line.hpp"

namespace kbench {
namespace {

constexpr Command verbs_of_kernels[] = {
    {"list", "Print what kernel libraries register", &declare_kernels_list},
    {"resolve", "Say which kernel serves a call, and why", &declare_kernels_resolve},
    {"select", "Say what a program needs of kernel libraries", &declare_kernels_select},
    {"codegen", "Write the C++ that calls and registers kernels", &declare_kernels_codegen},
    {"check", "Hold every solution and kernel against what it is called with",
     &declare_kernels_check},
    {"test", "Check the contract of each kernel", &declare_kernels_test},
    {"define", "Write a Definition to begin with, from an operator's schema",
     &declare_kernels_define},
    {"merge", "Write two kernel yaml files in one", &declare_kernels_merge},
    {"schema", "Print an operator's schema in its canonical form, and its C++ prototype",
     &declare_kernels_schema},
};

}  // namespace

std::span<const Command> kernel_commands() { return verbs_of_kernels; }

void declare_libraries(CommandLine line, KernelOptions& options) {
  line.add_option("library [LIB]...", options.words,
                  "Kernel yaml files, folders with some, or trace sets; default: the current trace "
                  "set");
  line.add_option("--root DIR", options.root, "The trace set; default: the current one");
  line.add_flag("--replace", options.replace,
                "Of two kernels that serve the same calls the later one counts");
}

}  // namespace kbench
