// Turns off what torch's NCCL backend does by itself when a collective fails, unless the user wants
// it: this program handles the failure, and its watchdog ends a hang.
#pragma once

#include <array>

namespace scalemark::cuda {

struct EnvironmentDefault {
  const char* name;
  const char* value;
};

inline constexpr std::array<EnvironmentDefault, 5> kNcclDefaults{{
    // Else torch's watchdog thread throws on a lost peer, which ends the process.
    {"TORCH_NCCL_ASYNC_ERROR_HANDLING", "0"},
    // Else torch's monitor thread ends the process after 8 minutes of an abort that hangs.
    {"TORCH_NCCL_ENABLE_MONITORING", "0"},
    // Else one rank's error makes every rank write a trace and stop watching.
    {"TORCH_NCCL_DUMP_ON_TIMEOUT", "0"},
    {"TORCH_NCCL_PROPAGATE_ERROR", "0"},
    // Else torch's watchdog sleeps for a minute at the first error, and a group cannot be dropped.
    {"TORCH_NCCL_WAIT_TIMEOUT_DUMP_MILSEC", "0"},
}};

// Sets the variables that the environment lacks. Call it before the first group.
void set_nccl_defaults();

}  // namespace scalemark::cuda
