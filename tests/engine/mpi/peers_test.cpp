#include "engine/mpi/peers.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

namespace scalemark::mpi {
namespace {

bool ends_within_2_s(const Process& process) {
  for (int i = 0; i < 200; ++i) {
    if (has_ended(process, own_process())) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

TEST(Peers, AProcessThatIsKilledHasEndedBeforeAnybodyAsksForIt) {
  const pid_t child = fork();
  if (child == 0) {
    pause();
    _exit(0);
  }
  Process process = own_process();
  process.pid = child;
  EXPECT_FALSE(has_ended(process, own_process()));
  kill(child, SIGKILL);
  EXPECT_TRUE(ends_within_2_s(process));  // a zombie
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(has_ended(process, own_process()));
}

TEST(Peers, AnotherMachinesProcessIsNotKnown) {
  const Process elsewhere{.host = own_process().host + 1, .pid = 1 << 30};
  EXPECT_FALSE(has_ended(elsewhere, own_process()));
  EXPECT_FALSE(has_ended(own_process(), own_process()));
}

}  // namespace
}  // namespace scalemark::mpi
