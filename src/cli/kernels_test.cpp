// kbench kernels test: the contract of each kernel, check by check.
#include "cli/kernels.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/kernel_contract.hpp"
#include "cli/kernel_set.hpp"
#include "cli/run_options.hpp"
#include "cli/running.hpp"
#include "registry/scalar_type.hpp"

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

std::function<int()> declare_kernels_test(CLI::App& app) {
  auto command = std::make_shared<RunCommand>();
  auto contract = std::make_shared<ContractOptions>();
  app.add_option("library", command->kernels,
                 "Kernel yaml files, folders with some, or trace sets; default: the current trace "
                 "set")
      ->option_text("[LIB]...");
  declare_run_options(app, *command);
  app.remove_option(app.get_option("--kernels"));
  app.add_option("--op", contract->ops, "Only these operators")
      ->allow_extra_args(false)
      ->option_text("OP");
  app.add_option("--only", contract->only,
                 "Only these checks: C5,C7 (" + join(check_ids(), ", ") + ")")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember(check_ids()))
      ->option_text("CHECKS");
  app.add_option("--dtype", contract->dtypes,
                 "Also with another dtype in the place of a Definition's: BFloat16,Int")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember(scalar_type_names()))
      ->option_text("DTYPES");
  app.add_option(
         "--constraints", contract->constraints,
         "C3: which combinations of dtypes are taken and right, all others being refused: a "
         "file in the form of ExecuTorch's edge.yaml")
      ->option_text("FILE");
  app.get_option("--out")->description(
      "Write the records to DIR/traces; without it they are printed alone");
  // What a check takes says nothing of the kernel.
  command->budget = 0.001;
  command->profile_baseline = false;
  return [command, contract, &app] {
    command->no_save = command->out.empty();
    for (std::string& op : contract->ops) op = ops::full_name(op);
    command->contract = *contract;
    command->given = given_options(app);
    return run(*command);
  };
}

}  // namespace kbench
