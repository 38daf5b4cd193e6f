// Folders whose content others may have made (trace sets, archives, what a run on another machine
// wrote): no link in one of them leads a reader or a writer out of it. docs/trust.md.
#pragma once

#include <filesystem>

#include "base/file.hpp"

namespace kbench {

// From now on what lies below `root` is opened beneath it alone. A snapshot of Hugging Face's
// cache, whose files are links, is kept to the folder of its repository.
void confine(const std::filesystem::path& root);

// The user's word that links may lead anywhere, for the whole process (--allow-outside).
void allow_files_outside();
bool may_be_outside();

// As open(2), close-on-exec. Throws std::system_error where it fails, and with the code of
// leads_out() for a confined file that is elsewhere.
Fd open_confined(const std::filesystem::path& path, int flags);

// Throws as open_confined() does where a confined file would be written elsewhere: it, or the
// nearest of its folders that exists.
void check_confined(const std::filesystem::path& path);

std::error_code leads_out();

}  // namespace kbench
