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

// In the folder step-N/ holds one safetensors file per rank and, written last, checkpoint.json with
// their checksums. The functions before CheckpointOptions know only files: no agreement between
// ranks, no meaning of the tensors.

struct FoundCheckpoint {
  std::filesystem::path folder;
  reporting::CheckpointManifest manifest;
};

// The newest of `checkpoints` whose files are all there with their checksums; `note` gets a
// sentence about each newer one that is torn. Absent: there is none.
std::optional<FoundCheckpoint> newest_whole_checkpoint(
    const std::filesystem::path& checkpoints, const std::function<void(const std::string&)>& note);

// Throws cannot_create() (73) where a folder with the name of a checkpoint is somebody else's.
void refuse_foreign_checkpoints(const std::filesystem::path& checkpoints);

// An empty folder to write the checkpoint of `step` into. Throws cannot_create() (73).
std::filesystem::path begin_checkpoint(const std::filesystem::path& checkpoints, std::int64_t step);

// Gives the folder of begin_checkpoint() its name, with the manifest in it: whole or not there.
// Then removes all but the newest `keep`, and what torn writes left. Throws io_error() (74).
void finish_checkpoint(const std::filesystem::path& unfinished,
                       const reporting::CheckpointManifest& manifest, std::int64_t keep);

std::string file_of_rank(int rank);

// Name, size and checksum as they stand on the disk. Throws io_error() (74).
reporting::CheckpointFile describe_file(const std::filesystem::path& file);

struct CheckpointOptions {
  std::filesystem::path folder;                // rank 0's value is used
  std::optional<settings::StepsOrTime> every;  // empty: none are written
  std::int64_t keep = 2;
  bool resume = false;
  std::map<std::string, std::string> same;  // rank 0: must be the same as in the checkpoint
  std::function<void(const std::string&)> note;
};

// Steps to run until the next look, and whether a checkpoint follows them.
struct Stretch {
  std::int64_t steps = 0;
  bool checkpoint = false;
};
template <class A>
constexpr void fields(A& a, typename A::template Field<Stretch>& s) {
  a.values(s.steps, s.checkpoint);
}

// Pure. `done`: steps so far; `left`: of this epoch. At most `left` steps.
Stretch stretch_by_steps(std::int64_t done, std::int64_t left, std::int64_t every);
// `step_s`: 0 where it is unknown, then one step is run to measure it.
Stretch stretch_by_time(double seconds_left, double step_s, std::int64_t left);

class Checkpoints {
 public:
  Checkpoints(CheckpointOptions options, distributed::ControlGroup& control);

  // Collective. Puts the last whole checkpoint into `state`; absent: there is none, or nobody asked
  // to resume. Throws configuration() (78) on rank 0 when it is one of another training.
  std::optional<reporting::CheckpointManifest> restore(const RunState& state);

  // Collective when checkpoints are written by time.
  Stretch next_stretch(std::int64_t done, std::int64_t left, double step_s);

  // Collective; between two steps.
  void write(const RunState& state, const std::vector<reporting::Evaluation>& evaluation);

  // Where sessions resumed, this one included.
  const std::vector<reporting::Resumption>& resumed() const { return resumed_; }

 private:
  using Found = std::pair<std::string, reporting::CheckpointManifest>;  // and its folder
  std::optional<Found> found_by_rank_0();

  CheckpointOptions options_;
  distributed::ControlGroup& control_;
  std::vector<reporting::Resumption> resumed_;
  std::chrono::steady_clock::time_point written_ = std::chrono::steady_clock::now();
};

}  // namespace scalemark::running
