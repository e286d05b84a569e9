// The checkpoints of one training, over all its ranks: when one is due, who writes what, and how a
// training resumes from the last one. trainer.h defines the state of a training.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/settings/value.h"
#include "engine/distributed/control_group.h"
#include "engine/train/checkpoint_files.h"
#include "engine/train/trainer.h"

namespace scalemark::running {

struct CheckpointOptions {
  std::filesystem::path folder;                // rank 0's value counts
  std::optional<settings::StepsOrTime> every;  // empty: no checkpoints are written
  std::int64_t keep = 2;
  bool resume = false;
  // Rank 0: what must be equal in the checkpoint, but for what as_on_other_ranks() allows.
  std::map<std::string, std::string> same;
  std::function<void(const std::string&)> note;
};

// The steps until the next decision, and whether a checkpoint follows them.
struct Stretch {
  std::int64_t steps = 0;
  bool checkpoint = false;
};
template <class A>
constexpr void fields(A& a, typename A::template Field<Stretch>& s) {
  a.values(s.steps, s.checkpoint);
}

// Pure. `done`: steps so far; `left`: steps left in this epoch, the most that it returns.
Stretch stretch_by_steps(std::int64_t done, std::int64_t left, std::int64_t every);
// `step_s` 0: unknown, so one step is run to measure it.
Stretch stretch_by_time(double seconds_left, double step_s, std::int64_t left);

// For rank 0: returns the newest checkpoint before step `before`, from which `ranks` ranks go on;
// absent: there is none, or a resume is not wanted. In `options.same` what may differ becomes what
// it was. Throws cannot_create() (73), bad_data() (65) where none can be read, configuration() (78)
// where it belongs to another training.
std::optional<FoundCheckpoint> checkpoint_to_resume(CheckpointOptions& options, std::int64_t before,
                                                    int ranks);

class Checkpoints {
 public:
  Checkpoints(CheckpointOptions options, distributed::ControlGroup& control);

  // Collective. Restores `state` from the last whole checkpoint; absent: there is none, or a resume
  // was not wanted. Throws configuration() (78) on rank 0 when the checkpoint belongs to another
  // training.
  std::optional<reporting::CheckpointManifest> restore(const RunState& state);

  // Collective when checkpoints are written by time.
  Stretch next_stretch(std::int64_t done, std::int64_t left, double step_s);

  // Collective; call it between two steps. `dealt`: CheckpointManifest.
  void write(const RunState& state, const std::vector<reporting::Evaluation>& evaluation,
             std::int64_t dealt);

  // Collective; for ranks that were asked to end and stand before the same step. Returns what of
  // the training is kept, for people. Writes nothing where the last checkpoint took longer than
  // `left_s`; empty, with nothing written, where none are wanted.
  std::string write_before_end(const RunState& state,
                               const std::vector<reporting::Evaluation>& evaluation,
                               std::int64_t dealt, double left_s);

  // Returns where sessions resumed, this one included.
  const std::vector<reporting::Resumption>& resumed() const { return resumed_; }

 private:
  using Found = std::pair<std::string, reporting::CheckpointManifest>;  // its folder and manifest
  std::optional<Found> found_by_rank_0(std::int64_t before);
  bool is_damaged(const std::filesystem::path& folder, const std::string& mine);
  void leave_to_rank_0(workloads::NamedTensors& state);

  CheckpointOptions options_;
  distributed::ControlGroup& control_;
  std::vector<reporting::Resumption> resumed_;
  std::chrono::steady_clock::time_point written_ = std::chrono::steady_clock::now();
  std::optional<std::int64_t> last_step_;  // this session wrote its last checkpoint there
  double last_took_s_ = 0;
};

}  // namespace scalemark::running
