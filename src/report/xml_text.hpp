// Text as content of XML 1.0 and HTML.
#pragma once

#include <string>
#include <string_view>

namespace kbench {

// With what would be read as markup escaped, and control characters, most of which XML cannot hold
// (XML 1.0, section 2.2), as "\x1b". Line breaks stay.
std::string xml_text(std::string_view text);

}  // namespace kbench
