#include "base/signing.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "base/file.hpp"
#include "support/temp_folder.hpp"
#include "support/test_key.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

// Signature that `openssl pkeyutl -sign -rawin` made of "kbench\n".
constexpr const char* signature_by_openssl =
    "VLGbCJEUBGiTNyEVHj/yCfdEhsKi3Wbla0PFPL9/T2iCPkVbSVjJ/TNg2eFfLSzdUZFKUJ3dIRBUKzXlOFBnAQ==";

class Signing : public testing::Test {
 protected:
  fs::path write(const std::string& text,
                 fs::perms mode = fs::perms::owner_read | fs::perms::owner_write) const {
    const fs::path file = folder_.path() / "key.pem";
    write_file(file, text);
    fs::permissions(file, mode);
    return file;
  }
  TempFolder folder_;
};

TEST_F(Signing, MakesWhatOpensslMakes) {
  const auto key = SigningKey::read(write(test_private_pem));
  EXPECT_EQ(key->sign("kbench\n"), signature_by_openssl);
  const auto known = read_public_keys(write(test_public_pem));
  ASSERT_EQ(known.size(), 1U);
  EXPECT_EQ(known[0], key->public_key());
  EXPECT_TRUE(is_signed("kbench\n", signature_by_openssl, known[0]));
}

TEST_F(Signing, AnotherTextKeyOrSignatureIsNotSigned) {
  const auto key = SigningKey::read(write(test_private_pem));
  const std::string of_text = key->sign("text"), own = key->public_key();
  EXPECT_TRUE(is_signed("text", of_text, own));
  EXPECT_FALSE(is_signed("text ", of_text, own));
  EXPECT_FALSE(is_signed("text", key->sign("other"), own));
  EXPECT_FALSE(is_signed("text", of_text, "A" + own.substr(1)));
  for (const std::string& nothing : {std::string(), std::string("!"), own.substr(4), own + own}) {
    EXPECT_FALSE(is_signed("text", nothing, own)) << nothing;
    EXPECT_FALSE(is_signed("text", of_text, nothing)) << nothing;
  }
}

TEST_F(Signing, AFileHoldsSeveralPublicKeys) {
  const std::string two = std::string("a remark\n") + test_public_pem + "\n" + test_public_pem;
  EXPECT_EQ(read_public_keys(write(two)).size(), 2U);
}

TEST_F(Signing, WhatIsNoKeyIsRefused) {
  const std::string cut = std::string(test_private_pem).substr(0, 60);
  for (const std::string& text :
       {std::string(), std::string("text"), std::string(test_public_pem), cut,
        std::string("-----BEGIN PRIVATE KEY-----\nMC4C\n-----END PRIVATE KEY-----\n")}) {
    EXPECT_THROW(SigningKey::read(write(text)), std::runtime_error) << text;
  }
  EXPECT_THROW(read_public_keys(write(test_private_pem)), std::runtime_error);
  const std::string encrypted =
      "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIGb\n-----END ENCRYPTED PRIVATE KEY-----\n";
  try {
    SigningKey::read(write(encrypted));
    ADD_FAILURE();
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("it is encrypted"), std::string::npos);
  }
  EXPECT_THROW(
      read_public_keys(write("-----BEGIN PUBLIC KEY-----\nMC4C\n-----END PUBLIC KEY-----")),
      std::runtime_error);
}

TEST_F(Signing, AKeyThatOthersMayReadIsRefused) {
  for (const fs::perms open : {fs::perms::group_read, fs::perms::others_read})
    EXPECT_THROW(SigningKey::read(write(test_private_pem,
                                        fs::perms::owner_read | fs::perms::owner_write | open)),
                 std::runtime_error);
}

}  // namespace
}  // namespace kbench
