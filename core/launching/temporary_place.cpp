#include "core/launching/temporary_place.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include "core/base/atomic_file.h"
#include "core/base/error.h"

namespace scalemark::launching {
namespace {

constexpr const char* kFallback = "/tmp";
constexpr std::string_view kLongestName = "/scalemark-XXXXXX/launcher";

// Fills a file, since a full disk may still have room for a folder. A limit of file sizes (EFBIG)
// is not the folder's.
int failure_of_file(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  const int failure = file.open() && ::write(file.get(), "x", 1) == 1 ? 0 : errno;
  ::unlink(path.c_str());
  return failure == EFBIG ? 0 : failure;
}

// Empty: `folder` can be used.
std::string failure_in(const std::string& folder, std::size_t longest_path) {
  if (longest_path != 0 && folder.size() + kLongestName.size() > longest_path) {
    return "too long for the path of a socket";
  }
  std::string own = folder + "/scalemark-XXXXXX";
  int failure = 0;
  if (::mkdtemp(own.data()) == nullptr) {
    failure = errno;
  } else {
    failure = failure_of_file(own + "/probe");
    ::rmdir(own.c_str());
  }
  return failure == 0 ? "" : std::strerror(failure);
}

}  // namespace

TemporaryPlace temporary_place(std::size_t longest_path) {
  std::string named;
  for (const char* variable : {"TMPDIR", "TMP", "TEMP", "TEMPDIR"}) {
    const char* folder = std::getenv(variable);
    if (folder == nullptr || *folder == '\0') continue;
    const std::string failure = failure_in(folder, longest_path);
    if (failure.empty()) return {.path = folder, .note = ""};
    named = std::string(variable) + "=" + folder + " cannot be used (" + failure + ")";
    break;
  }
  const std::string failure = failure_in(kFallback, longest_path);
  if (failure.empty()) {
    return {.path = kFallback, .note = named.empty() ? "" : named + ": /tmp is used instead"};
  }
  throw system_error("no temporary folder can be made: " + (named.empty() ? "" : named + ", ") +
                         "/tmp cannot be used (" + failure + ")",
                     {}, "set TMPDIR to a folder of this machine that can be written to");
}

}  // namespace scalemark::launching
