#include "data/long_work.h"

#include <fcntl.h>
#include <sys/file.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "core/base/error.h"

namespace scalemark::data {

void in_threads(std::size_t count, int threads, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::exception_ptr failure;
  const auto take_pieces = [&] {
    try {
      for (std::size_t i = next++; i < count; i = next++) work(i);
    } catch (...) {
      next = count;
      const std::lock_guard lock(mutex);
      failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> helpers;
    for (int t = 1; t < threads; ++t) helpers.emplace_back(take_pieces);
    take_pieces();
  }
  if (failure != nullptr) std::rethrow_exception(failure);
}

namespace fs = std::filesystem;

void refuse_non_empty(const fs::path& dir, bool overwrite) {
  std::error_code failed;
  if (!fs::exists(dir, failed)) return;
  if (!fs::is_directory(dir, failed)) throw cannot_create(dir.string() + " is a file", "a folder");
  const bool empty = fs::is_empty(dir, failed);
  if (failed) throw cannot_create(dir.string() + ": " + failed.message());
  if (empty || overwrite) return;
  throw cannot_create(dir.string() + " is not empty", "a new or empty folder",
                      "choose another folder, or pass --overwrite");
}

Descriptor lock_output_folder(const fs::path& dir, bool overwrite) {
  refuse_non_empty(dir, overwrite);
  std::error_code failed;
  fs::create_directories(dir, failed);
  if (failed) throw cannot_create(dir.string() + ": " + failed.message());
  Descriptor held(::open(dir.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!held.open()) throw cannot_create(dir.string() + ": " + std::strerror(errno), "a folder");
  if (::flock(held.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    throw cannot_create("another process makes data in " + dir.string(), {},
                        "wait for its end, or choose another folder");
  }
  // The folder may have changed between the first check and the lock.
  refuse_non_empty(dir, overwrite);
  return held;
}

}  // namespace scalemark::data
