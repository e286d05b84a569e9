#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <thread>

#include "core/base/error.h"
#include "core/launch/resources.h"
#include "core/machine/places.h"
#include "core/machine/topology.h"

namespace scalemark::launching {
namespace {

// In a process of its own, which stays bound: the exit code is 0 where `holds`.
bool in_a_child(const std::function<bool()>& holds) {
  const pid_t child = fork();
  if (child == 0) _exit(holds() ? 0 : 1);
  int status = -1;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int last_cpu() { return placement::parse_cpu_list(monitoring::allowed_cpus())->back(); }

TEST(Bind, HoldsForTheProcessAndTheThreadsThatItStarts) {
  EXPECT_TRUE(in_a_child([] {
    const placement::Place place{.cpus = {last_cpu()}, .memory_node = {}};
    bind_process(place);
    bool on_one = false;
    std::thread([&] { on_one = sched_getcpu() == place.cpus.front(); }).join();
    return on_one && monitoring::allowed_cpus() == placement::cpu_list(place.cpus) &&
           !monitoring::preferred_memory_node();
  }));
}

TEST(Bind, AMemoryNodeIsPreferred) {
  const auto topology = monitoring::read_topology();
  const int node = topology.cpus.front().node;
  const bool holds = in_a_child([&] {
    bind_process({.cpus = {topology.cpus.front().id}, .memory_node = node});
    return monitoring::preferred_memory_node() == node;
  });
  const bool is_forbidden = !holds && in_a_child([&] {
    try {
      bind_process({.cpus = {topology.cpus.front().id}, .memory_node = node});
    } catch (const Error& error) {
      return error.record().what.find("cannot be preferred") != std::string::npos;
    }
    return false;
  });
  if (is_forbidden) GTEST_SKIP() << "set_mempolicy is forbidden here";
  EXPECT_TRUE(holds);
}

TEST(Bind, CpusThatAreNotThereAreNamed) {
  EXPECT_TRUE(in_a_child([] {
    try {
      bind_process({.cpus = {60'000}, .memory_node = {}});
    } catch (const Error& error) {
      return error.record().exit_code == ExitCode::kSystem &&
             error.record().what.find("CPUs 60000") != std::string::npos;
    }
    return false;
  }));
}

}  // namespace
}  // namespace scalemark::launching
