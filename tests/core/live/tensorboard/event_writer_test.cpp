#include "core/live/tensorboard/event_writer.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"

namespace scalemark::tensorboard {
namespace {

namespace fs = std::filesystem;
constexpr std::chrono::hours kNever{1};

class TensorBoardWriter : public testing::Test {
 protected:
  TensorBoardWriter() { fs::create_directories(folder_); }
  ~TensorBoardWriter() override { fs::remove_all(folder_); }

  std::string written() const {
    std::ifstream in(file_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  fs::path folder_ = fs::temp_directory_path() / ("tensorboard." + std::to_string(::getpid()));
  fs::path file_ = folder_ / "events";
};

TEST_F(TensorBoardWriter, WritesWhatIsPostedAndCollected) {
  std::ofstream(file_) << "before ";
  int collected = 0;
  EventWriter writer({.file = file_, .period = kNever, .collect = [&](Events& events) {
                        ++collected;
                        events.scalar("a", 1, 2, 3);
                      }});
  writer.post("one ");
  writer.post("two ");
  EXPECT_EQ(writer.close(), 0);
  Events scalar;
  scalar.scalar("a", 1, 2, 3);
  EXPECT_EQ(written(), "before one two " + scalar.bytes());
  EXPECT_EQ(collected, 1);
  EXPECT_EQ(writer.close(), 0);
  EXPECT_EQ(collected, 1);
  writer.post("late ");
  EXPECT_EQ(writer.close(), 1);
}

TEST_F(TensorBoardWriter, BeginsAFileThatIsNotThere) {
  { EventWriter writer({.file = file_, .period = kNever}); }
  const std::string begun = written();
  EXPECT_NE(begun.find("brain.Event:2"), std::string::npos);
  { EventWriter writer({.file = file_, .period = kNever}); }
  EXPECT_EQ(written(), begun);
}

TEST_F(TensorBoardWriter, WritesEachPeriod) {
  std::promise<void> twice;
  std::atomic<bool> posted{false};
  int collected = 0;
  std::ofstream(file_) << "before ";
  EventWriter writer(
      {.file = file_, .period = std::chrono::milliseconds(1), .collect = [&](Events&) {
         // A call that begins behind the post takes it along; it is written before the next one.
         if (posted && ++collected == 3) twice.set_value();
       }});
  writer.post("one ");
  posted = true;
  twice.get_future().wait();
  EXPECT_EQ(written(), "before one ");
}

TEST_F(TensorBoardWriter, DropsAndCountsWhatWaitsTooLong) {
  std::promise<void> blocked, free;
  bool first = true;
  std::ofstream(file_) << "before ";
  EventWriter writer({.file = file_,
                      .period = std::chrono::milliseconds(1),
                      .most_waiting = 10,
                      .collect = [&](Events&) {
                        if (!std::exchange(first, false)) return;
                        blocked.set_value();
                        free.get_future().wait();
                      }});
  blocked.get_future().wait();
  writer.post("12345");
  writer.post("678901");  // beyond 10
  writer.post("67890");
  writer.post("1");
  free.set_value();
  EXPECT_EQ(writer.close(), 2);
  EXPECT_EQ(written(), "before 1234567890");
}

TEST_F(TensorBoardWriter, SaysOnceThatTheDiskIsFull) {
  std::vector<std::string> said;
  std::promise<void> reported;
  EventWriter writer({.file = "/dev/full",
                      .period = std::chrono::milliseconds(1),
                      .failed = [&](const std::string& what) {
                        said.push_back(what);
                        if (said.size() == 1) reported.set_value();
                      }});
  writer.post("one");
  reported.get_future().wait();
  writer.post("two");
  writer.post("three");
  EXPECT_EQ(writer.close(), 3);
  ASSERT_EQ(said.size(), 1U);
  EXPECT_NE(said[0].find("/dev/full"), std::string::npos) << said[0];
  EXPECT_NE(said[0].find("No space left on device"), std::string::npos) << said[0];
}

// The limit holds for the process. The signal that comes with it is blocked in the writer's thread.
TEST_F(TensorBoardWriter, LeavesNoCutRecordWhereTheFileCannotGrow) {
  std::ofstream(file_) << "before ";
  rlimit usual{};
  ::getrlimit(RLIMIT_FSIZE, &usual);
  rlimit small = usual;
  small.rlim_cur = 10;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  std::string said;
  EventWriter writer(
      {.file = file_, .period = kNever, .failed = [&](const std::string& what) { said = what; }});
  writer.post("a longer record");
  EXPECT_EQ(writer.close(), 1);
  ::setrlimit(RLIMIT_FSIZE, &usual);
  EXPECT_EQ(written(), "before ");
  EXPECT_NE(said.find("File too large"), std::string::npos) << said;
}

TEST_F(TensorBoardWriter, RefusesAFileThatCannotBeMade) {
  try {
    EventWriter({.file = folder_ / "none" / "events"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.record().exit_code, ExitCode::kCannotCreateOutput);
    EXPECT_NE(error.record().what.find("none/events"), std::string::npos);
  }
}

}  // namespace
}  // namespace scalemark::tensorboard
