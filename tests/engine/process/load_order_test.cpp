// torch's first answer to "is there CUDA?" holds for the life of the process. Each case therefore
// runs in a process of its own (a death test), and none needs a driver.
#include <ATen/Context.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>

#include "core/base/error.h"
#include "engine/device/cuda_plugin.h"
#include "engine/process/run_request.h"

namespace scalemark::process {
namespace {

ProcessSettings settings_for(settings::DeviceKind device) {
  ProcessSettings settings;
  settings.device = device;
  settings.general.torch = SCALEMARK_TORCH_DIR;
  return settings;
}

[[noreturn]] void end_with_torchs_answer() {
  const bool cuda = at::detail::getCUDAHooks().compiledWithCuDNN();
  std::fprintf(stderr, "torch has %s\n", cuda ? "CUDA" : "no CUDA");
  std::exit(0);
}

[[noreturn]] void end_with_error_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", format_error_line(error.record()).c_str());
    std::exit(static_cast<int>(error.record().exit_code));
  }
  std::exit(0);
}

class LoadOrder : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(SCALEMARK_TORCH_DIR "/lib/libtorch_cuda.so")) {
      GTEST_SKIP() << "the torch wheel has no CUDA libraries";
    }
    GTEST_FLAG_SET(death_test_style, "threadsafe");  // a fresh process, no fork of this one
  }
};

TEST_F(LoadOrder, AProcessForAGpuHasTorchsCudaLibrariesWhenItIsSetUp) {
  EXPECT_EXIT(
      {
        set_up_process(settings_for(settings::DeviceKind::kCuda));
        end_with_torchs_answer();
      },
      ::testing::ExitedWithCode(0), "torch has CUDA");
}

TEST_F(LoadOrder, SettingUpAsksTorchNothing) {
  EXPECT_EXIT(
      {
        set_up_process(settings_for(settings::DeviceKind::kCpu));
        device::load_torch_cuda(SCALEMARK_TORCH_DIR);
        end_with_torchs_answer();
      },
      ::testing::ExitedWithCode(0), "torch has CUDA");
}

TEST_F(LoadOrder, AQuestionBeforeTheLibrariesIsReportedAsABug) {
  EXPECT_EXIT(
      {
        at::manual_seed(1);  // asks for an accelerator
        end_with_error_of([] { set_up_process(settings_for(settings::DeviceKind::kCuda)); });
      },
      ::testing::ExitedWithCode(70), "E_BUG.*before torch's CUDA libraries were loaded");
}

TEST_F(LoadOrder, AProcessForACpuDoesWithoutThem) {
  EXPECT_EXIT(
      {
        set_up_process(settings_for(settings::DeviceKind::kCpu));
        end_with_torchs_answer();
      },
      ::testing::ExitedWithCode(0), "torch has no CUDA");
}

TEST_F(LoadOrder, AWheelWithoutThemIsNamed) {
  auto settings = settings_for(settings::DeviceKind::kCuda);
  settings.general.torch = "/nowhere";
  EXPECT_EXIT(end_with_error_of([&] { set_up_process(settings); }), ::testing::ExitedWithCode(71),
              "/nowhere/lib/libc10_cuda.so");
}

}  // namespace
}  // namespace scalemark::process
