// SPDX-License-Identifier: Apache-2.0
// Element types for ExecuTorch's kernels: their C++ types, kinds, promotion, and the switches over
// them. Include kbench_executorch.h.
#ifndef KBENCH_EXECUTORCH_TYPES_H_
#define KBENCH_EXECUTORCH_TYPES_H_

#include "kbench_executorch_names.h"

#if !KBENCH_WITH_EXECUTORCH

// Applies X(the type of C++, the ScalarType).
#define KBENCH_INT_TYPES(X) \
  X(uint8_t, Byte) X(int8_t, Char) X(int16_t, Short) X(int32_t, Int) X(int64_t, Long)
#define KBENCH_REAL_TYPES(X) KBENCH_INT_TYPES(X) X(float, Float) X(double, Double)
#define KBENCH_ALL_TYPES(X)                \
  KBENCH_REAL_TYPES(X)                     \
  X(bool, Bool)                            \
  X(::kbench::kernels::Half, Half)         \
  X(::kbench::kernels::BFloat16, BFloat16) \
  X(uint16_t, UInt16) X(uint32_t, UInt32) X(uint64_t, UInt64)

namespace executorch::runtime {

template <typename T>
struct CppTypeToScalarType;
template <aten::ScalarType type>
struct ScalarTypeToCppType;
#define KBENCH_TYPE_PAIR(cpp_type, name)                              \
  template <>                                                         \
  struct CppTypeToScalarType<cpp_type> {                              \
    static constexpr aten::ScalarType value = aten::ScalarType::name; \
  };                                                                  \
  template <>                                                         \
  struct ScalarTypeToCppType<aten::ScalarType::name> {                \
    using type = cpp_type;                                            \
  };
KBENCH_ALL_TYPES(KBENCH_TYPE_PAIR)
#undef KBENCH_TYPE_PAIR

inline const char* toString(aten::ScalarType type) { return kbench::kernels::name_of(type); }
inline size_t elementSize(aten::ScalarType type) { return kbench::kernels::element_size(type); }

constexpr bool isFloatingType(aten::ScalarType type) {
  return type == aten::ScalarType::Double || type == aten::ScalarType::Float ||
         type == aten::ScalarType::Half || type == aten::ScalarType::BFloat16;
}
constexpr bool isUnsignedType(aten::ScalarType type) {
  return type == aten::ScalarType::Byte || type == aten::ScalarType::UInt16 ||
         type == aten::ScalarType::UInt32 || type == aten::ScalarType::UInt64;
}
constexpr bool isIntegralType(aten::ScalarType type, bool with_bool) {
  return isUnsignedType(type) ||
         (type >= aten::ScalarType::Char && type <= aten::ScalarType::Long) ||
         (with_bool && type == aten::ScalarType::Bool);
}
constexpr bool isComplexType(aten::ScalarType type) {
  return type >= aten::ScalarType::ComplexHalf && type <= aten::ScalarType::ComplexDouble;
}
// Tells whether it is Byte to Long, Float or Double.
constexpr bool isRealType(aten::ScalarType type) {
  return (type >= aten::ScalarType::Byte && type <= aten::ScalarType::Long) ||
         type == aten::ScalarType::Float || type == aten::ScalarType::Double;
}
constexpr bool isRealHType(aten::ScalarType type) {
  return isRealType(type) || type == aten::ScalarType::Half;
}
constexpr bool isRealHBType(aten::ScalarType type) {
  return isRealHType(type) || type == aten::ScalarType::Bool;
}
constexpr bool isRealHBBF16Type(aten::ScalarType type) {
  return isRealHBType(type) || type == aten::ScalarType::BFloat16;
}

// Returns the wider of two integers, or of two floats: Half and BFloat16 make a Float, Byte and
// Char a Short.
inline aten::ScalarType wider_type(aten::ScalarType a, aten::ScalarType b) {
  if (elementSize(a) != elementSize(b)) return elementSize(a) > elementSize(b) ? a : b;
  return isFloatingType(a) ? aten::ScalarType::Float : aten::ScalarType::Short;
}

// Applies PyTorch's rules for the result of two types that are real, Half, BFloat16 or Bool.
inline aten::ScalarType promoteTypes(aten::ScalarType a, aten::ScalarType b,
                                     bool half_to_float = false) {
  ET_CHECK_MSG(isRealHBBF16Type(a) && isRealHBBF16Type(b), "%s and %s", toString(a), toString(b));
  aten::ScalarType type = b;
  if (a == b || b == aten::ScalarType::Bool) {
    type = a;
  } else if (isFloatingType(a) != isFloatingType(b)) {
    type = isFloatingType(a) ? a : b;
  } else if (a != aten::ScalarType::Bool) {
    type = wider_type(a, b);
  }
  const bool is_short = isFloatingType(type) && elementSize(type) == 2;
  return half_to_float && is_short ? aten::ScalarType::Float : type;
}

constexpr bool canCast(aten::ScalarType from, aten::ScalarType to) {
  if (isComplexType(from) && !isComplexType(to)) return false;
  if (isFloatingType(from) && isIntegralType(to, false)) return false;
  return from == aten::ScalarType::Bool || to != aten::ScalarType::Bool;
}

}  // namespace executorch::runtime

// Defines ET_SWITCH_…(type, context, "name.out", CTYPE, [&] { … }): calls the function with CTYPE
// as the type of C++; for other types the context gets InvalidArgument.
#define KBENCH_CASE(name, CTYPE, ...)                                                           \
  case ::executorch::aten::ScalarType::name: {                                                  \
    using CTYPE [[maybe_unused]] =                                                              \
        ::executorch::runtime::ScalarTypeToCppType<::executorch::aten::ScalarType::name>::type; \
    return __VA_ARGS__();                                                                       \
  }
