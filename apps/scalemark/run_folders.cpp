#include "apps/scalemark/run_folders.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "apps/scalemark/file_checks.h"
#include "core/base/atomic_file.h"
#include "core/base/error.h"

namespace scalemark::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostLocks = 64;  // descriptors are few, and ranks need many

// Makes the folder and those above it; returns the ones that were not there, an outer one first.
std::vector<fs::path> make_folders(const std::string& option, const fs::path& folder) {
  std::vector<fs::path> made;
  std::error_code unknown, failed;
  for (fs::path one = folder; !one.empty() && !fs::exists(one, unknown); one = one.parent_path()) {
    made.insert(made.begin(), one);
    if (one == one.parent_path()) break;
  }
  fs::create_directories(folder, failed);
  if (failed) throw cannot_create(option + " '" + folder.string() + "': " + failed.message());
  return made;
}

}  // namespace

RunFolders::RunFolders(const settings::Settings& settings, const std::set<std::string>& groups)
    : output_(real_place(settings.general.output)) {
  const bool very_many = groups.size() > kMostLocks;
  for (const auto& [option, folder] : {std::pair{"--trace", settings.measuring.trace},
                                       {"--tensorboard", settings.general.tensorboard}}) {
    if (folder.empty() || groups.empty()) continue;
    if (very_many) {
      hold(option, folder);
      continue;
    }
    share(option, folder);
    for (const std::string& group : groups) hold(option, fs::path(folder) / group);
  }
}

RunFolders::~RunFolders() {
  std::error_code not_empty;
  for (auto folder = made_.rbegin(); folder != made_.rend(); ++folder)
    fs::remove(*folder, not_empty);
}

bool RunFolders::make(const std::string& option, const fs::path& place) {
  if (place == output_ || !known_.insert(place).second) return false;
  for (fs::path& one : make_folders(option, place)) made_.push_back(std::move(one));
  return true;
}

// Where a run of very many groups holds it, there is no room beside that.
void RunFolders::share(const std::string& option, const fs::path& folder) {
  const fs::path place = real_place(folder);
  if (!make(option, place)) return;
  Descriptor opened(::open(place.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened.open()) throw file_failure("create", place, errno);
  if (::flock(opened.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    throw cannot_create(option + " '" + folder.string() + "': another run is writing to all of it",
                        {}, "wait for it, or choose another place");
  }
  shared_.push_back(std::move(opened));
}

void RunFolders::hold(const std::string& option, const fs::path& folder) {
  const fs::path place = real_place(folder);
  if (!make(option, place)) return;
  try {
    held_.emplace_back(place, O_RDONLY | O_DIRECTORY);
  } catch (const Error& error) {
    ErrorRecord record = error.record();
    record.what = option + " '" + folder.string() + "': " + record.what;
    throw Error(record);
  }
}

std::unique_ptr<RunFolders> hold_folders(RankCommand& command) {
  const ResolvedCommand& base = command.base();
  const bool by_launcher = !base.detection.error_file.empty();
  if (by_launcher || !holds_rank_0(base.detection)) return nullptr;
  const std::set<std::string> groups = command.groups_of_runs();
  auto held = std::make_unique<RunFolders>(base.settings, groups);
  refuse_used_folders(base.settings, groups,
                      command.existing_folder() != reporting::ExistingFolder::kRefuse);
  return held;
}

}  // namespace scalemark::cli
