// kbench mcp: docs/agents.md. The server is in Python (python/kbench/mcp.py): this finds an
// interpreter and becomes it.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "base/installation.hpp"
#include "base/system.hpp"
#include "cli/shell/command.hpp"
#include "cli/shell/command_line.hpp"
#include "schema/record_signature.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

// The folder that the server is started in may be a stranger's: no module comes from there.
constexpr const char* start = R"(
import importlib.util, os, runpy, sys
sys.path[:0] = [path for path in os.environ.get("PYTHONPATH", "").split(":") if path.startswith("/")]
if importlib.util.find_spec("kbench") is None:
    print(f"kbench mcp: error: {sys.executable} has no package kbench: install kbench's wheel in its environment, or "
          "name a checkout's python/ in PYTHONPATH", file=sys.stderr)
    sys.exit(3)
runpy.run_module("kbench.mcp", run_name="__main__")
)";

// Returns the Python of the environment that the program is installed in, else of the active one,
// else the first in the path.
std::string interpreter(const fs::path& programs) {
  const fs::path active = variable("VIRTUAL_ENV"), conda = variable("CONDA_PREFIX");
  for (const fs::path& folder : {programs, active / "bin", conda / "bin"})
    if (folder.is_absolute() && fs::exists(folder / "python3")) return folder / "python3";
  return find_program("python3").string();
}

int serve() {
  const fs::path programs = installation().programs;
  ::setenv("KBENCH", (programs / "kbench").c_str(), 1);  // program that the server calls
  const std::string python = interpreter(programs);
  if (python.empty())
    throw std::runtime_error("kbench mcp needs Python: there is no python3 in PATH");
  const bool has_keys = !trusted_keys_file().empty();
  const std::string keys = has_keys ? fs::absolute(trusted_keys_file()).string() : "";
  ::execl(python.c_str(), python.c_str(), "-I", "-c", start, has_keys ? "--trusted-keys" : nullptr,
          keys.c_str(), nullptr);
  fail_by_errno("kbench mcp needs Python: " + python);
}

}  // namespace

std::function<int()> declare_mcp(CommandLine) { return &serve; }

}  // namespace kbench
