#include "engine/distributed/network.h"

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace scalemark::distributed {
namespace {

constexpr std::chrono::seconds kLimit{5};

TEST(InterfaceTowards, OneHostMayUseItsLoopback) {
  EXPECT_EQ(interface_towards("127.0.1.1", 29500, false, kLimit), "lo");
  // Said by an address that means nothing else, whatever the launcher counts as nodes.
  EXPECT_EQ(interface_towards("127.0.0.1", 29500, true, kLimit), "lo");
  EXPECT_EQ(interface_towards("localhost", 29500, true, kLimit), "lo");
}

// What Debian's /etc/hosts gives as the address of the machine's own name.
TEST(InterfaceTowards, SeveralHostsNeverDo) {
  for (int way = 0; way < 2; ++way) {
    try {
      const std::string name = way == 0 ? interface_towards("127.0.1.1", 29500, true, kLimit)
                                        : interface_of_own_name(kLimit);
      EXPECT_NE(name, "lo");
      EXPECT_NE(name, "");
    } catch (const Error& error) {  // this machine has no other
      EXPECT_EQ(error.record().exit_code, ExitCode::kConfiguration);
      EXPECT_NE(error.record().hint.find("GLOO_SOCKET_IFNAME"), std::string::npos);
      EXPECT_NE(error.record().hint.find("/etc/hosts"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace scalemark::distributed