#define KBENCH_SWITCH(type, context, name, ...)                       \
  [&] {                                                               \
    switch (const auto switched_type = (type)) {                      \
      __VA_ARGS__                                                     \
      default:                                                        \
        (context).fail(::executorch::runtime::Error::InvalidArgument, \
                       "a type that it does not take");               \
        ET_LOG(Error, "%s does not take the type %s", name,           \
               ::executorch::runtime::toString(switched_type));       \
    }                                                                 \
  }()
#define KBENCH_INT_CASES(CTYPE, ...)     \
  KBENCH_CASE(Byte, CTYPE, __VA_ARGS__)  \
  KBENCH_CASE(Char, CTYPE, __VA_ARGS__)  \
  KBENCH_CASE(Short, CTYPE, __VA_ARGS__) \
  KBENCH_CASE(Int, CTYPE, __VA_ARGS__) KBENCH_CASE(Long, CTYPE, __VA_ARGS__)
#define KBENCH_FLOAT_CASES(CTYPE, ...) \
  KBENCH_CASE(Float, CTYPE, __VA_ARGS__) KBENCH_CASE(Double, CTYPE, __VA_ARGS__)
#define KBENCH_REAL_CASES(CTYPE, ...) \
  KBENCH_INT_CASES(CTYPE, __VA_ARGS__) KBENCH_FLOAT_CASES(CTYPE, __VA_ARGS__)

#define ET_SWITCH_INT_TYPES(type, context, name, CTYPE, ...) \
  KBENCH_SWITCH(type, context, name, KBENCH_INT_CASES(CTYPE, __VA_ARGS__))
#define ET_SWITCH_FLOAT_TYPES(type, context, name, CTYPE, ...) \
  KBENCH_SWITCH(type, context, name, KBENCH_FLOAT_CASES(CTYPE, __VA_ARGS__))
#define ET_SWITCH_FLOATH_TYPES(type, context, name, CTYPE, ...) \
  KBENCH_SWITCH(type, context, name,                            \
                KBENCH_FLOAT_CASES(CTYPE, __VA_ARGS__) KBENCH_CASE(Half, CTYPE, __VA_ARGS__))
#define ET_SWITCH_FLOATHBF16_TYPES(type, context, name, CTYPE, ...)                          \
  KBENCH_SWITCH(type, context, name,                                                         \
                KBENCH_FLOAT_CASES(CTYPE, __VA_ARGS__) KBENCH_CASE(Half, CTYPE, __VA_ARGS__) \
                    KBENCH_CASE(BFloat16, CTYPE, __VA_ARGS__))
#define ET_SWITCH_REAL_TYPES(type, context, name, CTYPE, ...) \
  KBENCH_SWITCH(type, context, name, KBENCH_REAL_CASES(CTYPE, __VA_ARGS__))
#define ET_SWITCH_REAL_TYPES_AND(one, type, context, name, CTYPE, ...) \
  KBENCH_SWITCH(type, context, name,                                   \
                KBENCH_REAL_CASES(CTYPE, __VA_ARGS__) KBENCH_CASE(one, CTYPE, __VA_ARGS__))
#define ET_SWITCH_REAL_TYPES_AND2(one, two, type, context, name, CTYPE, ...)               \
  KBENCH_SWITCH(type, context, name,                                                       \
                KBENCH_REAL_CASES(CTYPE, __VA_ARGS__) KBENCH_CASE(one, CTYPE, __VA_ARGS__) \
                    KBENCH_CASE(two, CTYPE, __VA_ARGS__))
#define ET_SWITCH_REAL_TYPES_AND3(one, two, three, type, context, name, CTYPE, ...)        \
  KBENCH_SWITCH(type, context, name,                                                       \
                KBENCH_REAL_CASES(CTYPE, __VA_ARGS__) KBENCH_CASE(one, CTYPE, __VA_ARGS__) \
                    KBENCH_CASE(two, CTYPE, __VA_ARGS__) KBENCH_CASE(three, CTYPE, __VA_ARGS__))
#define ET_SWITCH_REALB_TYPES(...) ET_SWITCH_REAL_TYPES_AND(Bool, __VA_ARGS__)
#define ET_SWITCH_REALH_TYPES(...) ET_SWITCH_REAL_TYPES_AND(Half, __VA_ARGS__)
#define ET_SWITCH_REALHB_TYPES(...) ET_SWITCH_REAL_TYPES_AND2(Half, Bool, __VA_ARGS__)
#define ET_SWITCH_REALHBF16_TYPES(...) ET_SWITCH_REAL_TYPES_AND2(Half, BFloat16, __VA_ARGS__)
#define ET_SWITCH_REALHBBF16_TYPES(...) ET_SWITCH_REAL_TYPES_AND3(Half, Bool, BFloat16, __VA_ARGS__)
#define ET_SWITCH_TWO_TYPES(one, two, type, context, name, CTYPE, ...) \
  KBENCH_SWITCH(type, context, name,                                   \
                KBENCH_CASE(one, CTYPE, __VA_ARGS__) KBENCH_CASE(two, CTYPE, __VA_ARGS__))
#define ET_SWITCH_THREE_TYPES(one, two, three, type, context, name, CTYPE, ...)           \
  KBENCH_SWITCH(type, context, name,                                                      \
                KBENCH_CASE(one, CTYPE, __VA_ARGS__) KBENCH_CASE(two, CTYPE, __VA_ARGS__) \
                    KBENCH_CASE(three, CTYPE, __VA_ARGS__))

#endif  // !KBENCH_WITH_EXECUTORCH

#endif  // KBENCH_EXECUTORCH_TYPES_H_
