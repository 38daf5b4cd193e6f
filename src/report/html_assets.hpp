// The files of src/report/html/, as the build put them into the program.
#pragma once

#include <string_view>

namespace kbench {

std::string_view html_page();    // has the marks @STYLE@, @DATA@ and @SCRIPT@
std::string_view html_style();   // CSS
std::string_view html_script();  // JavaScript

}  // namespace kbench
