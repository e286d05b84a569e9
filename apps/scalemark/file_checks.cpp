#include "apps/scalemark/file_checks.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "apps/scalemark/rank_command.h"
#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/file_kind.h"
#include "core/live/tensorboard/events.h"

namespace scalemark::cli {
namespace {

namespace fs = std::filesystem;

void refuse_read_only(const std::string& what, const fs::path& folder) {
  if (::access(folder.c_str(), W_OK | X_OK) == 0) return;
  throw cannot_create(what + ": " + std::strerror(errno));
}

// Root may write to /proc by its permissions, and yet no folder can be made there.
void refuse_unmakeable(const std::string& what, const fs::path& folder) {
  std::error_code failed;
  if (fs::create_directory(folder, failed)) {
    fs::remove(folder, failed);
  } else if (failed) {
    throw cannot_create(what + " cannot be made: " + failed.message());
  }
}

void refuse_closed_stream(const std::string& what, const OutputPlace& place) {
  const bool closed = place.descriptor >= 0
                          ? (::fcntl(place.descriptor, F_GETFL) & O_ACCMODE) == O_RDONLY
                          : ::access(place.path.c_str(), W_OK) != 0;
  if (!closed) return;
  throw cannot_create(what + ": " + std::strerror(place.descriptor >= 0 ? EBADF : errno));
}

void refuse_missing_file(const char* option, const std::string& path) {
  if (path.empty()) return;
  refuse_read_once(option, path);
  if (fs::exists(path)) return;
  throw no_input(std::string(option) + " '" + path + "' is not there");
}

// The engine gives traces these names.
bool is_trace_file(std::string_view name) {
  return name.starts_with("rank") && name.ends_with(".pt.trace.json");
}

struct FilesOfRuns {
  const char* option;
  const char* what;
  bool (*is_one)(std::string_view name);
};

void refuse_used_runs(const FilesOfRuns& files, const std::string& folder,
                      const std::set<std::string>& groups, bool may_exist) {
  if (folder.empty()) return;
  refuse_unwritable_folder(files.option, folder);
  if (may_exist) return;
  for (const std::string& group : groups) {
    std::error_code missing;
    for (fs::recursive_directory_iterator entry(fs::path(folder) / group, missing), end;
         !missing && entry != end; entry.increment(missing)) {
      if (!files.is_one(entry->path().filename().string())) continue;
      throw cannot_create(std::string(files.option) + " '" + folder + "' has " + files.what +
                              " of an earlier run " +
                              entry->path().parent_path().lexically_relative(folder).string(),
                          "a folder without them is expected",
                          "choose another folder, or replace them with --overwrite");
    }
  }
}

}  // namespace

void refuse_missing_inputs(const settings::Settings& settings) {
  if (settings.task.data != "synthetic") refuse_missing_file("--data", settings.task.data);
  refuse_missing_file("--vocab", settings.task.vocab);
  refuse_missing_file("--init-from", settings.recipe.init_from);
}

void refuse_lost_working_folder() {
  std::error_code lost;
  if (!fs::current_path(lost).empty() && !lost) return;
  throw system_error("the working folder is gone: " + lost.message(), {},
                     "change into a folder that is there");
}

void refuse_unwritable_file(const std::string& named, const std::string& path) {
  const std::string what = named + " '" + path + "'";
  const OutputPlace place = output_place(path);
  if (place.is_stream) return refuse_closed_stream(what, place);
  const fs::path& file = place.path;
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  std::error_code unreadable;
  const fs::file_status status = fs::symlink_status(file, unreadable);
  const bool is_missing = unreadable == std::errc::no_such_file_or_directory ||
                          unreadable == std::errc::not_a_directory;
  if (unreadable && !is_missing) {
    throw cannot_create(what + ": " + unreadable.message());
  }
  if (fs::is_symlink(status)) {
    throw cannot_create(what + ": " + std::strerror(ELOOP),
                        "a file, or a link to one, is expected");
  }
  if (!fs::is_directory(folder, unreadable)) {
    throw cannot_create(what + ": there is no folder '" + folder.string() + "'", {},
                        "make it first");
  }
  if (fs::is_directory(file, unreadable)) {
    throw cannot_create(what + " is a folder", "a file is expected");
  }
  refuse_read_only(what, folder);
}

void refuse_unwritable_folder(const std::string& named, const std::string& path) {
  const std::string what = named + " '" + path + "'";
  std::error_code unreadable;
  fs::path folder = fs::absolute(path, unreadable).lexically_normal(), missing;
  while (!fs::exists(folder, unreadable) && folder.has_relative_path()) {
    missing = folder;
    folder = folder.parent_path();
  }
  if (!fs::is_directory(folder, unreadable)) {
    throw cannot_create(what + ": " + folder.string() + " is no folder");
  }
  refuse_read_only(what, folder);
  if (!missing.empty()) refuse_unmakeable(what, missing);
}

void refuse_used_folders(const settings::Settings& settings, const std::set<std::string>& groups,
                         bool may_exist) {
  refuse_used_runs({"--trace", "traces", is_trace_file}, settings.measuring.trace, groups,
                   may_exist);
  refuse_used_runs({"--tensorboard", "events", tensorboard::is_event_file},
                   settings.general.tensorboard, groups, may_exist);
}

namespace {

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

// Takes a shared lock of the folder; a run of very many groups holds all of it, and refuses others.
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

std::unique_ptr<RunFolders> lock_folders(RankCommand& command) {
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
