// Appends records to an event file from a thread of its own, so that a slow or full disk holds up
// nobody. Knows nothing of what the records say, nor of runs.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "core/base/atomic_file.h"
#include "core/live/tensorboard/events.h"

namespace scalemark::tensorboard {

class EventWriter {
 public:
  struct Options {
    std::filesystem::path file;  // in a folder that exists; an existing file is appended to
    std::chrono::milliseconds period{1000};  // between two writes
    std::size_t most_waiting = 16U << 20U;   // bytes of post(); beyond: dropped and counted
    // The thread calls it each period, and a last time for close(), to add records. May be empty.
    std::function<void(Events&)> collect;
    // The thread calls it once, when writing has failed, with a sentence for people. May be empty.
    std::function<void(const std::string&)> failed;
  };
  // Throws cannot_create() (73) where the file cannot be opened, system_error() (71) without a
  // thread.
  explicit EventWriter(Options options);
  ~EventWriter();  // close()
  EventWriter(const EventWriter&) = delete;
  EventWriter& operator=(const EventWriter&) = delete;

  // May be called from any thread; never waits for the disk. Records of one call stay together.
  void post(std::string records);

  // How many posts were dropped so far, those that could not be written among them.
  std::int64_t dropped();

  // Writes what is waiting. Returns dropped().
  std::int64_t close();

 private:
  struct Waiting {
    std::string records;
    std::int64_t posts = 0;
  };

  void serve();
  bool take(Waiting& next);
  void write(const Waiting& next);
  void give_up(int error, std::int64_t posts);

  const Options options_;
  Descriptor file_;
  std::mutex mutex_;
  std::condition_variable changed_;
  Waiting waiting_;
  std::int64_t dropped_ = 0;
  bool closing_ = false, broken_ = false;
  std::thread thread_;
};

}  // namespace scalemark::tensorboard
