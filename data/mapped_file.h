// A file that is read through the page cache, where others may change it while it is read: losing
// it (SIGBUS) ends the process with an error. Knows nothing of what it holds.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string>

#include "core/base/error.h"

namespace scalemark::data {

class MappedFile {
 public:
  // `what` is what errors call it: "token file". Errors: 66 not there, 74 it cannot be read, 65
  // empty.
  MappedFile(const std::filesystem::path& path, const std::string& what);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const { return bytes_; }

  // Throws io_error (74) when the file has been written to or cut since it was mapped. Renaming
  // another file over it is no change: the mapped one stays.
  void refuse_if_changed() const;

 private:
  std::string name_;
  int descriptor_ = -1;
  std::span<const std::byte> bytes_;
  std::int64_t modified_ns_ = 0;
  std::size_t guard_ = 0;
};

// Touching a mapped page that is no longer in the file (cut short, or its disk fails) stops the
// thread that does it for good: it cannot go on, and a signal handler may do next to nothing. A
// side thread calls `act` with E_IO (74), which names the file, and ends the process with its exit
// code if `act` returns. Without an `act`, or with an empty one: the error line goes to stderr.
void on_lost_mapping(std::function<void(const ErrorRecord&)> act);

}  // namespace scalemark::data
