// How much of the disk a folder takes.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>

namespace kbench {

// Whether what is in `folder` takes more than `most` bytes of disk, each file and folder counted
// as 4 KiB at least, or cannot be looked at: folders that are closed, or nest more than 64 deep.
// What was removed there and is open or mapped in `process` counts, too: what is mapped alone,
// whose size nobody tells, as `largest_file`.
bool takes_more(const std::filesystem::path& folder, pid_t process, std::uint64_t largest_file,
                std::uint64_t most);

}  // namespace kbench
