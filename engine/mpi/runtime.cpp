#include "engine/mpi/runtime.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "core/base/error.h"
#include "core/launch/mpi_library.h"
#include "engine/mpi/mpi_check.h"

namespace scalemark::mpi {
namespace {

constexpr std::chrono::milliseconds kReportTime{3000};  // rank 0 may end its report before an abort
constexpr std::chrono::milliseconds kPollPeriod{20};

struct Here {
  launching::World world;
  std::vector<Process> processes;
};

std::atomic<bool> is_running{false};

Here& here() {
  static Here place;
  return place;
}

// Variables that are already set stay as they are.
void set_defaults(int world_size) {
  // MPI must not take our signal handlers: SIGBUS shows that a file was cut while it is mapped.
  setenv("OMPI_MCA_opal_signal", "", 0);
  // A rank alone needs no daemon beside it, which Open MPI would start.
  if (world_size == 1) setenv("OMPI_MCA_ess_singleton_isolated", "1", 0);
}

std::string place(int rank, int size) {
  return "rank " + std::to_string(rank) + " of " + std::to_string(size);
}

void require_same_place(int rank, int world_size) {
  int own = 0, size = 0;
  check(MPI_Comm_rank(MPI_COMM_WORLD, &own), "MPI_Comm_rank");
  check(MPI_Comm_size(MPI_COMM_WORLD, &size), "MPI_Comm_size");
  if (own == rank && size == world_size) return;
  throw configuration(running_version() + " says that this is " + place(own, size),
                      "the launcher says " + place(rank, world_size),
                      "start the ranks with the mpirun of " + running_version() +
                          ", or name the launcher's library by --mpi-library");
}

std::vector<Process> all_processes(int world_size) {
  std::vector<Process> all(static_cast<std::size_t>(world_size));
  Process own = own_process();
  const int bytes = static_cast<int>(sizeof own);
  check(MPI_Allgather(&own, bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, MPI_COMM_WORLD),
        "MPI_Allgather");
  return all;
}

void wait_for_rank_0() noexcept {
  const auto& [world, processes] = here();
  if (world.rank == 0 || processes.empty()) return;
  const auto until = std::chrono::steady_clock::now() + kReportTime;
  const Process own = processes[static_cast<std::size_t>(world.rank)];
  while (std::chrono::steady_clock::now() < until && !has_ended(processes.front(), own)) {
    std::this_thread::sleep_for(kPollPeriod);
  }
}

}  // namespace

void start(const launching::World& world) {
  set_defaults(world.world_size);
  int provided = MPI_THREAD_SINGLE;
  check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided), "MPI_Init_thread");
  is_running = true;
  if (provided < MPI_THREAD_MULTIPLE) {
    throw system_error(running_version() + " is built without threads",
                       "MPI_THREAD_MULTIPLE: the watchdog must be able to abort a stuck collective",
                       "install Debian's package of it");
  }
  check(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  require_same_place(world.rank, world.world_size);
  here() = {.world = world, .processes = all_processes(world.world_size)};
}

bool is_started() noexcept { return is_running; }

const std::vector<Process>& processes() { return here().processes; }

void finish() {
  if (!is_running.exchange(false)) return;
  check(MPI_Finalize(), "MPI_Finalize");
}

void abort(int exit_code) noexcept {
  if (is_running && here().world.launcher != "local") {
    try {
      wait_for_rank_0();
    } catch (...) {  // there is no memory for a file name, so the process ends at once
    }
    MPI_Abort(MPI_COMM_WORLD, exit_code);
  }
  std::_Exit(exit_code);
}

#ifdef OPEN_MPI
std::string built_version() {
  return "Open MPI " + std::to_string(OMPI_MAJOR_VERSION) + "." +
         std::to_string(OMPI_MINOR_VERSION) + "." + std::to_string(OMPI_RELEASE_VERSION);
}
#else
std::string built_version() { return "MPICH " MPICH_VERSION; }
#endif

std::string running_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  check(MPI_Get_library_version(text, &length), "MPI_Get_library_version");
  return launching::mpi_version_in({text, static_cast<std::size_t>(length)});
}

}  // namespace scalemark::mpi
