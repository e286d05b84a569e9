// A sweep's tasks as this process does them: a group, a training, a look at the machine.
#pragma once

#include <memory>
#include <string>

#include "engine/distributed/recording_store.h"
#include "engine/process/health.h"
#include "engine/process/rank_group.h"
#include "engine/process/rank_process.h"
#include "engine/sweeping/dataset_cache.h"
#include "engine/sweeping/fingerprint_member.h"
#include "engine/sweeping/sweep_member.h"

namespace scalemark::sweeping {

class TrainingMember : public SweepMember {
 public:
  // Collective over the session: refuses ranks that share a GPU when some point is to use NCCL.
  TrainingMember(process::RankProcess& rank_process, process::RankContext& context,
                 process::RankLink& ranks, const DatasetCache& datasets,
                 const planning::Plan& plan);
  ~TrainingMember() override;

  bool data_holds_batch(const planning::Task& task) const override;
  // 0.3 s.
  std::string read_machine() override;
  std::string read_health() override { return health_.look(); }
  std::string fingerprint(const SweepCommand& command) override {
    return fingerprint_.answer(command);
  }

 protected:
  RankResult train(std::int64_t number, const planning::Task& task, TaskOutcome& outcome) override;
  void drop() noexcept override;
  void give_back() override;

 private:
  void save_raw_steps(const planning::Task& task, running::PointOutcome& measured);

  process::RankProcess& rank_process_;
  process::RankContext& context_;
  distributed::WorkQueue& queue_;
  const DatasetCache& datasets_;
  const planning::Plan& plan_;
  FingerprintMember fingerprint_;
  process::HealthWatch health_;
  c10::intrusive_ptr<distributed::RecordingStore> loop_keys_;
  std::unique_ptr<process::RankGroup> rank_group_;
};

}  // namespace scalemark::sweeping
