// Libraries as tests/exec/cores_test.cpp wants them, one a macro.
#include <unistd.h>

#include <cstddef>

#ifdef HANGS
[[maybe_unused]] const int hung = (::pause(), 0);
#endif

// Function that a library has to export so that kbench lists it.
extern "C" int kbench_registered_kernel(std::size_t index, const char* texts[4]) {
#ifdef ENDLESS
  texts[0] = index % 2 == 0 ? "even" : "odd";
  return 1;
#elif defined(NO_TEXT)
  texts[0] = "\xff";
  return index == 0;
#else
  if (index == 0) {  // older libraries gave these three texts
    texts[0] = "my::f";
    texts[2] = "a.yaml:3";
  } else {
    texts[0] = "my::\x1b[31mg";
    texts[1] = "v1/6;0";
    texts[2] = "";
    texts[3] = "&call_g<&::my::native::g>";
  }
  return index < 2;
#endif
}
