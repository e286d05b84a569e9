#include "engine/running/checkpoints.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "core/base/durations.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/wire.h"
#include "core/reporting/record/rank_fields.h"
#include "core/reporting/record/report.h"
#include "engine/running/checkpoint_files.h"
#include "workloads/safetensors.h"
#include "workloads/weights.h"

namespace scalemark::running {
namespace {

namespace fs = std::filesystem;

}  // namespace

Stretch stretch_by_steps(std::int64_t done, std::int64_t left, std::int64_t every) {
  const std::int64_t to_next = every - done % every;
  return {.steps = std::min(left, to_next), .checkpoint = to_next <= left};
}

Stretch stretch_by_time(double seconds_left, double step_s, std::int64_t left) {
  if (!(step_s > 0)) return {.steps = std::min<std::int64_t>(left, 1)};
  const double to_next = std::max(1.0, std::ceil(seconds_left / step_s));
  if (to_next > static_cast<double>(left)) return {.steps = left};
  return {.steps = static_cast<std::int64_t>(to_next), .checkpoint = true};
}

Checkpoints::Checkpoints(CheckpointOptions options, distributed::ControlGroup& control)
    : options_(std::move(options)), control_(control) {}

std::optional<Checkpoints::Found> Checkpoints::found_by_rank_0() {
  if (control_.rank() != 0) return std::nullopt;
  if (options_.every) refuse_foreign_checkpoints(options_.folder);  // not only when its step comes
  if (!options_.resume) return std::nullopt;
  const auto found = newest_whole_checkpoint(options_.folder, options_.note);
  if (!found) return std::nullopt;
  const auto different = reporting::differences(found->manifest.same, options_.same);
  if (!different.empty()) {
    throw configuration("--resume: " + joined(different, "; "),
                        "the settings, data, program and kind of machine of the checkpoint " +
                            found->folder.string(),
                        "choose another --output");
  }
  return Found(fs::absolute(found->folder).string(), found->manifest);
}

std::optional<reporting::CheckpointManifest> Checkpoints::restore(const RunState& state) {
  const auto found =
      from_wire<std::optional<Found>>(control_.broadcast(to_wire(found_by_rank_0())));
  if (!found) return std::nullopt;
  const auto& [folder, manifest] = *found;
  const fs::path file = fs::path(folder) / file_of_rank(control_.rank());
  put_back(workloads::read_safetensors(file), state, file.string());
  resumed_ = manifest.resumed;
  resumed_.push_back({.step = manifest.step, .at = reporting::utc_now()});
  return manifest;
}

Stretch Checkpoints::next_stretch(std::int64_t done, std::int64_t left, double step_s) {
  if (!options_.every) return {.steps = left};
  if (options_.every->steps) return stretch_by_steps(done, left, *options_.every->steps);
  const Stretch mine =
      stretch_by_time(*options_.every->seconds - seconds_since(written_), step_s, left);
  return from_wire<Stretch>(control_.broadcast(to_wire(mine)));
}

void Checkpoints::write(const RunState& state,
                        const std::vector<reporting::Evaluation>& evaluation) {
  const std::int64_t step = state.step.steps_done();
  const bool leads = control_.rank() == 0;
  const fs::path folder = control_.broadcast(
      leads ? fs::absolute(begin_checkpoint(options_.folder, step)).string() : "");
  const fs::path file = folder / file_of_rank(control_.rank());
  const workloads::NamedTensors all = copy_of(state);
  workloads::require_finite(all, "model.");
  workloads::write_safetensors(file, all);
  const auto described = control_.gather(to_wire(describe_file(file)));
  if (leads) {
    reporting::CheckpointManifest manifest{.step = step,
                                           .same = options_.same,
                                           .evaluation = evaluation,
                                           .resumed = resumed_,
                                           .files = {}};
    for (const std::string& bytes : described) {
      manifest.files.push_back(from_wire<reporting::CheckpointFile>(bytes));
    }
    finish_checkpoint(folder, manifest, options_.keep);
  }
  written_ = std::chrono::steady_clock::now();
}

}  // namespace scalemark::running
