// The registry that generated code registers with: the cases K9 to K20 of the research notes. The
// whole program shares it, so each test has operators of its own.
#include <gtest/gtest.h>

#include "candidate/tensors.hpp"

namespace kbench::kernels {
namespace {

// Functions that can be told apart.
template <int number>
void function(KernelRuntimeContext&, Span<EValue*>) {}
constexpr OpFunction one = &function<1>;
constexpr OpFunction two = &function<2>;
constexpr OpFunction three = &function<3>;

Error registered(std::initializer_list<Kernel> kernels) {
  return try_register_kernels({kernels.begin(), kernels.size()});
}

OpFunction found(const char* name, Metas metas = {}) {
  const auto result = get_op_function_from_registry(name, metas.span());
  return result.ok() ? *result : nullptr;
}

const Metas long_in_order = {{ScalarType::Long, {0, 1, 2, 3}}};
const Metas float_in_order = {{ScalarType::Float, {0, 1, 2, 3}}};

// Returns what `call` writes to stderr.
template <typename Call>
std::string said(Call call) {
  testing::internal::CaptureStderr();
  call();
  return testing::internal::GetCapturedStderr();
}

TEST(RuntimeRegistry, KnowsWhatIsRegistered) {  // K9, K17
  EXPECT_FALSE(registry_has_op_function("k9::foo"));
  ASSERT_EQ(registered({{"k9::foo", nullptr, one, "a.yaml:1"}}), Error::Ok);
  EXPECT_TRUE(registry_has_op_function("k9::foo"));
  EXPECT_FALSE(registry_has_op_function("k9::fpp"));
  EXPECT_FALSE(registry_has_op_function("foo"));
}

TEST(RuntimeRegistry, OneKernelTwiceShowsBothPlaces) {  // K10, K16
  const std::string text = said([] {
    EXPECT_EQ(
        registered({{"k10::f", nullptr, one, "a.yaml:1"}, {"k10::f", nullptr, two, "b.yaml:2"}}),
        Error::RegistrationAlreadyRegistered);
  });
  EXPECT_EQ(text,
            "kernel registration failed: k10::f (default), of b.yaml:2, is registered already: "
            "that of a.yaml:1\n");
  EXPECT_FALSE(registry_has_op_function("k10::f"));  // all or none
  ASSERT_EQ(registered({{"k10::f", "v1/6;0", one, "a.yaml:1"}}), Error::Ok);
  const std::string later = said([] {
    EXPECT_EQ(static_cast<int>(registered(
                  {{"k10::g", nullptr, one, "b.yaml:1"}, {"k10::f", "v1/6;0", two, "b.yaml:3"}})),
              22);
  });
  EXPECT_EQ(later,
            "kernel registration failed: k10::f (v1/6;0), of b.yaml:3, is registered already: that "
            "of a.yaml:1\n");
  EXPECT_FALSE(registry_has_op_function("k10::g"));
  EXPECT_EQ(registered({{"k10::f", "v1/6;1", one, ""}, {"k10::f", nullptr, one, ""}}), Error::Ok);
}

TEST(RuntimeRegistryDeathTest, TheProgramEndsWhereRegistrationFails) {  // K10
  const Kernel twice[] = {{"k10::death", nullptr, one, "a:1"}, {"k10::death", nullptr, one, "b:2"}};
  EXPECT_DEATH(register_kernels({twice, 2}), "registration failed");
}

TEST(RuntimeRegistry, AKeyThatIsNoneIsRefused) {
  for (const char* key : {"", "v2/6;0", "v1/", "v1/6", "v1/6;0,", "v1/6;0|", "v1/100;0", "v1/6;100",
                          "v1/x;0", "v1/6;0 ", "v1/-1;0"}) {
    testing::internal::CaptureStderr();
    EXPECT_EQ(registered({{"bad::f", key, one, ""}}), Error::InvalidArgument) << key;
    EXPECT_NE(testing::internal::GetCapturedStderr().find("which is none"), std::string::npos);
  }
}

TEST(RuntimeRegistry, AKeyServesItsTensorsAlone) {  // K11
  ASSERT_EQ(registered({{"k11::f", "v1/4;0,1,2,3", one, ""}}), Error::Ok);
  EXPECT_EQ(found("k11::f", long_in_order), one);
  EXPECT_EQ(found("k11::f"), nullptr);
  EXPECT_EQ(found("k11::f", {{ScalarType::Long, {0, 3, 1, 2}}}), nullptr);
  EXPECT_EQ(found("k11::f", {{ScalarType::Long, {0, 1, 2}}}), nullptr);
  EXPECT_EQ(found("k11::f", float_in_order), nullptr);
}

TEST(RuntimeRegistry, EachOfSeveralIsFoundByItsKey) {  // K12
  ASSERT_EQ(registered({{"k12::f", "v1/4;0,1,2,3", one, ""}, {"k12::f", "v1/6;0,1,2,3", two, ""}}),
            Error::Ok);
  EXPECT_EQ(found("k12::f", long_in_order), one);
  EXPECT_EQ(found("k12::f", float_in_order), two);
}

TEST(RuntimeRegistry, TheDefaultServesWhateverNoKeyNames) {  // K13, K14
  ASSERT_EQ(registered({{"k13::f", nullptr, one, ""}}), Error::Ok);
  EXPECT_EQ(found("k13::f"), one);
  EXPECT_EQ(found("k13::f", float_in_order), one);
  ASSERT_EQ(registered({{"k14::f", nullptr, one, ""}, {"k14::f", "v1/4;0,1,2,3", two, ""}}),
            Error::Ok);
  EXPECT_EQ(found("k14::f", long_in_order), two);
  EXPECT_EQ(found("k14::f", float_in_order), one);
  EXPECT_EQ(found("k14::f"), one);
}

TEST(RuntimeRegistry, ATableOfTheCallerIsAskedByItself) {  // K15
  ASSERT_EQ(registered({{"k15::f", nullptr, one, ""}}), Error::Ok);
  const Kernel mine[] = {{"k15::g", nullptr, three, ""}, {"k15::f", "v1/4;0,1,2,3", two, ""}};
  Metas same = long_in_order;
  Metas other = float_in_order;
  EXPECT_EQ(*get_op_function_from_registry("k15::f", same.span(), {mine, 2}), two);
  const auto missed = get_op_function_from_registry("k15::f", other.span(), {mine, 2});
  EXPECT_EQ(missed.error(), Error::OperatorMissing);
  EXPECT_EQ(found("k15::f", float_in_order), one);
}

TEST(RuntimeRegistry, NamesAreExact) {  // K17
  ASSERT_EQ(registered({{"aten::k17.out", nullptr, one, ""}}), Error::Ok);
  EXPECT_EQ(found("k17.out"), nullptr);
  EXPECT_EQ(found("aten::k17"), nullptr);
  EXPECT_EQ(found("aten::K17.out"), nullptr);
}

TEST(RuntimeRegistry, AKeyWithoutDimensionsIsForRankZero) {  // K18
  ASSERT_EQ(registered({{"k18::f", "v1/6;", one, ""}}), Error::Ok);
  EXPECT_EQ(found("k18::f", {{ScalarType::Float, {}}}), one);
  EXPECT_EQ(found("k18::f", {{ScalarType::Float, {0}}}), nullptr);
}

TEST(RuntimeRegistry, AnOutputMayBeNamedOnceOrTwice) {  // K19
  ASSERT_EQ(registered({{"k19::f.out", "v1/6;0,1|6;0,1|7;0,1", one, ""}}), Error::Ok);
  Metas call = {
      {ScalarType::Float, {0, 1}}, {ScalarType::Float, {0, 1}}, {ScalarType::Double, {0, 1}}};
  EXPECT_EQ(found("k19::f.out", call), one);
  call.add(ScalarType::Double, {0, 1});
  EXPECT_EQ(found("k19::f.out", call), one);
  Metas other = {{ScalarType::Float, {0, 1}},
                 {ScalarType::Float, {0, 1}},
                 {ScalarType::Double, {0, 1}},
                 {ScalarType::Float, {0, 1}}};
  EXPECT_EQ(found("k19::f.out", other), nullptr);
  EXPECT_EQ(found("k19::f.out", {{ScalarType::Float, {0, 1}}, {ScalarType::Float, {0, 1}}}),
            nullptr);
}

TEST(RuntimeRegistry, AMissSaysWhatThereIsAndWhereItDiffers) {  // K20
  ASSERT_EQ(registered({{"k20::f", "v1/4;0,1,2,3|4;0,1,2,3", one, "a.yaml:7"},
                        {"k20::f", "v1/6;0,1,2,3|4;0,1,2,3", two, "a.yaml:9"}}),
            Error::Ok);
  const std::string text = said([] {
    found("k20::f", {{ScalarType::Long, {0, 1, 2, 3}}, {ScalarType::Float, {0, 1}}});
  });
  EXPECT_EQ(text,
            "kernel 'k20::f' not found for v1/4;0,1,2,3|6;0,1\n"
            "  there is v1/4;0,1,2,3|4;0,1,2,3, of a.yaml:7, which differs in tensor 1\n"
            "  there is v1/6;0,1,2,3|4;0,1,2,3, of a.yaml:9, which differs in tensor 0\n");
  EXPECT_EQ(said([] { found("k20::g"); }),
            "kernel 'k20::g' not found for no tensors; nothing is registered under this name\n");
  EXPECT_EQ(said([] { registry_has_op_function("k20::g"); }), "");  // a question, not a miss
}

TEST(RuntimeRegistry, WildcardsComeBehindKeysAndBeforeTheDefault) {
  ASSERT_EQ(registered({{"wild::f", nullptr, one, ""},
                        {"wild::f", "v1/6;*", two, ""},
                        {"wild::f", "v1/6;0,1", three, ""},
                        {"wild::f", "v1/*;1,0", &function<4>, ""}}),
            Error::Ok);
  EXPECT_EQ(found("wild::f", {{ScalarType::Float, {0, 1}}}), three);
  EXPECT_EQ(found("wild::f", {{ScalarType::Float, {0}}}), two);
  EXPECT_EQ(found("wild::f", {{ScalarType::Long, {1, 0}}}), &function<4>);
  EXPECT_EQ(found("wild::f", {{ScalarType::Long, {0, 1}}}), one);
}

TEST(RuntimeRegistry, OfTwoThatLeaveAsMuchOpenTheFirst) {
  ASSERT_EQ(registered({{"equal::f", "v1/6;*", one, ""}, {"equal::f", "v1/*;0", two, ""}}),
            Error::Ok);
  EXPECT_EQ(found("equal::f", {{ScalarType::Float, {0}}}), one);
}

TEST(RuntimeRegistry, NoMoreTensorsAreDoubledThanThereAre) {
  ASSERT_EQ(registered({{"rest::f", "v1/6;0", one, ""}}), Error::Ok);
  const DimOrderType order[] = {0};
  const TensorMeta same = {ScalarType::Float, {order, 1}};
  const TensorMeta metas[] = {same, same, same, same};  // metas[0], before the call's, is the same
  EXPECT_FALSE(registry_has_op_function("rest::f", {metas + 1, 3}));
  EXPECT_TRUE(registry_has_op_function("rest::f", {metas + 1, 2}));
}

TEST(RuntimeRegistry, ATensorThatIsNotGivenHasNoPlace) {
  ASSERT_EQ(
      registered({{"none::f", "v1/6;0|-|6;0", one, ""}, {"none::f", "v1/6;0|*|6;0", two, ""}}),
      Error::Ok);
  EXPECT_EQ(found("none::f", {{ScalarType::Float, {0}}, {ScalarType::Float, {0}}}), one);
  EXPECT_EQ(found("none::f",
                  {{ScalarType::Float, {0}}, {ScalarType::Long, {0}}, {ScalarType::Float, {0}}}),
            two);
}

TEST(RuntimeRegistry, SaysWhatIsRegistered) {
  ASSERT_EQ(registered({{"so::f", "v1/6;0", one, "a.yaml:5"}}), Error::Ok);
  const auto all = get_registered_kernels();
  ASSERT_FALSE(all.empty());
  EXPECT_STREQ(all[all.size() - 1].name_, "so::f");
  EXPECT_STREQ(all[all.size() - 1].where_, "a.yaml:5");
}

}  // namespace
}  // namespace kbench::kernels
