// Finds what waiting ranks cost the process that serves their store while rank 0 measures alone:
//   waiting-clients COUNT SECONDS TURNS
// The clients are threads of a second process, each with a connection and a WorkQueue of its own.
// The first serves the store, beats as rank 0 does, and runs a loop of fixed work; it prints how
// fast the loop was with them and without, in turns, and what the other threads of its process
// used.
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>
#include <thread>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#include <vector>

#include "core/base/durations.h"
#include "core/launch/resources.h"
#include "engine/distributed/work_queue.h"
#include "tools/programs/commands.h"

namespace {

using namespace scalemark;
using std::chrono::milliseconds;
using StorePtr = c10::intrusive_ptr<c10d::Store>;

StorePtr store_at(std::uint16_t port, bool server) {
  return c10::make_intrusive<c10d::TCPStore>(
      "127.0.0.1", c10d::TCPStoreOptions{.port = port, .isServer = server, .waitWorkers = false});
}

void wait_as(int rank, int ranks, std::uint16_t port) {
  const StorePtr store = store_at(port, false);
  distributed::ErrorStore faults(store, rank, ranks, false);
  distributed::WorkQueue error_store(store, rank, ranks, faults, milliseconds(60000), {});
  error_store.next(0, [] {});
}

[[noreturn]] void be_clients(int count, int port_pipe) {
  std::uint16_t port = 0;
  if (read(port_pipe, &port, sizeof port) != sizeof port) _exit(1);
  std::vector<std::thread> clients;
  for (int rank = 1; rank <= count; ++rank) clients.emplace_back(wait_as, rank, count + 1, port);
  for (std::thread& client : clients) client.join();
  _exit(0);
}

double seconds_on(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

// Rounds a second of a loop that fits a core's cache.
double measure(double seconds) {
  volatile double sum = 0;
  std::int64_t rounds = 0;
  const auto begun = std::chrono::steady_clock::now();
  while (seconds_since(begun) < seconds) {
    double part = 1;
    for (int i = 1; i < 20000; ++i) part += 1.0 / (part + i);
    sum = sum + part;
    ++rounds;
  }
  return static_cast<double>(rounds) / seconds_since(begun);
}

struct Turn {
  double rate = 0;
  double others_share = 0;  // the threads that do not measure use this share of a core
};

Turn take_turn(double seconds) {
  const double process = seconds_on(CLOCK_PROCESS_CPUTIME_ID);
  const double thread = seconds_on(CLOCK_THREAD_CPUTIME_ID);
  const auto begun = std::chrono::steady_clock::now();
  Turn turn{.rate = measure(seconds)};
  const double others = seconds_on(CLOCK_PROCESS_CPUTIME_ID) - process -
                        (seconds_on(CLOCK_THREAD_CPUTIME_ID) - thread);
  turn.others_share = others / seconds_since(begun);
  return turn;
}

// Takes a turn beside `count` clients that wait; 0: alone.
Turn turn_beside(int count, double seconds) {
  std::array<int, 2> pipe_ends{};
  if (pipe(pipe_ends.data()) != 0) std::exit(1);
  const pid_t clients = count > 0 ? fork() : -1;
  if (clients == 0) be_clients(count, pipe_ends[0]);
  const auto tcp = c10::make_intrusive<c10d::TCPStore>(
      "127.0.0.1", c10d::TCPStoreOptions{.port = 0, .isServer = true, .waitWorkers = false});
  const std::uint16_t port = tcp->getPort();
  if (write(pipe_ends[1], &port, sizeof port) != sizeof port) std::exit(1);
  const StorePtr store = tcp;
  distributed::ErrorStore faults(store, 0, count + 1, true);
  auto error_store = std::make_unique<distributed::WorkQueue>(
      store, 0, count + 1, faults, milliseconds(60000),
      distributed::Heartbeat::Hooks{.on_lost = [](const ErrorRecord& lost) {
        std::fprintf(stderr, "%s\n", format_error_line(lost).c_str());
        std::exit(1);
      }});
  if (count > 0) std::this_thread::sleep_for(std::chrono::seconds(3));  // all have come
  const Turn turn = take_turn(seconds);
  error_store->post_last("end");
  int status = 0;
  if (clients > 0) waitpid(clients, &status, 0);
  close(pipe_ends[0]);
  close(pipe_ends[1]);
  if (status != 0) std::exit(1);
  return turn;
}

}  // namespace

int scalemark::commands::waiting_clients(int argc, char** argv) {
  if (argc != 4) return 64;
  launching::raise_descriptor_limit();
  const int count = std::atoi(argv[1]);
  const double seconds = std::atof(argv[2]);
  const int turns = std::atoi(argv[3]);
  for (int turn = 0; turn < turns; ++turn) {
    const Turn alone = turn_beside(0, seconds), beside = turn_beside(count, seconds);
    std::printf("rate_ratio %.5f others_share_alone %.5f others_share_beside %.5f\n",
                beside.rate / alone.rate, alone.others_share, beside.others_share);
    std::fflush(stdout);
  }
  return 0;
}
