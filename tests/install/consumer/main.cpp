// consumer DEFINITION.json TRACES.jsonl: prints how many inputs and outputs the definition has, and
// what became of each trace.
#include <base/file.hpp>
#include <base/text.hpp>
#include <iostream>
#include <schema/definition.hpp>
#include <schema/names.hpp>
#include <schema/read.hpp>
#include <schema/trace.hpp>

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  kbench::Diagnostics found;
  const kbench::Source file = {argv[1], kbench::read_file(argv[1])};
  if (const auto definition = kbench::read_text<kbench::Definition>(file, {}, found)) {
    std::cout << definition->name << ": " << definition->inputs.size() << " inputs, "
              << definition->outputs.size() << " outputs\n";
  }
  const std::string lines = kbench::read_file(argv[2]);
  for (const std::string_view line : kbench::split(kbench::trim(lines), '\n')) {
    const kbench::Source source = {argv[2], std::string(line)};
    const auto trace = kbench::read_text<kbench::Trace>(source, {}, found);
    if (trace && trace->evaluation)
      std::cout << *trace->solution << ": " << status_name(trace->evaluation->status) << "\n";
  }
  for (const kbench::Diagnostic& problem : found.items()) std::cerr << render(problem, false);
  return found.items().empty() ? 0 : 1;
}
