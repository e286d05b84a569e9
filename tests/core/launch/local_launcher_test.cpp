// The launcher against real processes: launch-driver starts rank-child, both commands of core_tool.
#include "core/launch/local_launcher.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <regex>
#include <sstream>
#include <thread>

#include "core/launch/local_run.h"

namespace scalemark::launching {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr const char* kCoreTool = SCALEMARK_BINARY_DIR "/tests/core_tool";

struct Plan {
  int nproc = 2, grace_ms = 400, failure_grace_ms = 200;
  bool verbose = false;
  std::vector<std::string> nodes;  // NNODES NODE_RANK
  std::string program = kCoreTool;
  bool one_file = false;  // stderr goes where stdout goes
  std::vector<int> ignored;
  bool blocked = false;  // the ignored signals are blocked as well
};

class Driver {
 public:
  explicit Driver(std::vector<std::string> child_arguments, const Plan& plan = {}) {
    std::vector<std::string> words = {kCoreTool,
                                      "launch-driver",
                                      plan.program,
                                      std::to_string(plan.nproc),
                                      std::to_string(plan.grace_ms),
                                      std::to_string(plan.failure_grace_ms),
                                      plan.verbose ? "1" : "0"};
    words.insert(words.end(), plan.nodes.begin(), plan.nodes.end());
    words.emplace_back("--");
    words.insert(words.end(), child_arguments.begin(), child_arguments.end());
    auto pattern = (fs::temp_directory_path() / "launch-test-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    fs::create_directory(folder_ / "tmp");
    std::vector<char*> list;
    for (auto& word : words) list.push_back(word.data());
    list.push_back(nullptr);
    pid_ = fork();
    if (pid_ == 0) {
      setenv("TMPDIR", (folder_ / "tmp").c_str(), 1);
      redirect("out", STDOUT_FILENO);
      redirect("err", STDERR_FILENO);
      if (plan.one_file) dup2(STDOUT_FILENO, STDERR_FILENO);
      ignore(plan);
      execv(list[0], list.data());
      _exit(126);
    }
  }

  ~Driver() {
    if (!ended_) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
    fs::remove_all(folder_);
  }

  pid_t pid() const { return pid_; }
  std::string out() const { return content("out"); }
  std::string err() const { return content("err"); }
  bool left_files() const { return !fs::is_empty(folder_ / "tmp"); }

  // The exit code; -1: still there after 200 s; 128 + n: killed by a signal.
  int wait() {
    int status = 0;
    for (const auto until = Clock::now() + 200s; Clock::now() < until;) {
      if (waitpid(pid_, &status, WNOHANG) == pid_) {
        ended_ = true;
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      }
      std::this_thread::sleep_for(2ms);
    }
    return -1;
  }

 private:
  // Whatever the test itself was started with.
  static void ignore(const Plan& plan) {
    for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGUSR1}) {
      std::signal(signal, SIG_DFL);
    }
    sigset_t blocked;
    sigemptyset(&blocked);
    for (const int signal : plan.ignored) {
      std::signal(signal, SIG_IGN);
      if (plan.blocked) sigaddset(&blocked, signal);
    }
    sigprocmask(SIG_BLOCK, &blocked, nullptr);
  }
  void redirect(const char* name, int to) const {
    const int fd = open((folder_ / name).c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    dup2(fd, to);
  }
  std::string content(const char* name) const {
    std::ifstream file(folder_ / name);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }

  fs::path folder_;
  pid_t pid_ = -1;
  bool ended_ = false;
};

bool eventually(const std::function<bool()>& condition) {
  for (const auto until = Clock::now() + 100s; Clock::now() < until;) {
    if (condition()) return true;
    std::this_thread::sleep_for(2ms);
  }
  return false;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// "WORD NUMBER" in the text: the pids that the children print.
std::vector<pid_t> pids(const std::string& text, const std::string& word) {
  std::vector<pid_t> found;
  const std::regex pattern(word + " ([0-9]+)");
  for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it) {
    found.push_back(std::stoi((*it)[1]));
  }
  return found;
}

// Gone or a zombie that nobody has reaped (an orphan's new parent may be slow).
bool is_dead(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  if (!std::getline(file, line)) return true;
  return line.substr(line.rfind(')') + 2, 1) == "Z";
}

// Two pipes and one file: a table of more than a pipe's 4,096 bytes was cut where the line behind
// it came in.
TEST(LocalLauncher, ATableIsNotTornByTheLineBehindIt) {
  for (int trial = 0; trial < 10; ++trial) {
    Driver driver({"table"}, {.one_file = true});
    EXPECT_EQ(driver.wait(), 0);
    std::istringstream text(driver.out());
    int next = 1000;
    bool ended = false;
    for (std::string line; std::getline(text, line);) {
      if (line.starts_with("[1] beside the table, line ")) continue;
      if (line == "behind the table") {
        EXPECT_EQ(next, 1400) << "the table comes first";
        ended = true;
        continue;
      }
      ASSERT_EQ(line, "row " + std::to_string(next++) + " of the table");
    }
    EXPECT_TRUE(ended);
  }
}

TEST(LocalLauncher, PrefixesAllButRankZeroAndKeepsItsStdoutClean) {
  Driver driver({"speak"}, {.nproc = 3});
  EXPECT_EQ(driver.wait(), 0);
  EXPECT_EQ(driver.out(), "out of 0\n");
  const auto err = driver.err();
  for (const auto* line : {"err of 0\n", "[1] out of 1\n", "[1] err of 1\n", "[1] no end\n",
                           "[2] out of 2\n", "[2] err of 2\n", "[2] no end\n"}) {
    EXPECT_TRUE(has(err, line)) << line << "in\n" << err;
  }
  EXPECT_FALSE(has(err, "[0]"));
  EXPECT_FALSE(driver.left_files());
}

TEST(LocalLauncher, VerbosePrefixesTheErrorsOfRankZeroToo) {
  Driver driver({"speak"}, {.verbose = true});
  EXPECT_EQ(driver.wait(), 0);
  EXPECT_EQ(driver.out(), "out of 0\n");
  EXPECT_TRUE(has(driver.err(), "[0] err of 0\n"));
  EXPECT_TRUE(has(driver.err(), "[0] no end\n"));
}

TEST(LocalLauncher, RelaysLongLinesWhole) {
  Driver driver({"long-line"});
  EXPECT_EQ(driver.wait(), 0);
  EXPECT_EQ(driver.err(), "[1] " + std::string(300'000, 'x') + "\n");
}

TEST(LocalLauncher, ChildrenInheritNoStaleLauncherVariables) {
  setenv("RANK", "7", 1);
  setenv("MASTER_ADDR", "elsewhere", 1);
  setenv("SLURM_PROCID", "3", 1);
  setenv("OMPI_COMM_WORLD_SIZE", "9", 1);
  setenv("PET_NNODES", "4", 1);
  setenv("KEPT_BY_THE_TEST", "yes", 1);
  Driver driver({"environment"});
  EXPECT_EQ(driver.wait(), 0);
  for (const auto* name : {"RANK", "MASTER_ADDR", "SLURM_PROCID", "OMPI_COMM_WORLD_SIZE",
                           "PET_NNODES", "KEPT_BY_THE_TEST"}) {
    unsetenv(name);
  }
  EXPECT_TRUE(has(driver.out(), "KEPT_BY_THE_TEST=yes\n"));
  for (const auto* name : {"RANK=", "MASTER_ADDR=", "SLURM_", "OMPI_", "PET_"}) {
    EXPECT_FALSE(has(driver.out(), std::string("\n") + name)) << name;
  }
  EXPECT_TRUE(has(driver.out(), "world 0 of 2 local 0 of 2 node 0 of 1 by local id "));
  EXPECT_TRUE(has(driver.err(), "[1] world 1 of 2 local 1 of 2 node 0 of 1 by local id "));
}

TEST(LocalLauncher, NumbersTheRanksOfTheSecondNode) {
  Driver driver({"environment"}, {.nodes = {"2", "1"}});
  EXPECT_EQ(driver.wait(), 0);
  const auto err = driver.err();
  EXPECT_TRUE(has(err, "[2] world 2 of 4 local 0 of 2 node 1 of 2 by local id over-nodes"));
  EXPECT_TRUE(has(err, "[3] world 3 of 4 local 1 of 2 node 1 of 2 by local id over-nodes"));
}

TEST(LocalLauncher, HandsTheListeningSocketToRankZeroOnly) {
  Driver driver({"socket"});
  EXPECT_EQ(driver.wait(), 0);
  EXPECT_TRUE(has(driver.out(), "listening 1 on 127.0.0.1:"));
}

TEST(LocalLauncher, OneFailureEndsAllAndIsNamedWithItsLastLines) {
  const auto start = Clock::now();
  Driver driver({"fail", "65"}, {.nproc = 3});
  EXPECT_EQ(driver.wait(), 65);
  EXPECT_LT(Clock::now() - start, 50s);  // ranks that nobody ends sleep for 60
  EXPECT_TRUE(std::regex_search(
      driver.err(), std::regex("scalemark: rank 1 \\(pid [0-9]+\\) exited with 65; its last lines:"
                               "\n    about to fail\n    because of a test\n")))
      << driver.err();
}

TEST(LocalLauncher, TheErrorFileWinsOverTheExitCode) {
  Driver driver({"fail-with-file", "134"});
  EXPECT_EQ(driver.wait(), 65);
}

// Here and below rank 0 may be out long before a busy machine has let rank 1 say why.
TEST(LocalLauncher, PeerLostNeverWinsOverTheCause) {
  Driver driver({"lose-peer"}, {.failure_grace_ms = 5000});
  EXPECT_EQ(driver.wait(), 65);
  EXPECT_TRUE(has(driver.err(), "scalemark: rank 1 (pid "));
}

TEST(LocalLauncher, ASilentDeathIsPeerLostAndNamesTheSignal) {
  Driver driver({"die", "9"}, {.failure_grace_ms = 5000});
  EXPECT_EQ(driver.wait(), 69);
  EXPECT_TRUE(std::regex_search(
      driver.err(), std::regex("scalemark: error E_RANK_KILLED \\(exit 69\\) rank=1: rank 1 \\(pid "
                               "[0-9]+\\) was killed by signal 9 \\(SIGKILL\\)")))
      << driver.err();
}

TEST(LocalLauncher, AVerdictIsPassedOnWithoutAWord) {
  for (const int code : {1, 2}) {
    Driver driver({"exit", std::to_string(code)});
    EXPECT_EQ(driver.wait(), code);
    EXPECT_EQ(driver.err(), "");
  }
}

struct SignalCase {
  int signal, exit_code;
  const char* counts;
};

TEST(LocalLauncher, ForwardsEachSignalOnce) {
  for (const auto& [signal, exit_code, counts] : {SignalCase{SIGTERM, 75, "term 1 int 0 usr1 0"},
                                                  SignalCase{SIGINT, 130, "term 0 int 1 usr1 0"},
                                                  SignalCase{SIGUSR1, 75, "term 0 int 0 usr1 1"}}) {
    Driver driver({"count-signals"}, {.grace_ms = 5000});
    ASSERT_TRUE(eventually(
        [&] { return has(driver.err(), "ready 0\n") && has(driver.err(), "[1] ready 1\n"); }));
    kill(driver.pid(), signal);
    std::this_thread::sleep_for(20ms);
    kill(driver.pid(), signal);  // `timeout` signals the process, then its group
    EXPECT_EQ(driver.wait(), exit_code);
    EXPECT_EQ(driver.out(), std::string("rank 0 ") + counts + "\n");
    EXPECT_TRUE(has(driver.err(), std::string("[1] rank 1 ") + counts + "\n"));
  }
}

std::string mask_of(const std::vector<int>& signals) {
  std::uint64_t mask = 0;
  for (const int signal : signals) mask |= std::uint64_t{1} << (signal - 1);
  char text[32];
  std::snprintf(text, sizeof text, "ignores %016llx", static_cast<unsigned long long>(mask));
  return text;
}

// The counts show which signal came first; those that are ignored would have ended the run before.
TEST(LocalLauncher, SignalsThatWereIgnoredAtTheStartStayIgnored) {
  for (const bool blocked : {false, true}) {
    const std::vector<int> ignored{SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGTSTP};
    Driver driver({"ignored"}, {.grace_ms = 5000, .ignored = ignored, .blocked = blocked});
    ASSERT_TRUE(eventually(
        [&] { return has(driver.err(), "ready 0\n") && has(driver.err(), "[1] ready 1\n"); }));
    EXPECT_TRUE(has(driver.err(), "rank 0 " + mask_of(ignored))) << driver.err();
    EXPECT_TRUE(has(driver.err(), "rank 1 " + mask_of(ignored))) << driver.err();
    for (const int signal : ignored) kill(driver.pid(), signal);
    kill(driver.pid(), SIGTERM);
    EXPECT_EQ(driver.wait(), 75);
    EXPECT_EQ(driver.out(), "rank 0 term 1 int 0 usr1 0\n");
  }
}

TEST(LocalLauncher, RanksThatIgnoreSigtermAreAskedByAnotherSignal) {
  Driver hung_up({"ignored"}, {.grace_ms = 5000, .ignored = {SIGTERM}});
  ASSERT_TRUE(eventually(
      [&] { return has(hung_up.err(), "ready 0\n") && has(hung_up.err(), "[1] ready 1\n"); }));
  kill(hung_up.pid(), SIGTERM);
  kill(hung_up.pid(), SIGHUP);
  EXPECT_EQ(hung_up.wait(), 75);
  EXPECT_EQ(hung_up.out(), "rank 0 term 0 int 0 usr1 1\n");
}

TEST(LocalLauncher, KillsAfterTheGraceWhatIgnoresASignal) {
  Driver driver({"ignore"}, {.grace_ms = 200});
  ASSERT_TRUE(eventually([&] { return pids(driver.err(), "pid").size() == 2; }));
  const auto start = Clock::now();
  kill(driver.pid(), SIGTERM);
  EXPECT_EQ(driver.wait(), 75);
  EXPECT_GE(Clock::now() - start, 200ms);
  EXPECT_TRUE(has(driver.err(), "did not end in time: killed\n"));
}

// Its SIGTERM would wait with it.
TEST(LocalLauncher, SaysOfARankThatIsStoppedThatItIs) {
  Driver driver({"ignore"}, {.grace_ms = 60'000, .failure_grace_ms = 200});
  std::vector<pid_t> ranks;
  ASSERT_TRUE(eventually([&] { return (ranks = pids(driver.err(), "pid")).size() == 2; }));
  kill(ranks[0], SIGSTOP);
  kill(ranks[1], SIGKILL);
  EXPECT_EQ(driver.wait(), 69);
  EXPECT_TRUE(has(driver.err(), " (pid " + std::to_string(ranks[0]) +
                                    ") is stopped by a signal from outside: killed\n"))
      << driver.err();
}

TEST(LocalLauncher, LeavesNoOrphansWhenItIsKilled) {
  Driver driver({"ignore"}, {.nproc = 3});
  std::vector<pid_t> ranks;
  ASSERT_TRUE(eventually([&] { return (ranks = pids(driver.err(), "pid")).size() == 3; }));
  for (const auto pid : ranks) ASSERT_FALSE(is_dead(pid));
  kill(driver.pid(), SIGKILL);
  EXPECT_EQ(driver.wait(), 128 + SIGKILL);
  for (const auto pid : ranks) {
    EXPECT_TRUE(eventually([&] { return is_dead(pid); })) << pid;
  }
}

TEST(LocalLauncher, EndsHelpersThatARankLeavesBehind) {
  const auto start = Clock::now();
  Driver driver({"helper"});
  EXPECT_EQ(driver.wait(), 0);
  EXPECT_LT(Clock::now() - start, 50s);  // a helper sleeps for 60
  const auto helpers = pids(driver.err(), "helper");
  ASSERT_EQ(helpers.size(), 2u);
  for (const auto pid : helpers) {
    EXPECT_TRUE(eventually([&] { return is_dead(pid); })) << pid;
  }
}

TEST(ErrorFolder, LeavesNothing) {
  fs::path place;
  {
    const ErrorFolder errors(fs::temp_directory_path());
    place = errors.path();
    std::ofstream(errors.file_of(3)) << "an error";
    EXPECT_TRUE(fs::exists(errors.file_of(3)));
  }
  EXPECT_FALSE(fs::exists(place));
}

TEST(LocalLauncher, SaysWhyARankCannotBeStarted) {
  Driver driver({"speak"}, {.program = "/nowhere/at-all"});
  EXPECT_EQ(driver.wait(), 71);
  EXPECT_TRUE(has(driver.err(), "cannot start /nowhere/at-all: No such file or directory"));
  EXPECT_FALSE(driver.left_files());
}

}  // namespace
}  // namespace scalemark::launching
