// The checkpoints of one training, over all its ranks: when one is due, what its folder holds, and
// how a training resumes from the last one. trainer.h defines the state of a training.
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
#include "engine/distributed/groups.h"
#include "engine/train/trainer.h"
#include "report/keep/checkpoint_manifest.h"

namespace scalemark::running {

// --- The folder step-N/ holds one safetensors file per rank and, written last, checkpoint.json
// with their checksums. The functions before CheckpointOptions handle only files: they know neither
// agreement between ranks nor the meaning of the tensors.

struct FoundCheckpoint {
  std::filesystem::path folder;
  reporting::CheckpointManifest manifest;
};

// Returns the newest of `checkpoints` whose files all exist with their checksums; `note` gets a
// sentence about each newer one that is torn. Absent: there is none.
std::optional<FoundCheckpoint> newest_whole_checkpoint(
    const std::filesystem::path& checkpoints, const std::function<void(const std::string&)>& note);

// Throws cannot_create() (73) where a folder with the name of a checkpoint is somebody else's.
void refuse_foreign_checkpoints(const std::filesystem::path& checkpoints);

// Makes an empty folder for the checkpoint of `step`. Throws cannot_create() (73).
std::filesystem::path begin_checkpoint(const std::filesystem::path& checkpoints, std::int64_t step);

// Renames the folder of begin_checkpoint(), with the manifest in it, so that the checkpoint is
// either whole or missing. Then removes all but the newest `keep`, and the remains of torn writes.
// Throws io_error() (74).
void finish_checkpoint(const std::filesystem::path& unfinished,
                       const reporting::CheckpointManifest& manifest, std::int64_t keep);

std::string file_of_rank(int rank);

// Returns name, size and checksum as they are on the disk. Throws io_error() (74).
reporting::CheckpointFile describe_file(const std::filesystem::path& file);

struct CheckpointOptions {
  std::filesystem::path folder;                // rank 0's value counts
  std::optional<settings::StepsOrTime> every;  // empty: no checkpoints are written
  std::int64_t keep = 2;
  bool resume = false;
  std::map<std::string, std::string> same;  // rank 0: what must be equal in the checkpoint
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

class Checkpoints {
 public:
  Checkpoints(CheckpointOptions options, distributed::ControlGroup& control);

  // Collective. Restores `state` from the last whole checkpoint; absent: there is none, or a resume
  // was not wanted. Throws configuration() (78) on rank 0 when the checkpoint belongs to another
  // training.
  std::optional<reporting::CheckpointManifest> restore(const RunState& state);

  // Collective when checkpoints are written by time.
  Stretch next_stretch(std::int64_t done, std::int64_t left, double step_s);

  // Collective; call it between two steps.
  void write(const RunState& state, const std::vector<reporting::Evaluation>& evaluation);

  // Returns where sessions resumed, this one included.
  const std::vector<reporting::Resumption>& resumed() const { return resumed_; }

 private:
  using Found = std::pair<std::string, reporting::CheckpointManifest>;  // its folder and manifest
  std::optional<Found> found_by_rank_0();

  CheckpointOptions options_;
  distributed::ControlGroup& control_;
  std::vector<reporting::Resumption> resumed_;
  std::chrono::steady_clock::time_point written_ = std::chrono::steady_clock::now();
};

}  // namespace scalemark::running
