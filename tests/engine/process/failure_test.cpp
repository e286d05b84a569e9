#include <ATen/ops/empty.h>
#include <gtest/gtest.h>

#include <exception>
#include <functional>
#include <stdexcept>
#include <torch/csrc/distributed/c10d/HashStore.hpp>

#include "engine/process/failure_reporter.h"

namespace scalemark::process {
namespace {

ErrorRecord record_of_throwing(const std::function<void()>& action) {
  try {
    action();
  } catch (...) {
    return record_of(std::current_exception(), nullptr);
  }
  throw std::logic_error("nothing was thrown");
}

TEST(RecordOf, OurOwnErrorsStayAsTheyAre) {
  const auto record = record_of_throwing([] { throw bad_data("a.jpg is truncated"); });
  EXPECT_EQ(record.exit_code, ExitCode::kBadData);
  EXPECT_EQ(record.what, "a.jpg is truncated");
}

TEST(RecordOf, RefusedMemoryIsEightyWhoeverRefusesIt) {
  EXPECT_EQ(record_of_throwing([] { throw std::bad_alloc(); }).exit_code, ExitCode::kOutOfMemory);
  const auto torch = record_of_throwing([] { at::empty({1LL << 60}); });
  EXPECT_EQ(torch.exit_code, ExitCode::kOutOfMemory) << torch.what;
  EXPECT_EQ(torch.what.find('\n'), std::string::npos) << "one line, without torch's stack trace";
}

TEST(RecordOf, WithoutABoardALostPeerIsThat) {
  const auto record = record_of_throwing([] {
    throw std::runtime_error("[gloo/transport/tcp/pair.cc:534] Connection closed by peer");
  });
  EXPECT_EQ(record.code, "E_PEER_LOST");
}

TEST(RecordOf, AnOnlyRankHasNoPeerToLose) {
  distributed::ErrorStore alone(c10::make_intrusive<c10d::HashStore>(), 0, 1, true);
  const std::runtime_error failed(
      "[gloo/transport/tcp/device.cc:84] ifa != nullptr. Unable to find address for: lo");
  const ErrorRecord record = record_of(std::make_exception_ptr(failed), &alone);
  EXPECT_EQ(record.exit_code, ExitCode::kSystem);
  EXPECT_NE(record.what.find("Unable to find address for: lo"), std::string::npos) << record.what;
}

TEST(RecordOf, EverythingElseIsABug) {
  EXPECT_EQ(record_of_throwing([] { throw std::logic_error("oops"); }).exit_code, ExitCode::kBug);
  EXPECT_EQ(record_of_throwing([] { throw 7; }).exit_code, ExitCode::kBug);
}

}  // namespace
}  // namespace scalemark::process
