// What problems and answers in Python have in common, whatever benchmark they are for.
#pragma once

#include <string>
#include <string_view>

#include "import/imported.hpp"
#include "syntax/python.hpp"

namespace kbench {

// "19_ReLU" → "19_relu": a part of a name.
std::string tidy_name(std::string_view text);

bool has_function(const python::Module& module, std::string_view name);

// Warns of what an answer uses and candidates may not.
void note_what_fails_in_python(ForeignFile& answer);

}  // namespace kbench
