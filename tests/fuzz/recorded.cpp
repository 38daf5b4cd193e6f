// A recorded search: any bytes are read, or the report names the place that is wrong.
#include "kernels/registry/sidecar.hpp"
#include "support.hpp"
#include "tune/imported_search.hpp"
#include "tune/make_space.hpp"

using namespace kbench;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Diagnostics none;
  static const Tunables tunables =
      read_sidecar({"kbench.yaml", "params: {b: [1, 2, 32, 64], w: [x, z, 0.5, true]}\n"}, none)
          .tunables;
  static const Space space = make_space(tunables, {}, none).value();
  const Configuration others = space.configuration(0);
  Diagnostics problems;
  const Source source{"fuzz.json", std::string(reinterpret_cast<const char*>(data), size)};
  const auto imported = import_search(source, {tunables, space, others}, problems);
  FUZZ_CHECK(imported.has_value() == (problems.errors() == 0));
  if (!imported) return 0;
  for (const std::uint32_t number : imported->first) FUZZ_CHECK(number < space.size());
  return 0;
}
