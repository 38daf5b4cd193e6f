// A recorded search, of whatever bytes: it is read, or it is said at which place what is wrong.
#include "support.hpp"
#include "tune/kernel_tuner_cache.hpp"

using namespace kbench;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Diagnostics problems;
  const Source source{"fuzz.json", std::string(reinterpret_cast<const char*>(data), size)};
  const auto record = read_kernel_tuner(source, {}, problems);
  FUZZ_CHECK(record.has_value() == (problems.errors() == 0));
  if (!record) return 0;
  FUZZ_CHECK(record->values.size() == record->space.size());
  FUZZ_CHECK(record->failures.size() == record->space.size());
  for (std::uint32_t i = 0; i < record->space.size(); ++i) {
    FUZZ_CHECK(record->values[i].has_value() == record->failures[i].empty());
    FUZZ_CHECK(record->space.number(record->space.configuration(i)) == i);
  }
  return 0;
}
