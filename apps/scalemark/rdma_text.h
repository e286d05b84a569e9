// The RDMA state of this machine in lines for doctor. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/machine/survey.h"

namespace scalemark::cli {

struct RdmaFacts {
  monitoring::RdmaSurvey survey;
  bool verbs_load = false;  // libibverbs.so.1 can be loaded
  bool gpus = false;        // there are GPUs here
};

// One line per port, then what a process needs to use the ports and which part of that is missing;
// a single line where there is no port.
std::vector<std::string> rdma_lines(const RdmaFacts& facts);

}  // namespace scalemark::cli
