// The launcher on a terminal: Ctrl-C, and a progress bar.
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace scalemark::launching {
namespace {

using Clock = std::chrono::steady_clock;

class OnATerminal {
 public:
  explicit OnATerminal(const char* what) {
    const winsize size{.ws_row = 24, .ws_col = 60, .ws_xpixel = 0, .ws_ypixel = 0};
    pid_ = forkpty(&terminal_, nullptr, nullptr, &size);
    if (pid_ == 0) {
      const char* tool = SCALEMARK_BINARY_DIR "/tests/core_tool";
      execl(tool, tool, "launch-driver", tool, "2", "5000", "200", "0", "--", what, nullptr);
      _exit(126);
    }
  }
  ~OnATerminal() {
    if (!ended_) kill(pid_, SIGKILL);
    if (!ended_) waitpid(pid_, nullptr, 0);
    close(terminal_);
  }

  void type(const std::string& keys) {
    ASSERT_EQ(write(terminal_, keys.data(), keys.size()), static_cast<ssize_t>(keys.size()));
  }

  // Reads until `text` has appeared, the terminal is closed, or 100 s have gone.
  bool read_until(const std::string& text) {
    for (const auto until = Clock::now() + std::chrono::seconds(100); Clock::now() < until;) {
      if (!text.empty() && seen_.find(text) != std::string::npos) return true;
      pollfd polled{terminal_, POLLIN, 0};
      if (poll(&polled, 1, 100) <= 0) continue;
      char buffer[4096];
      const auto count = read(terminal_, buffer, sizeof buffer);
      if (count <= 0) return false;
      seen_.append(buffer, static_cast<std::size_t>(count));
    }
    return false;
  }

  int wait() {
    read_until("");
    int status = 0;
    waitpid(pid_, &status, 0);
    ended_ = true;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  const std::string& seen() const { return seen_; }

 private:
  pid_t pid_ = -1;
  int terminal_ = -1;
  bool ended_ = false;
  std::string seen_;
};

TEST(OnATerminal, CtrlCReachesEachRankOnce) {
  OnATerminal run("count-signals");
  ASSERT_TRUE(run.read_until("[1] ready 1"));
  ASSERT_TRUE(run.read_until("ready 0"));
  run.type("\x03");
  EXPECT_EQ(run.wait(), 130);
  EXPECT_NE(run.seen().find("rank 0 term 0 int 1 usr1 0"), std::string::npos) << run.seen();
  EXPECT_NE(run.seen().find("[1] rank 1 term 0 int 1 usr1 0"), std::string::npos) << run.seen();
}

TEST(OnATerminal, AProgressBarPassesAtOnceAndMakesRoomForLines) {
  auto stages = (std::filesystem::temp_directory_path() / "terminal-test-XXXXXX").string();
  setenv("TEST_STAGES", mkdtemp(stages.data()), 1);
  OnATerminal run("progress");
  ASSERT_TRUE(run.read_until("\r50 %"));  // the line has not ended
  std::ofstream(stages + "/progress-was-seen");
  ASSERT_TRUE(run.read_until("hello"));
  std::ofstream(stages + "/hello-was-seen");
  EXPECT_EQ(run.wait(), 0);
  std::filesystem::remove_all(stages);
  const char* kLines =
      "\r50 %\r\x1b[K[1] hello, and more words than this narrow terminal has room\r\n  for\r\n";
  EXPECT_NE(run.seen().find(kLines), std::string::npos) << run.seen();
}

}  // namespace
}  // namespace scalemark::launching
