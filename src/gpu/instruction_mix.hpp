// What a kernel's machine code is made of.
#pragma once

#include "gpu/sass.hpp"
#include "schema/compiled.hpp"

namespace kbench::gpu {

// Instructions as they stand in the code, not as often as they are executed.
InstructionMix mix_of(const Code& code);

}  // namespace kbench::gpu
