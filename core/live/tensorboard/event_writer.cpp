#include "core/live/tensorboard/event_writer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/base/atomic_file.h"
#include "core/base/durations.h"
#include "core/base/error.h"
#include "core/base/threads.h"

namespace scalemark::tensorboard {
namespace {

// A record that is cut in the middle would hide all that a later start appends behind it.
int append_or_undo(int file, std::string_view bytes) {
  struct stat before {};
  const bool is_file = ::fstat(file, &before) == 0 && S_ISREG(before.st_mode);
  const int error = write_whole(file, bytes);
  if (error == 0 || !is_file) return error;
  // Where this fails, too, readers stop at the record that is not whole.
  [[maybe_unused]] const int undone = ::ftruncate(file, before.st_size);
  return error;
}

// The first record of a file that has none.
std::string beginning_of(int file) {
  struct stat there {};
  Events events;
  if (::fstat(file, &there) != 0 || there.st_size == 0) events.begin(seconds_since_1970());
  return events.take();
}

}  // namespace

EventWriter::EventWriter(Options options) : options_(std::move(options)) {
  constexpr int kReadableByAll = 0666;  // less the umask
  file_ = Descriptor(
      ::open(options_.file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, kReadableByAll));
  if (!file_.open()) throw file_failure("create", options_.file, errno);
  waiting_.records = beginning_of(file_.get());
  try {
    thread_ = quiet_thread([this] { serve(); });
  } catch (const std::system_error& error) {
    throw system_error("no thread can be started that writes " + options_.file.string() + ": " +
                           error.code().message(),
                       {}, "see `ulimit -u`");
  }
}

EventWriter::~EventWriter() { close(); }

void EventWriter::post(std::string records) {
  const std::lock_guard lock(mutex_);
  if (closing_ || broken_ || waiting_.records.size() + records.size() > options_.most_waiting) {
    ++dropped_;
    return;
  }
  waiting_.records += records;
  ++waiting_.posts;
}

std::int64_t EventWriter::dropped() {
  const std::lock_guard lock(mutex_);
  return dropped_;
}

std::int64_t EventWriter::close() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
  return dropped();
}

void EventWriter::serve() {
  const WatchingThread watching;
  be_least_urgent("tensorboard");
  Events events;  // one for all times: it describes each tag once
  for (bool is_last = false; !is_last;) {
    Waiting next;
    is_last = take(next);
    try {
      if (options_.collect) {
        options_.collect(events);
        next.records += events.take();
      }
    } catch (...) {  // no memory: the records of this time are lost
      events.take();
    }
    write(next);
  }
}

// Waits for a period, or for close(); returns whether this is the last time.
bool EventWriter::take(Waiting& next) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, options_.period, [&] { return closing_; });
  std::swap(next, waiting_);
  return closing_;
}

void EventWriter::write(const Waiting& next) {
  if (broken_) return;  // only this thread sets it
  const int error = append_or_undo(file_.get(), next.records);
  if (error != 0) give_up(error, next.posts);
}

void EventWriter::give_up(int error, std::int64_t posts) {
  {
    const std::lock_guard lock(mutex_);
    broken_ = true;
    dropped_ += posts + std::exchange(waiting_, {}).posts;
  }
  try {
    if (!options_.failed) return;
    options_.failed(file_failure("write", options_.file, error).record().what);
  } catch (...) {  // nobody learns of it, and the run continues
  }
}

}  // namespace scalemark::tensorboard
