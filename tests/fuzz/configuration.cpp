// The configuration file of kbench run.
#include "schema/config.hpp"
#include "support.hpp"

using namespace kbench;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Source source{"fuzz.yaml", fuzz::Input(data, size).rest()};
  Diagnostics problems;
  const auto config = read_config(source, problems);
  FUZZ_CHECK(config.has_value() == (problems.errors() == 0));
  fuzz::check_reports(problems, source);
  if (config) FUZZ_CHECK(!to_json(resolve(*config, "gemm", "gemm_n4096")).empty());
  return 0;
}
