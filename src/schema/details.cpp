#include "schema/details.hpp"

namespace kbench {

template class Boxed<Details>;

}  // namespace kbench
