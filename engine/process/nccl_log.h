// Lets NCCL write its log where only this process reads it, and says what NCCL chose.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/atomic_file.h"
#include "core/machine/nccl_log.h"
#include "engine/process/run_report.h"

namespace scalemark::process {

// NCCL reads its variables once per process. Its log goes into memory that the kernel takes back
// with the process, whatever ends it, and costs some hundred lines for each communicator.
class NcclLog {
 public:
  // Asks NCCL for its log. Call it before the first group over NCCL, and after the report has taken
  // the environment. Where the user has set NCCL_DEBUG or a variable like it, by the environment or
  // a file of NCCL's, nothing is changed and nothing will be known.
  void begin();

  // Call it before a group is made whose channels are wanted.
  void skip() { read({}); }
  // Returns what is known once that group's transports have been used, since NCCL connects lazily.
  // `node_of_rank` has the node of each of its ranks, `host` is this rank's.
  monitoring::NcclChoice choice(const std::string& host, std::span<const int> node_of_rank);

 private:
  void read(std::span<const int> node_of_rank);

  Descriptor file_;
  std::int64_t read_bytes_ = 0;
  std::string why_unknown_ = "it was not asked for";
  monitoring::NcclLogReader reader_;
};

// Puts what all ranks know into the report: one row per host, in place of what an earlier session
// knew. On rank 0 only.
void set_nccl(RunReport& report, const std::vector<monitoring::NcclChoice>& of_ranks);

}  // namespace scalemark::process
