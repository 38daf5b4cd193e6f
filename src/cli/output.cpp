#include "cli/output.hpp"

#include <fmt/format.h>

#include <system_error>

#include "base/file.hpp"
#include "cli/terminal.hpp"

namespace kbench {

bool write_output(const std::string& file, const std::string& text, Diagnostics& reports) {
  if (file.empty() || file == "-") return print(text), true;
  try {
    write_file(file, text);
    return true;
  } catch (const std::system_error& error) {
    reports.error({file, 0, 0, "", ""},
                  fmt::format("cannot be written: {}", error.code().message()));
    return false;
  }
}

}  // namespace kbench
