#include "engine/distributed/network.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "core/base/error.h"
#include "engine/distributed/providers.h"

namespace scalemark::distributed {
namespace {

constexpr std::chrono::seconds kLimit{5};

TEST(InterfaceTowards, OneHostMayUseItsLoopback) {
  EXPECT_EQ(interface_towards("127.0.1.1", 29500, false, kLimit), "lo");
  // Said by an address that means nothing else, whatever the launcher counts as nodes.
  EXPECT_EQ(interface_towards("127.0.0.1", 29500, true, kLimit), "lo");
  EXPECT_EQ(interface_towards("localhost", 29500, true, kLimit), "lo");
}

// Debian's /etc/hosts gives 127.0.1.1 as the address of the machine's own name.
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

TEST(RequireRoute, TakesTheWaysToWriteAnAddressOfThisMachine) {
  for (const char* host : {"127.0.0.1", "localhost", "0.0.0.0", "127.1", "::ffff:127.0.0.1"}) {
    EXPECT_NO_THROW(require_route(host, kLimit)) << host;
  }
}

TEST(RequireRoute, QuotesWhatIsNoHost) {
  for (const std::string host :
       {"[::1]", "127.0.0.1\n", "10.0.0.5 172.17.0.1", "tcp://127.0.0.1", "127.0.0.1:29500", ""}) {
    try {
      require_route(host, kLimit);
      FAIL() << host << " was taken";
    } catch (const Error& error) {
      EXPECT_EQ(error.record().code, "E_RENDEZVOUS");
      EXPECT_NE(error.record().what.find(host), std::string::npos) << error.what();
    }
  }
}

TEST(GlooInterface, NamesAnInterfaceThatIsThere) {
  const launching::World alone;
  for (const char* name : {"^lo", "lo,eth0", "eth", " ", "lo "}) {
    setenv("GLOO_SOCKET_IFNAME", name, 1);
    try {
      gloo_interface(alone, {}, kLimit);
      ADD_FAILURE() << "'" << name << "' was taken";
    } catch (const Error& error) {
      EXPECT_EQ(error.record().exit_code, ExitCode::kConfiguration);
      EXPECT_NE(error.record().what.find("GLOO_SOCKET_IFNAME is " + std::string(name)),
                std::string::npos);
    }
  }
  setenv("GLOO_SOCKET_IFNAME", "lo", 1);
  EXPECT_EQ(gloo_interface(alone, {}, kLimit), "lo");
  unsetenv("GLOO_SOCKET_IFNAME");
}

}  // namespace
}  // namespace scalemark::distributed
