#include "exec/scratch.hpp"

#include <stdlib.h>

#include <cerrno>
#include <string>
#include <system_error>

namespace kbench {

Scratch::Scratch() {
  std::string name = (std::filesystem::temp_directory_path() / "kbench-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr)
    throw std::system_error(errno, std::generic_category(), name);
  path_ = name;
}

Scratch::~Scratch() {
  std::error_code ignored;  // what cannot be removed is not the candidate's result
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace kbench
