// Labels by which profiles name calls: "kbench#<definition>/<solution>@<version>:<key>". In names,
// what is no letter, digit, '_', '-' or '.' stands as "%2F", so that whatever a record may be
// called, a label is one word of ASCII and leads back to the name.
#pragma once

#include <string>

namespace kbench {

struct Stamp {
  std::string definition;
  std::string solution;
  std::string version = "0";  // of the solution, as its author counts
  std::string key;            // 16 hexadecimal digits: of what a record or an entry rests on
};

std::string stamp_label(const Stamp& stamp);

}  // namespace kbench
