#include "engine/cuda/nccl_defaults.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace scalemark::cuda {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "(none)" : value;
}

TEST(NcclDefaults, AreSetUnlessTheUserHasSetThem) {
  for (const auto& [name, value] : kNcclDefaults) unsetenv(name);
  setenv("TORCH_NCCL_DUMP_ON_TIMEOUT", "1", 1);
  setenv("TORCH_NCCL_PROPAGATE_ERROR", "", 1);
  set_nccl_defaults();
  EXPECT_EQ(variable("TORCH_NCCL_ASYNC_ERROR_HANDLING"), "0");
  EXPECT_EQ(variable("TORCH_NCCL_ENABLE_MONITORING"), "0");
  EXPECT_EQ(variable("TORCH_NCCL_WAIT_TIMEOUT_DUMP_MILSEC"), "0");
  EXPECT_EQ(variable("TORCH_NCCL_DUMP_ON_TIMEOUT"), "1");
  EXPECT_EQ(variable("TORCH_NCCL_PROPAGATE_ERROR"), "");
}

// The user and torch decide what is recorded for a trace, and where it goes.
TEST(NcclDefaults, LeaveTheFlightRecorderAlone) {
  for (const auto& [name, value] : kNcclDefaults) {
    EXPECT_EQ(std::string(name).find("TRACE"), std::string::npos) << name;
    EXPECT_EQ(std::string(name).find("DEBUG_INFO"), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace scalemark::cuda
