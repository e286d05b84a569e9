#include "core/base/file_kind.h"

#include <unistd.h>

#include <system_error>

#include "core/base/error.h"
#include "core/base/text.h"

namespace scalemark {

std::string special_kind(const std::filesystem::path& path) {
  std::error_code none;
  switch (std::filesystem::status(path, none).type()) {
    case std::filesystem::file_type::fifo:
      return "a pipe";
    case std::filesystem::file_type::socket:
      return "a socket";
    case std::filesystem::file_type::block:
    case std::filesystem::file_type::character:
      return "a device";
    default:
      return "";
  }
}

std::string read_once_kind(const std::filesystem::path& path) {
  if (std::string special = special_kind(path); !special.empty()) return special;
  const std::string name = path.lexically_normal().string();
  const bool own =
      name == "/dev/stdin" || name.starts_with("/dev/fd/") || name.starts_with("/proc/self/fd/");
  return own ? "an open file of this process" : "";
}

void refuse_read_once(const std::string& named, const std::string& path) {
  const std::string kind = read_once_kind(path);
  if (kind.empty()) return;
  throw no_input(named + " '" + path + "' is " + kind,
                 "a file is expected: it is read more than once, or by several processes",
                 "write it to a file first");
}

Error unreadable_path(const std::filesystem::filesystem_error& error) {
  const std::string what =
      error.path1().string() + " cannot be examined: " + error.code().message();
  for (const std::errc why :
       {std::errc::permission_denied, std::errc::too_many_symbolic_link_levels,
        std::errc::filename_too_long, std::errc::not_a_directory}) {
    if (error.code() == why) return no_input(what);
  }
  return io_error(what);
}

std::vector<std::filesystem::path> programs_named(std::string_view name, const char* path) {
  std::vector<std::filesystem::path> found;
  for (const std::string_view folder : split(path ? path : "", ":")) {
    if (folder.empty()) continue;
    auto program = std::filesystem::path(folder) / name;
    if (::access(program.c_str(), X_OK) == 0) found.push_back(std::move(program));
  }
  return found;
}

}  // namespace scalemark
