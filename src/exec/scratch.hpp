// A fresh, empty folder that is gone with its object: the working directory of a candidate.
#pragma once

#include <filesystem>

namespace kbench {

class Scratch {
 public:
  Scratch();
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace kbench
