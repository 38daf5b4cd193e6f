// Options that name calls for profiles: docs/stamps.md.
#pragma once

#include <string>

#include "base/diagnostic.hpp"
#include "judge/stage.hpp"

namespace kbench {

class CommandLine;

struct StampOptions {
  bool stamp = false;
  std::string trace_events;  // file; "": none
};

// --stamp and --trace-events
void declare_stamps(CommandLine line, StampOptions& options);
// Declares --trace-events for `kbench tune`, which writes no records.
void declare_trace_events(CommandLine line, StampOptions& options);

// Writes stages to a file in the Trace Event Format, each as soon as it is over, so that viewers
// open what a run that was killed has left. The file ends with the last copy of what is returned.
// Returns nothing where `path` is "" or cannot be written, which is reported.
StageEvents trace_events_to(const std::string& path, Diagnostics& reports);

}  // namespace kbench
