#include "apps/scalemark/file_checks.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/file_kind.h"
#include "core/tensorboard/events.h"

namespace scalemark::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFolderExpected = "a folder, or a path where one can be made, is expected";

void refuse_read_only(const std::string& what, const fs::path& folder) {
  if (::access(folder.c_str(), W_OK | X_OK) == 0) return;
  throw cannot_create(what + ": " + std::strerror(errno),
                      "a folder that can be written to is expected");
}

// Root may write to /proc by its permissions, and yet no folder can be made there.
void refuse_unmakeable(const std::string& what, const fs::path& folder) {
  std::error_code failed;
  if (fs::create_directory(folder, failed)) {
    fs::remove(folder, failed);
  } else if (failed) {
    throw cannot_create(what + ": " + failed.message(), kFolderExpected);
  }
}

void refuse_closed_stream(const std::string& what, const OutputPlace& place) {
  const bool closed = place.descriptor >= 0
                          ? (::fcntl(place.descriptor, F_GETFL) & O_ACCMODE) == O_RDONLY
                          : ::access(place.path.c_str(), W_OK) != 0;
  if (!closed) return;
  throw cannot_create(what + ": " + std::strerror(place.descriptor >= 0 ? EBADF : errno),
                      "a file, device or pipe that can be written to is expected");
}

void refuse_missing_file(const char* option, const std::string& path) {
  if (path.empty()) return;
  refuse_read_once(option, path);
  if (fs::exists(path)) return;
  throw no_input(std::string(option) + " '" + path + "' is not there",
                 "a path that exists is expected");
}

// The engine names them so.
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
    throw cannot_create(what + ": " + unreadable.message(), "a file that can be made is expected");
  }
  if (fs::is_symlink(status)) {
    throw cannot_create(what + ": " + std::strerror(ELOOP),
                        "a file, or a link to one, is expected");
  }
  if (!fs::is_directory(folder, unreadable)) {
    throw cannot_create(what + ": there is no folder '" + folder.string() + "'",
                        "a file in a folder that exists is expected");
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
    throw cannot_create(what + ": " + folder.string() + " is no folder", kFolderExpected);
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

}  // namespace scalemark::cli
