// The importer: a program in Python (python/kbench/importers), which makes records of the content
// of foreign files. It opens none itself: it is held as candidates are.
#pragma once

#include "import/formats.hpp"
#include "import/imported.hpp"

namespace kbench {

// Fills in records and notes for what read_foreign_files() has read. Throws std::runtime_error
// where there is no Python of 3.9 or newer, or the importer does not answer.
void run_importer(const ImportFormat& format, bool run_init, const KnownRecords& known,
                  Imported& imported);

}  // namespace kbench
