// A file that is read through the page cache, where others may change it meanwhile: losing it
// (SIGBUS) ends the process with an error. Knows nothing of its contents.
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
  // `what` describes the file in errors: "token file". Errors: 66 it does not exist, 74 it cannot
  // be read, 65 it is empty.
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

// Handles access to a mapped page that is no longer in the file (because it was cut, or its disk
// fails). The thread is blocked for good: it cannot continue, and a signal handler may do next to
// nothing. A side thread calls `act` with E_IO (74), which names the file, and ends the process
// with its exit code if `act` returns. Without an `act`, or with an empty one, the error line goes
// to stderr.
void on_lost_mapping(std::function<void(const ErrorRecord&)> act);

}  // namespace scalemark::data
