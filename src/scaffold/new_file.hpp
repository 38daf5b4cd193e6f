// A file that kbench new makes, before it is written.
#pragma once

#include <string>

namespace kbench {

struct NewFile {
  std::string path;  // below the trace set's root
  std::string text;
};

}  // namespace kbench
