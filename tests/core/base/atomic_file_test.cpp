#include "core/base/atomic_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <future>
#include <iterator>

namespace scalemark {
namespace {

namespace fs = std::filesystem;

class AtomicFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("atomic-" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  static std::string text_of(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static std::string rest_of(int descriptor) {
    std::string all;
    std::array<char, 4096> part;
    for (ssize_t got; (got = ::read(descriptor, part.data(), part.size())) > 0;)
      all.append(part.data(), static_cast<std::size_t>(got));
    return all;
  }
  static void write(const fs::path& path, std::string_view text) {
    AtomicFile file(path);
    file.append(text);
    file.commit();
  }
  std::string text() const { return text_of(path()); }
  fs::path path() const { return folder_ / "file"; }
  auto entries() const { return std::distance(fs::directory_iterator(folder_), {}); }

  fs::path folder_;
};

TEST_F(AtomicFiles, StandUnderTheirNameOnceTheyAreComplete) {
  {
    AtomicFile file(path());
    file.append("abc");
    file.append("def");
    file.write(std::as_bytes(std::span("X", 1)), 1);
    EXPECT_FALSE(fs::exists(path()));
    file.commit();
  }
  EXPECT_EQ(text(), "aXcdef");
  EXPECT_EQ(entries(), 1);
}

TEST_F(AtomicFiles, LeaveNothingWithoutCommit) {
  { AtomicFile(path()).append("abc"); }
  EXPECT_EQ(entries(), 0);
}

TEST_F(AtomicFiles, ReplaceOrLeaveWhatStandsThere) {
  for (const char* content : {"first", "second"}) {
    AtomicFile file(path());
    file.append(content);
    file.commit_unless_there();
  }
  EXPECT_EQ(text(), "first");
  {
    AtomicFile file(path());
    file.append("third");
    file.commit();
  }
  EXPECT_EQ(text(), "third");
  EXPECT_EQ(entries(), 1);
}

// The rows of a report on /dev/stdout: what is there is written to, and stays.
TEST_F(AtomicFiles, GoThroughLinksAndLeaveThem) {
  fs::create_directory(folder_ / "there");
  std::ofstream(folder_ / "there/old") << "old";
  fs::create_symlink("there/old", folder_ / "link");
  fs::create_symlink(folder_ / "link", folder_ / "link to it");
  fs::create_symlink("there/new", folder_ / "dangling");
  for (const char* name : {"link", "link to it", "dangling"}) {
    write(folder_ / name, name);
    EXPECT_TRUE(fs::is_symlink(folder_ / name)) << name;
    EXPECT_EQ(text_of(folder_ / name), name);
  }
  EXPECT_EQ(text_of(folder_ / "there/old"), "link to it");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_ / "there"), {}), 2) << "no other file";
  EXPECT_EQ(entries(), 4);
  fs::create_symlink("loop", folder_ / "loop");
  EXPECT_THROW(write(folder_ / "loop", "text"), Error);
}

