#include "data/stored_place.hpp"

#include <system_error>

#include "base/confined.hpp"

namespace kbench {

namespace fs = std::filesystem;

StoredPlace stored_place(const fs::path& root, std::string_view path) {
  StoredPlace place{(root / path).lexically_normal(), "", ""};
  std::error_code error;
  const fs::path folder = fs::weakly_canonical(fs::absolute(root), error);
  const fs::path file = fs::weakly_canonical(fs::absolute(place.file), error);
  if (!may_be_outside() && (error || !is_below(file, folder))) {
    place.problem = "lies outside of the trace set";
    place.hint = "--allow-outside reads it; only where you trust who wrote the workload";
  }
  return place;
}

}  // namespace kbench
