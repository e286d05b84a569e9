// InfiniBand and RoCE ports as the kernel shows them, and what a process needs beside them to use
// them. Reads files of Linux; opens no device.
#pragma once

#include <filesystem>
#include <vector>

#include "core/monitoring/host.h"

namespace scalemark::monitoring {

struct RdmaSurvey {
  std::vector<RdmaPort> ports;  // by device, then port
  int verbs_devices = 0;        // /dev/infiniband/uverbs*: a container may lack them
  bool peer_memory = false;     // the kernel module nvidia_peermem (formerly nv_peer_mem) is loaded
};

// Values that cannot be read are absent or empty; it never throws for that. `root` is put before
// every path (tests).
RdmaSurvey survey_rdma(const std::filesystem::path& root = "/");

}  // namespace scalemark::monitoring
