// One rank's part in the fingerprint of a sweep's machines: it measures what rank 0 asks for. Knows
// neither the order of measurements nor the report.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/plan/plan.h"
#include "engine/fingerprint/machine.h"
#include "engine/process/nccl_log.h"
#include "engine/process/rank_group.h"
#include "engine/process/rank_process.h"
#include "engine/sweep/dataset_cache.h"
#include "engine/sweep/sweep_messages.h"
#include "report/record/records.h"

namespace scalemark::sweeping {

class FingerprintMember {
 public:
  FingerprintMember(process::RankProcess& rank_process, process::RankContext& context,
                    const DatasetCache& datasets, const planning::Plan& plan,
                    process::NcclLog& nccl_log)
      : rank_process_(rank_process),
        context_(context),
        datasets_(datasets),
        plan_(plan),
        nccl_log_(nccl_log) {}

  // Returns this rank's FingerprintAnswer, as bytes. kMachine: a machine's first rank measures it;
  // the others wait and have no records. kDevices, kSustained, kReplay: each rank measures its own
  // device, or nothing where only another rank is asked. kExchange: collective over all ranks; rank
  // 0 has the record. kNode: collective over the ranks of each node, whose first one has the
  // records, and each of them what NCCL chose. Throws what a collective throws.
  std::string answer(const SweepCommand& command);

  // Releases the group of all ranks. Call it once every rank has answered.
  void release();

 private:
  fingerprint::MachineOptions options(double seconds);
  std::vector<reporting::FingerprintRecord> measure_machine();
  // Runs `measure` while the sampler reads the machine; adds the rank to the records.
  FingerprintAnswer watched(const SweepCommand& command,
                            const std::function<FingerprintAnswer()>& measure);
  FingerprintAnswer measure_own(FingerprintPart part);
  std::vector<reporting::ReplayRecord> replay();
  reporting::ReplayRecord replay_training(const planning::PlannedPoint& point,
                                          const std::function<bool()>& continues);
  reporting::FingerprintRecord without_exchange(const std::string& reason) const;
  reporting::FingerprintRecord measure_exchange();
  FingerprintAnswer measure_node();
  // Runs `measure` on rank_group_, which it opens over `members`.
  void with_group(const std::string& name, const std::vector<int>& members,
                  const std::string& backend, const std::function<void()>& measure);

  process::RankProcess& rank_process_;
  process::RankContext& context_;
  const DatasetCache& datasets_;
  const planning::Plan& plan_;
  process::NcclLog& nccl_log_;
  std::unique_ptr<process::RankGroup> rank_group_;
};

}  // namespace scalemark::sweeping
