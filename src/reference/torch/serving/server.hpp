// The loop of kbench-torch: one fork for each request, so that no reference sees another one.
#pragma once

namespace kbench {

// Answers requests that come over `socket` until the other side closes it.
void serve(int socket);

}  // namespace kbench
