#include "tests/nullnccl/unit/ranks.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <stdexcept>

namespace nullnccl_test {
namespace {

std::mutex mutex;
std::condition_variable changed;
std::map<void*, int> holds;

[[noreturn]] void be_rank(int rank, const std::function<void(int)>& body, int pipe) {
  std::string text;
  try {
    body(rank);
  } catch (const std::exception& error) {
    text = error.what();
  }
  if (!text.empty() && write(pipe, text.data(), text.size()) < 0) _exit(2);
  _exit(text.empty() ? 0 : 1);
}

std::string ending_of(pid_t pid, int pipe) {
  char text[512] = {};
  const auto length = read(pipe, text, sizeof text - 1);
  close(pipe);
  int status = 0;
  waitpid(pid, &status, 0);
  if (WIFSIGNALED(status)) return "killed";
  if (WEXITSTATUS(status) == 0) return "";
  return length > 0 ? text : "ended badly";
}

}  // namespace

std::vector<std::string> on_ranks(int size, const std::function<void(int)>& body) {
  std::vector<std::pair<pid_t, int>> ranks;
  for (int rank = 0; rank < size; ++rank) {
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("no pipe");
    const pid_t pid = fork();
    if (pid == 0) {
      close(ends[0]);
      be_rank(rank, body, ends[1]);
    }
    close(ends[1]);
    ranks.emplace_back(pid, ends[0]);
  }
  std::vector<std::string> endings;
  for (const auto& [pid, end] : ranks) endings.push_back(ending_of(pid, end));
  return endings;
}

void expect_all_well(const std::vector<std::string>& endings) {
  for (std::size_t rank = 0; rank < endings.size(); ++rank) {
    EXPECT_EQ(endings[rank], "") << "rank " << rank;
  }
}

void require(bool condition, const std::string& text) {
  if (!condition) throw std::runtime_error(text);
}

void require_success(ncclResult_t result, const char* what) {
  require(result == ncclSuccess,
          std::string(what) + ": " + ncclGetErrorString(result) + ", " + ncclGetLastError(nullptr));
}

ncclUniqueId new_id() {
  ncclUniqueId id;
  ncclGetUniqueId(&id);
  return id;
}

bool is_busy(cudaStream_t stream) {
  const std::lock_guard lock(mutex);
  return holds[stream] > 0;
}

void synchronise(cudaStream_t stream) { require(becomes_idle(stream, 60), "a stream stays busy"); }

bool becomes_idle(cudaStream_t stream, double seconds) {
  std::unique_lock lock(mutex);
  return changed.wait_for(lock, std::chrono::duration<double>(seconds),
                          [&] { return holds[stream] == 0; });
}

}  // namespace nullnccl_test

extern "C" {

__attribute__((visibility("default"))) void* nullcuda_stream_hold(void* stream) {
  const std::lock_guard lock(nullnccl_test::mutex);
  ++nullnccl_test::holds[stream];
  return stream;
}

__attribute__((visibility("default"))) void nullcuda_stream_release(void* stream) {
  {
    const std::lock_guard lock(nullnccl_test::mutex);
    --nullnccl_test::holds[stream];
  }
  nullnccl_test::changed.notify_all();
}

}  // extern "C"
