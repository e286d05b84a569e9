// A rank for the tests of the launcher: does one thing, chosen by its first argument, without any
// other part of the program than the rank's own view of its place.
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "core/launch/detect.h"
#include "core/launch/mpirun.h"
#include "core/launch/outcome.h"
#include "tools/programs/commands.h"

namespace {

using namespace scalemark;
using launching::Detection;

volatile std::sig_atomic_t caught[65];

void count(int signal) { caught[signal] = caught[signal] + 1; }

// Waits until the test has made the file.
void await_stage(const std::string& name) {
  const std::string file = std::string(std::getenv("TEST_STAGES")) + "/" + name;
  while (access(file.c_str(), F_OK) != 0) usleep(1000);
}

int draw_progress(const Detection& self) {
  if (self.world.rank == 0) {
    if (!self.terminal.value_or(false)) return 1;
    std::fputs("\r50 %", stderr);
    std::fflush(stderr);
    await_stage("hello-was-seen");
    std::fputs("\r99 %\n", stderr);
  } else {
    await_stage("progress-was-seen");
    std::fputs("hello, and more words than this narrow terminal has room for\n", stderr);
  }
  return 0;
}

// Prints what an MPI launcher's ranks must agree on, and what must differ.
int print_place(const Detection& self) {
  std::printf("%s %d/%d local %d/%d node %d/%d\n", self.world.launcher.c_str(), self.world.rank,
              self.world.world_size, self.world.local_rank, self.world.local_world_size,
              self.world.node, self.world.nodes);
  std::printf("meet %s:%d id %s\n", self.rendezvous.host.c_str(), self.rendezvous.port,
              self.rendezvous.run_id.c_str());
  return 0;
}

int print_environment(const Detection& self) {
  for (const auto& [name, value] : launching::snapshot_environment()) {
    if (name != "SCALEMARK_RANK_SPEC") std::printf("%s=%s\n", name.c_str(), value.c_str());
  }
  std::printf("world %d of %d local %d of %d node %d of %d by %s id %s\n", self.world.rank,
              self.world.world_size, self.world.local_rank, self.world.local_world_size,
              self.world.node, self.world.nodes, self.world.launcher.c_str(),
              self.rendezvous.run_id.c_str());
  return 0;
}

int speak(int rank) {
  std::printf("out of %d\n", rank);
  std::fprintf(stderr, "err of %d\nno end", rank);
  return 0;
}

int print_long_line(int rank) {
  if (rank == 1) std::printf("%s\n", std::string(300'000, 'x').c_str());
  return 0;
}

// A table and the line after it, while another rank speaks.
int print_table(int rank) {
  if (rank == 1) {
    for (int i = 0; i < 200; ++i) std::fprintf(stderr, "beside the table, line %d\n", i);
    return 0;
  }
  std::string table;
  for (int i = 0; i < 400; ++i) table += "row " + std::to_string(1000 + i) + " of the table\n";
  std::fwrite(table.data(), 1, table.size(), stdout);
  std::fflush(stdout);
  std::fprintf(stderr, "behind the table\n");
  return 0;
}

// Rank 1 fails; the others sleep until a signal ends them.
int fail(const Detection& self, int code, bool with_file) {
  if (self.world.rank != 1) {
    sleep(60);
    return 0;
  }
  std::fprintf(stderr, "about to fail\nbecause of a test\n");
  if (with_file) {
    launching::write_error_file(self.error_file, bad_data("sample 7 is broken").record());
  }
  return code;
}

// Rank 1 says why, then takes long to end; rank 0 loses it and is out first.
int lose_peer(const Detection& self) {
  if (self.world.rank == 0) {
    usleep(100'000);
    return 69;
  }
  launching::write_error_file(self.error_file, bad_data("sample 7 is broken").record());
  usleep(300'000);
  return 65;
}

int die_by_signal(int rank, int signal) {
  if (rank == 1) raise(signal);
  usleep(50'000);
  return rank == 1 ? 0 : 69;
}

int count_signals(int rank) {
  for (const int signal : {SIGTERM, SIGINT, SIGUSR1}) std::signal(signal, count);
  std::fprintf(stderr, "ready %d\n", rank);
  while (caught[SIGTERM] + caught[SIGINT] + caught[SIGUSR1] == 0) usleep(1000);
  usleep(200'000);  // time for one too many
  std::printf("rank %d term %d int %d usr1 %d\n", rank, int{caught[SIGTERM]}, int{caught[SIGINT]},
              int{caught[SIGUSR1]});
  std::fprintf(stderr, "rank %d term %d int %d usr1 %d\n", rank, int{caught[SIGTERM]},
               int{caught[SIGINT]}, int{caught[SIGUSR1]});
  return caught[SIGINT] != 0 ? 130 : 75;
}

// The kernel's view: "SigIgn" of its own status, with bit 0 for signal 1.
int print_ignored(int rank) {
  std::FILE* status = std::fopen("/proc/self/status", "r");
  char line[256] = "";
  while (status != nullptr && std::fgets(line, sizeof line, status) != nullptr) {
    if (std::strncmp(line, "SigIgn:", 7) == 0) break;
  }
  if (status != nullptr) std::fclose(status);
  std::fprintf(stderr, "rank %d ignores %s", rank, line + 8);
  return count_signals(rank);
}

int ignore_everything(int rank) {
  for (const int signal : {SIGTERM, SIGINT, SIGUSR1}) std::signal(signal, SIG_IGN);
  std::fprintf(stderr, "ready %d pid %d\n", rank, getpid());
  sleep(60);
  return 0;
}

// A helper that outlives its rank and holds the pipes open.
int leave_a_helper(int rank) {
  const pid_t helper = fork();
  if (helper == 0) {
    sleep(60);
    _exit(0);
  }
  std::fprintf(stderr, "helper %d of %d\n", helper, rank);
  return 0;
}

int use_listening_socket(const Detection& self) {
  const auto& meeting = self.rendezvous;
  if (self.world.rank != 0) return meeting.listen_fd ? 1 : 0;
  int listening = 0;
  socklen_t length = sizeof listening;
  if (!meeting.listen_fd ||
      getsockopt(*meeting.listen_fd, SOL_SOCKET, SO_ACCEPTCONN, &listening, &length) != 0) {
    return 1;
  }
  std::printf("listening %d on %s:%d\n", listening, meeting.host.c_str(), meeting.port);
  return 0;
}

int run(const Detection& self, const std::string& what, int number) {
  const int rank = self.world.rank;
  if (what == "environment") return print_environment(self);
  if (what == "place") return print_place(self);
  if (what == "progress") return draw_progress(self);
  if (what == "speak") return speak(rank);
  if (what == "table") return print_table(rank);
  if (what == "long-line") return print_long_line(rank);
  if (what == "fail") return fail(self, number, false);
  if (what == "fail-with-file") return fail(self, number, true);
  if (what == "lose-peer") return lose_peer(self);
  if (what == "die") return die_by_signal(rank, number);
  if (what == "count-signals") return count_signals(rank);
  if (what == "ignored") return print_ignored(rank);
  if (what == "ignore") return ignore_everything(rank);
  if (what == "helper") return leave_a_helper(rank);
  if (what == "socket") return use_listening_socket(self);
  if (what == "exit") {
    launching::write_verdict_mark(self.error_file);
    return rank == 0 ? number : 0;
  }
  return 64;
}

}  // namespace

int scalemark::commands::rank_child(int argc, char** argv) {
  launching::become_rank_of_mpirun();
  std::setvbuf(stderr, nullptr, _IOLBF, 4096);
  const settings::Settings none;
  const auto self = launching::detect(launching::make_request(none));
  for (const auto& problem : self.problems) {
    std::fprintf(stderr, "%s\n", format_error_line(problem).c_str());
  }
  if (!self.problems.empty() || argc < 2) return 70;
  return run(self, argv[1], argc > 2 ? std::atoi(argv[2]) : 0);
}
