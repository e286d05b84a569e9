// Output that arrives whole: a file appears under its name when it is complete and on the disk, or
// not at all, and stdout takes all of a result. Knows nothing of what is written.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/error.h"

namespace scalemark {

// Owns a file descriptor, and closes it on destruction. -1: none.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) {
      reset();
      fd_ = other.release();
    }
    return *this;
  }
  ~Descriptor() { reset(); }

  int get() const { return fd_; }
  bool open() const { return fd_ >= 0; }
  int release() { return std::exchange(fd_, -1); }
  void reset() {
    if (open()) ::close(release());
  }

 private:
  int fd_ = -1;
};

// Says how to act on EFBIG.
extern const char* const kFileSizeHint;

// "cannot VERB FILE: reason" of errno `error`: E_CANNOT_CREATE (73) for "create", else E_IO (74).
Error file_failure(const char* verb, const std::filesystem::path& file, int error);

// Where an output of this name goes.
struct OutputPlace {
  std::filesystem::path path;  // with all links followed; the file need not exist
  bool is_stream = false;      // a device, a FIFO, a socket: it is written to and never replaced
  // The descriptor of this process that the name stands for (/dev/stdout, /dev/fd/63); -1: none.
  int descriptor = -1;
};

// Finds out where an output of this name goes, and changes nothing. A loop of links ends at one of
// them.
OutputPlace output_place(const std::filesystem::path& name);

// Whether both names exist and are one file, however they are spelled or linked.
bool is_same_file(const std::filesystem::path& a, const std::filesystem::path& b);

// The absolute path, with links followed as far as the path exists.
std::filesystem::path real_place(const std::filesystem::path& path);

// Whether `path`, which need not exist, is `folder` or would lie in it.
bool lies_in(const std::filesystem::path& path, const std::filesystem::path& folder);

// 0 when all bytes are written, else errno. Waits where the descriptor is non-blocking.
int write_whole(int descriptor, std::string_view bytes);

// Makes the Error for a failed operation on a file.
using FileFailure = Error (*)(const char* verb, const std::filesystem::path& file, int error);

// Flushes `folder` to the disk: it stores new and changed names, the files do not.
void sync_folder(const std::filesystem::path& folder, FileFailure failure = file_failure);

// Writes a temporary file beside the name, syncs it, renames it and syncs the folder. Where the
// name is a link, the file that it leads to is replaced; a device, a FIFO or a socket gets the
// bytes.
class AtomicFile {
 public:
  // `temporary`: the file's name until it is complete, where `path` is no link; without it, a name
  // that no other process uses.
  explicit AtomicFile(std::filesystem::path path, std::filesystem::path temporary = {},
                      FileFailure failure = file_failure);
  ~AtomicFile();  // removes the temporary file unless commit() was called
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::span<const std::byte> bytes, std::int64_t at);
  // Adds the bytes after those appended before.
  void append(std::span<const std::byte> bytes);
  void append(std::string_view text) { append(std::as_bytes(std::span(text))); }

  // Replaces an existing file. A stream gets all bytes only now; they waited in memory.
  void commit();
  // Keeps an existing file; that is no error.
  void commit_unless_there();

 private:
  void flush();
  void pour();
  void sync() const;
  [[noreturn]] void fail(const char* verb) const;

  std::filesystem::path path_;  // the name that was given
  OutputPlace place_;
  std::filesystem::path temporary_;  // beside it, so that renaming stays in one file system
  FileFailure failure_;
  std::int64_t appended_ = 0;
  int descriptor_ = -1;
  bool moved_ = false;
};

// Writes all of `text` to stdout at once, past the buffers of iostreams. Throws io_error() (74)
// where stdout does not take it: a full disk, a closed descriptor. A reader that has gone
// (`| head`) has what it wanted: that is no error.
void write_to_stdout(std::string_view text);

}  // namespace scalemark
