// The first message of a service.
#pragma once

#include <string_view>

namespace kbench {

// Tells the judge on `socket` that this process is ready. From then on nobody reads what it or a
// fork of it prints: until then the judge hears why it does not start.
void greet(int socket, std::string_view message);

}  // namespace kbench
