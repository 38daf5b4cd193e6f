// Folders whose content others may have made (trace sets, archives, what a run on another machine
// wrote): no link in one of them leads a reader or a writer out of it. docs/trust.md.
#pragma once

#include <filesystem>

#include "base/file.hpp"

namespace kbench {

// Has what lies below `root` opened beneath it alone from now on. A snapshot of Hugging Face's
// cache, whose files are links, is kept to the folder of its repository.
void confine(const std::filesystem::path& root);

// The user's word that links may lead anywhere, for the whole process (--allow-outside).
void allow_files_outside();
bool may_be_outside();

// The one opener, as open(2), close-on-exec: a confined file is opened nowhere else, and what may
// be made (O_CREAT) never through a link. Returns no descriptor where it fails: errno says why,
// EXDEV of a link that leads out, EBADFD of a pipe or a device below a root that would be read.
Fd try_open_confined(const std::filesystem::path& path, int flags, unsigned mode = 0666);
// Throws std::system_error instead; its message for EXDEV says how links are followed.
Fd open_confined(const std::filesystem::path& path, int flags, unsigned mode = 0666);

// Throws as open_confined() does where a confined file would be written elsewhere: it, or the
// nearest of its folders that exists.
void check_confined(const std::filesystem::path& path);
// Makes a folder, and those above it that are missing, where check_confined() lets it.
void create_confined_folders(const std::filesystem::path& folder);

// Compares their names alone.
bool is_below(const std::filesystem::path& file, const std::filesystem::path& folder);

}  // namespace kbench
