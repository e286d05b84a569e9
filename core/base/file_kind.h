// Finds out what a path leads to before it is read: a pipe, a socket or a device where a file is
// expected, a hidden file, which nobody means, or a program on PATH.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace scalemark {

// "a pipe", "a socket" or "a device"; empty for files, folders and what is not there. What a pipe
// gives comes once: whoever opens it again, or in another process, gets the rest or waits.
std::string special_kind(const std::filesystem::path& path);

// The same, and "an open file of this process" for /dev/stdin and its like: even where that leads
// to a file, other processes have another one there, or none.
std::string read_once_kind(const std::filesystem::path& path);

// Throws no_input() (66) for what has such a kind. `named`: the option that names it, "--data".
void refuse_read_once(const std::string& named, const std::string& path);

// E_NO_INPUT (66) for a path that may not be examined (its folder's permissions, a circle of links,
// a name that is too long); other failures of the file system are E_IO (74).
Error unreadable_path(const std::filesystem::filesystem_error& error);

// Whether the name begins with a dot, as the names of what systems and editors leave beside files
// do (._a.jsonl, .snapshot/). All readers of folders pass such names over, but for images, which
// are listed as torchvision lists them.
inline bool is_hidden(const std::filesystem::path& path) {
  return path.filename().string().starts_with('.');
}

// The executables of that name in the folders that `path` lists, in its order. Null: none.
std::vector<std::filesystem::path> programs_named(std::string_view name,
                                                  const char* path = std::getenv("PATH"));

}  // namespace scalemark
