// A pair of keys of Ed25519 as openssl writes them.
#pragma once

namespace kbench {

// A key that tests use alone, made by `openssl genpkey -algorithm ed25519` 3.0 and `openssl pkey
// -pubout`.
inline constexpr const char* test_private_pem =
    "-----BEGIN PRIVATE "
    "KEY-----\nMC4CAQAwBQYDK2VwBCIEID+Te6bGrkjva45LraEyC39e59VDWJhfUXxQ7aRhF4iY\n-----END PRIVATE "
    "KEY-----\n";
inline constexpr const char* test_public_pem =
    "-----BEGIN PUBLIC "
    "KEY-----\nMCowBQYDK2VwAyEA1u51jK5xW+IEYuNf90KIzkaAt2kJ9Dy+/TYlqDLeq/U=\n-----END PUBLIC "
    "KEY-----\n";

}  // namespace kbench
