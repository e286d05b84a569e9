#include "data/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "data/lost_mapping.h"

namespace scalemark::data {
namespace {

std::int64_t modified_ns(const struct stat& info) {
  return std::int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec;
}

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path, const std::string& what)
    : name_(what + " " + path.string()) {
  const auto failed = [this](const char* doing) {
    const int error = errno;
    if (descriptor_ >= 0) ::close(descriptor_);
    const std::string text = std::string(doing) + " " + name_ + ": " + std::strerror(error);
    return error == ENOENT ? no_input(text) : io_error(text);
  };
  descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) throw failed("opening");
  struct stat info = {};
  if (::fstat(descriptor_, &info) != 0) throw failed("looking at");
  const auto bytes = static_cast<std::size_t>(info.st_size);
  if (bytes == 0) {
    ::close(descriptor_);
    throw bad_data(name_ + ": it is empty");
  }
  void* const address = ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, descriptor_, 0);
  if (address == MAP_FAILED) throw failed("mapping");
  bytes_ = {static_cast<const std::byte*>(address), bytes};
  modified_ns_ = modified_ns(info);
  guard_ = guard_mapping(bytes_, name_.c_str());
}

MappedFile::~MappedFile() {
  end_guard(guard_);
  ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
  ::close(descriptor_);
}

void MappedFile::refuse_if_changed() const {
  struct stat info = {};
  if (::fstat(descriptor_, &info) != 0) {
    throw io_error("looking at " + name_ + ": " + std::strerror(errno));
  }
  if (static_cast<std::size_t>(info.st_size) == bytes_.size() &&
      modified_ns(info) == modified_ns_) {
    return;
  }
  throw io_error(name_ + " was changed while it was in use",
                 "a file that does not change during the run",
                 "write a new one beside it and rename it");
}

}  // namespace scalemark::data
