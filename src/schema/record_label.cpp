#include "schema/record_label.hpp"

#include "base/digest.hpp"
#include "base/text.hpp"

namespace kbench {

std::string basis_key(const Basis& basis) {
  std::vector<std::string> lines = {basis.definition,       basis.workload,
                                    basis.solution,         basis.compiler.value_or(""),
                                    join(basis.flags, " "), basis.machine};
  if (basis.prepare) lines.push_back(*basis.prepare);
  return sha256_hex(join(lines, "\n")).substr(0, 16);
}

}  // namespace kbench