TEST_F(AtomicFiles, AreBytesForAPipeASocketAndADescriptor) {
  const std::string all(1 << 20, 'x');  // more than any of them holds
  ASSERT_EQ(::mkfifo((folder_ / "fifo").c_str(), 0600), 0);
  auto reader = std::async(std::launch::async, [&] { return text_of(folder_ / "fifo"); });
  write(folder_ / "fifo", all);
  EXPECT_EQ(reader.get(), all);
  EXPECT_TRUE(fs::is_fifo(folder_ / "fifo"));

  const Descriptor listening(::socket(AF_UNIX, SOCK_STREAM, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  (folder_ / "socket").string().copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(listening.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(listening.get(), 1), 0);
  reader = std::async(std::launch::async, [&] {
    const Descriptor peer(::accept(listening.get(), nullptr, nullptr));
    return rest_of(peer.get());
  });
  write(folder_ / "socket", all);
  EXPECT_EQ(reader.get(), all);
  EXPECT_TRUE(fs::is_socket(folder_ / "socket"));

  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  ASSERT_EQ(::fcntl(pipe[1], F_SETFL, O_NONBLOCK), 0);
  fs::create_symlink("/proc/self/fd/" + std::to_string(pipe[1]), folder_ / "out");
  reader = std::async(std::launch::async, [&] { return rest_of(pipe[0]); });
  write(folder_ / "out", all);
  ::close(pipe[1]);
  EXPECT_EQ(reader.get(), all);
  ::close(pipe[0]);
  EXPECT_TRUE(fs::is_symlink(folder_ / "out"));
  EXPECT_EQ(entries(), 3);
}

// A file that is a descriptor of ours continues where it is: rows stand between other output.
TEST_F(AtomicFiles, ContinueTheFileOfADescriptor) {
  const Descriptor file(::open(path().c_str(), O_WRONLY | O_CREAT, 0600));
  ASSERT_EQ(::write(file.get(), "before ", 7), 7);
  write("/dev/fd/" + std::to_string(file.get()), "rows ");
  ASSERT_EQ(::write(file.get(), "behind", 6), 6);
  EXPECT_EQ(text(), "before rows behind");
}

TEST_F(AtomicFiles, StayDevices) {
  for (const auto& [name, minor] : {std::pair{"null", 3}, std::pair{"full", 7}}) {
    if (::mknod((folder_ / name).c_str(), S_IFCHR | 0666, ::makedev(1, minor)) != 0)
      GTEST_SKIP() << "no device can be made here";
  }
  write(folder_ / "null", "text");
  try {
    write(folder_ / "full", "text");
    FAIL() << "it took the text";
  } catch (const Error& error) {
    EXPECT_EQ(error.record().exit_code, ExitCode::kIo);
    EXPECT_NE(error.record().what.find("No space left"), std::string::npos);
  }
  EXPECT_TRUE(fs::is_character_file(folder_ / "null"));
  EXPECT_TRUE(fs::is_character_file(folder_ / "full"));
  EXPECT_EQ(entries(), 2);
}

TEST_F(AtomicFiles, FollowNoLinkThatHasTheTemporaryName) {
  std::ofstream(folder_ / "mine") << "mine";
  fs::create_symlink("mine", path().string() + ".tmp");
  AtomicFile file(path(), path().string() + ".tmp");
  file.append("text");
  file.commit();
  EXPECT_EQ(text_of(folder_ / "mine"), "mine");
  EXPECT_EQ(text(), "text");
  write(folder_ / std::string(250, 'n'), "a long name");
  EXPECT_EQ(entries(), 3);
}

TEST_F(AtomicFiles, AreTheSameHoweverTheyAreNamed) {
  std::ofstream(path()) << "text";
  fs::create_hard_link(path(), folder_ / "hard");
  fs::create_symlink("file", folder_ / "soft");
  std::ofstream(folder_ / "other") << "text";
  for (const char* name : {"file", "./file", "hard", "soft"})
    EXPECT_TRUE(is_same_file(path(), folder_ / name)) << name;
  for (const char* name : {"other", "none", ""})
    EXPECT_FALSE(is_same_file(path(), folder_ / name)) << name;
}

TEST_F(AtomicFiles, SayWhatFailed) {
  try {
    AtomicFile file(folder_ / "none" / "file");
    FAIL() << "made a file in no folder";
  } catch (const Error& error) {
    EXPECT_EQ(error.record().exit_code, ExitCode::kCannotCreateOutput);
    EXPECT_NE(error.record().what.find("none/file.tmp-"), std::string::npos);
  }
  const auto record = file_failure("write", "/x", ENOSPC).record();
  EXPECT_EQ(record.exit_code, ExitCode::kIo);
  EXPECT_EQ(record.what, "cannot write /x: No space left on device");
  EXPECT_EQ(record.hint, "free space there, or choose another place");
  EXPECT_NE(file_failure("write", "/x", EFBIG).record().hint.find("ulimit -f"), std::string::npos);
}

}  // namespace
}  // namespace scalemark
