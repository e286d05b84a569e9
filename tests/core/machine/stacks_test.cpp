#include "core/machine/stacks.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "core/base/threads.h"
#include "tests/core/machine/fake_root.h"

namespace scalemark::monitoring {
namespace {

using std::chrono::seconds;

// Threads that wait until this object is destroyed.
class Waiting {
 public:
  void add(bool quiet, bool blocks_signal = false) {
    const auto body = [this, blocks_signal] {
      ::pthread_setname_np(::pthread_self(), blocks_signal ? "deaf" : "waiting");
      sigset_t all;
      sigfillset(&all);
      if (blocks_signal) ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
      std::unique_lock lock(mutex_);
      ++waiting_;
      changed_.notify_all();
      wait_until_true(changed_, lock, [this] { return over_; });
    };
    threads_.push_back(quiet ? quiet_thread(body) : std::thread(body));
    std::unique_lock lock(mutex_);
    wait_until_true(changed_, lock, [this] { return waiting_ == threads_.size(); });
  }
  ~Waiting() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t waiting_ = 0;
  bool over_ = false;
  std::vector<std::thread> threads_;
};

std::vector<ThreadStack> named(const Stacks& stacks, const std::string& name) {
  std::vector<ThreadStack> found;
  std::ranges::copy_if(stacks.threads, std::back_inserter(found),
                       [&](const ThreadStack& thread) { return thread.name == name; });
  return found;
}

bool has(const ThreadStack& thread, const std::string& function) {
  return std::ranges::any_of(thread.frames, [&](const Frame& frame) {
    return frame.function.find(function) != frame.function.npos;
  });
}

TEST(StacksOfThreads, EachTellsItsFunctionsWithLibraryAndBuildId) {
  prepare_stacks();
  Waiting waiting;
  for (int i = 0; i < 20; ++i) waiting.add(/*quiet=*/i % 2 == 0);
  const Stacks stacks = take_stacks(seconds(60));
  EXPECT_EQ(stacks.untaken, "");
  const auto all = named(stacks, "waiting");
  ASSERT_EQ(all.size(), 20u);
  for (const ThreadStack& thread : all) {
    EXPECT_TRUE(thread.answered);
    EXPECT_TRUE(has(thread, "pthread_cond_wait"));
    EXPECT_TRUE(std::ranges::any_of(
        thread.frames, [](const Frame& frame) { return frame.place.starts_with("libc.so.6+0x"); }));
  }
  EXPECT_EQ(stacks.threads.front().id, ::getpid()) << "the main thread is the first";
  EXPECT_TRUE(has(stacks.threads.front(), "__libc_start_main"));
  ASSERT_TRUE(stacks.build_ids.contains("libc.so.6"));
  EXPECT_EQ(stacks.build_ids.at("libc.so.6").size(), 40u) << "hexadecimal digits";
}

TEST(StacksOfThreads, OneThatBlocksTheSignalIsListedWithItsState) {
  prepare_stacks();
  Waiting waiting;
  waiting.add(/*quiet=*/false, /*blocks_signal=*/true);
  const Stacks stacks = take_stacks(std::chrono::milliseconds(20));
  const auto deaf = named(stacks, "deaf");
  ASSERT_EQ(deaf.size(), 1u);
  EXPECT_FALSE(deaf.front().answered);
  EXPECT_TRUE(deaf.front().frames.empty());
  EXPECT_EQ(deaf.front().standing.state, ProcessState::kSleeps);
}

// The stacks are taken anywhere within malloc and the loader, whose locks the threads hold then.
TEST(StacksOfThreads, MayBeTakenAtAnyMoment) {
  prepare_stacks();
  std::atomic<bool> over{false};
  std::atomic<int> bad{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      while (!over) std::free(std::malloc(1 << 10));
    });
    threads.emplace_back([&] {
      while (!over) {
        void* library = ::dlopen("libBrokenLocale.so.1", RTLD_NOW | RTLD_LOCAL);
        if (library != nullptr) ::dlclose(library);
      }
    });
  }
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  threads.emplace_back([&] {  // a call that waits goes on
    char byte = 0;
    if (::read(ends[0], &byte, 1) != 1) ++bad;
  });
  for (int i = 0; i < 200; ++i) {
    const Stacks stacks = take_stacks(seconds(60));
    EXPECT_EQ(std::ranges::count(stacks.threads, false, &ThreadStack::answered), 0);
    EXPECT_GE(stacks.threads.size(), 10u);
  }
  over = true;
  EXPECT_EQ(::write(ends[1], "x", 1), 1);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(bad, 0);
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(StandingOfAProcess, IsThatOfProc) {
  const int child = ::fork();
  if (child == 0) {
    while (true) ::pause();
  }
  ::kill(child, SIGSTOP);
  ::waitpid(child, nullptr, WUNTRACED);
  EXPECT_EQ(standing_of(child).state, ProcessState::kStopped);
  ::kill(child, SIGKILL);
  siginfo_t info{};
  ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT);
  EXPECT_EQ(standing_of(child).state, ProcessState::kGone) << "a zombie";
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(standing_of(child).state, ProcessState::kGone);
  EXPECT_EQ(standing_of(::getpid()).state, ProcessState::kRuns);
}

TEST(StandingOfAProcess, TellsWhereAThreadSleepsInTheKernel) {
  const FakeRoot root;
  root.write("7/stat", "7 (a (b) c) S 1");
  root.write("7/task/7/stat", "7 (a (b) c) S 1");
  root.write("7/task/8/stat", "8 (loader) D 1");
  root.write("7/task/8/wchan", "nfs_wait_bit_killable");
  root.write("9/stat", "9 (a) t 1");
  const ProcessStanding standing = standing_of(7, root.path());
  EXPECT_EQ(standing.state, ProcessState::kInKernel);
  EXPECT_EQ(standing.asleep_in, "nfs_wait_bit_killable");
  EXPECT_EQ(standing_of(9, root.path()).state, ProcessState::kStopped) << "a debugger's";
}

}  // namespace
}  // namespace scalemark::monitoring
