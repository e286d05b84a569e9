#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

#include "engine/process/data_phase.h"

namespace scalemark::process {
namespace {

constexpr std::size_t kMany = std::size_t{3} << 20;

// Returns the answer that `act` gives in another process.
template <class Act>
bool in_another_process(const Act& act) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(act() ? 0 : 1);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(SharedBytes, ReachAnotherProcessAndStayItsOwn) {
  const SharedBytes made = held(std::string(kMany, 'x') + "end");
  auto offer = OfferedBytes::of(made.bytes);
  ASSERT_TRUE(offer);
  EXPECT_TRUE(in_another_process([&] {
    const auto taken = take_offered(offer->ticket());
    return taken && taken->text() == made.text();
  }));
  const auto taken = take_offered(offer->ticket());
  const std::string ticket = offer->ticket();
  offer.reset();
  ASSERT_TRUE(taken);
  EXPECT_TRUE(taken->text() == made.text());
  EXPECT_FALSE(take_offered(ticket)) << "nothing is left behind";
}

// A process number means another process in another container.
TEST(SharedBytes, OfSomethingElseAreNotTaken) {
  auto offer = OfferedBytes::of(held(std::string("list")).bytes);
  ASSERT_TRUE(offer);
  const std::string ticket = offer->ticket();
  EXPECT_TRUE(take_offered(ticket));
  for (const std::string& other :
       {std::string(), std::string("none"), std::string("1 2 3"), std::string("a b c d"),
        ticket.substr(0, ticket.size() - 4) + "0000", "0 " + ticket.substr(ticket.find(' ') + 1)}) {
    EXPECT_FALSE(take_offered(other)) << other;
  }
  char name[] = "/tmp/scalemark-shared-XXXXXX";
  const int file = ::mkstemp(name);
  ASSERT_EQ(::write(file, "list", 4), 4);
  const auto digits = ticket.substr(ticket.rfind(' '));
  EXPECT_FALSE(
      take_offered(std::to_string(::getpid()) + " " + std::to_string(file) + " 4" + digits))
      << "a file could be cut under the reader";
  ::close(file);
  std::remove(name);
}

TEST(SharedBytes, OfNothingAreNotOffered) { EXPECT_FALSE(OfferedBytes::of({})); }

}  // namespace
}  // namespace scalemark::process
