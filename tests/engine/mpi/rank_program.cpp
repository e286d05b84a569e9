// One rank under a real mpirun: mpi-rank LIBRARY. Checks every collective of the
// backend in every type and in groups of some ranks.
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <numeric>
#include <string>
#include <vector>

#include "checks.h"
#include "core/base/error.h"
#include "engine/distributed/providers.h"
#include "tools/programs/commands.h"

namespace scalemark::mpi_checks {
namespace {

int number(const char* name_of_one, const char* name_of_other) {
  for (const char* name : {name_of_one, name_of_other}) {
    if (const char* text = std::getenv(name)) return std::atoi(text);
  }
  throw std::runtime_error("no rank of mpirun");
}

struct Group {
  std::vector<int> members;
  int rank = -1;  // -1: not a member
};

Group group_of(std::vector<int> members, int world_rank) {
  Group group{.members = std::move(members)};
  for (std::size_t i = 0; i < group.members.size(); ++i) {
    if (group.members[i] == world_rank) group.rank = static_cast<int>(i);
  }
  return group;
}

// All ranks; all but the last; each rank alone; the odd ones.
std::vector<Group> groups_of(int rank, int size) {
  std::vector<int> all(static_cast<std::size_t>(size)), odd;
  std::iota(all.begin(), all.end(), 0);
  for (int r = 1; r < size; r += 2) odd.push_back(r);
  const std::vector<int> but_the_last(all.begin(), all.end() - 1);
  return {group_of(all, rank), group_of(but_the_last, rank), group_of({rank}, rank),
          group_of(odd, rank)};
}

int check_group(const distributed::BackendProvider& mpi, const Group& group) {
  const auto backend = mpi.make({.members = group.members, .rank = group.rank});
  const Member member{*backend, group.rank, static_cast<int>(group.members.size())};
  int checked = 0;
  for (const auto type :
       {at::kFloat, at::kDouble, at::kHalf, at::kBFloat16, at::kInt, at::kLong, at::kByte}) {
    for (const std::int64_t elements : {1, 1000, 40000}) {
      checked += check_collectives(member, type, elements);
    }
    checked += check_messages(member, type);
  }
  checked += check_refusals(member);
  const auto direct = mpi.make_direct(*backend);
  checked += check_direct(member, *direct);
  if (backend->getError() != c10d::ErrorType::SUCCESS) throw std::runtime_error("a peer is gone");
  if (backend->getSequenceNumberForGroup() == 0) throw std::runtime_error("nothing is counted");
  backend->shutdown();
  return checked;
}

int run(const std::vector<std::string>& arguments) {
  const int rank = number("OMPI_COMM_WORLD_RANK", "PMI_RANK");
  const int size = number("OMPI_COMM_WORLD_SIZE", "PMI_SIZE");
  const auto program = std::filesystem::read_symlink("/proc/self/exe");
  const auto& mpi =
      distributed::load_mpi_plugin(program.parent_path().parent_path(), arguments.at(1)).provider();
  mpi.start({.rank = rank, .world_size = size, .launcher = "test"});
  int checked = 0;
  for (const Group& group : groups_of(rank, size)) {
    if (group.rank >= 0) checked += check_group(mpi, group);
  }
  const auto version = mpi.library_version();
  std::cout << "rank " + std::to_string(rank) + ": " + std::to_string(checked) + " checks over " +
                   *version->running_with + ", built with " + *version->built_with + "\n"
            << std::flush;
  // On a busy machine a rank may be later than the seconds that finish_process() waits for it.
  const auto all = mpi.make({.members = groups_of(rank, size).front().members, .rank = rank});
  all->barrier()->wait();
  all->shutdown();
  mpi.finish_process(0);
  return 0;
}

}  // namespace
}  // namespace scalemark::mpi_checks

int scalemark::commands::mpi_rank(int argc, char** argv) {
  try {
    return scalemark::mpi_checks::run({argv, argv + argc});
  } catch (const scalemark::Error& error) {
    std::cerr << format_error_line(error.record()) << std::endl;
    return static_cast<int>(error.record().exit_code);
  } catch (const std::exception& error) {
    std::cerr << "mpi-rank: " << error.what() << std::endl;
    return 1;
  }
}
