// kbench kernels test: the contract of each kernel, check by check.
#include "cli/kernels/kernels.hpp"

#include <memory>

#include "base/text.hpp"
#include "cli/judging/run_options.hpp"
#include "cli/run/run.hpp"
#include "cli/shell/command.hpp"
#include "cli/shell/command_line.hpp"
#include "kernels/contract/kernel_contract.hpp"
#include "kernels/registry/kernel_key.hpp"

namespace kbench {
namespace {

std::vector<std::string> check_ids() {
  std::vector<std::string> ids;
  for (const ContractCheck& check : contract_checks()) {
    for (const std::string_view id : split(check.ids, ' ')) {
      if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.emplace_back(id);
    }
  }
  return ids;
}

}  // namespace

std::function<int()> declare_kernels_test(CommandLine line) {
  auto command = std::make_shared<RunCommand>();
  auto contract = std::make_shared<ContractOptions>();
  line.add_option("library [LIB]...", command->kernels,
                  "Kernel yaml files, folders with some, or trace sets; default: the current trace "
                  "set");
  declare_run_options(line, *command);
  line.remove("--kernels");
  line.add_option("--op OP", contract->ops, "Only these operators").one_word();
  line.add_option("--only CHECKS", contract->only,
                  "Only these checks: C5,C7 (" + join(check_ids(), ", ") + ")")
      .delimiter(',')
      .one_word()
      .one_of(check_ids());
  line.add_option("--dtype DTYPES", contract->dtypes,
                  "Also with another dtype in the place of a Definition's: BFloat16,Int")
      .delimiter(',')
      .one_word()
      .one_of(scalar_type_names());
  line.add_option(
      "--constraints FILE", contract->constraints,
      "C3: which combinations of dtypes are taken and right, all others being refused: a "
      "file in the form of ExecuTorch's edge.yaml");
  line.find("--out").doc("Write the records to DIR/traces; without it they are printed alone");
  // The time of a check says nothing of the kernel: one start is timed, by few samples.
  command->options.judge.budget_seconds = 0.001;
  command->settings.iterations = 3;
  command->profile_baseline = false;
  return [command, contract, line] {
    command->no_save = command->out.empty();
    for (std::string& op : contract->ops) op = ops::full_name(op);
    command->contract = *contract;
    command->given = given_options(line);
    return run(*command);
  };
}

}  // namespace kbench
