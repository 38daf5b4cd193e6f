// Text as content of XML 1.0 and HTML.
#pragma once

#include <string>
#include <string_view>

namespace kbench {

// With what would be read as markup escaped, and U+FFFD for what XML cannot hold. UTF-8 stays.
std::string xml_text(std::string_view text);

}  // namespace kbench
