// Definitions, solutions, workloads and traces as they stand in files: any bytes give a record or
// reports, and a record that was read is read again from what kbench writes of it.
#include "schema/kinds.hpp"
#include "schema/scan.hpp"
#include "support.hpp"

using namespace kbench;

namespace {

void read_record(const Kind& kind, const Source& source) {
  Diagnostics problems;
  const std::string written = kind.check(source, {}, problems);
  fuzz::check_reports(problems, source);
  FUZZ_CHECK(written.empty() == (problems.errors() > 0));
  if (written.empty()) return;
  Diagnostics again;
  FUZZ_CHECK(kind.check({"written", written}, {}, again) == written);
}

}  // namespace

// The first byte chooses the kind of record.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const std::size_t kind = input.byte() % (kinds().size() + 1);
  const Source source{"fuzz.json", input.rest()};
  if (kind < kinds().size()) {
    read_record(kinds()[kind], source);
  } else {
    Diagnostics problems;
    int bad_line = 0;
    if (check_lines_form(source, problems)) read_trace_lines(source, {}, bad_line, problems);
    fuzz::check_reports(problems, source);
  }
  return 0;
}
