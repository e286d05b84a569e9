#include "engine/train/checkpoints.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/durations.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/wire.h"
#include "engine/device/digest.h"
#include "engine/step/strategy.h"
#include "engine/train/other_ranks.h"
#include "report/record/rank_fields.h"
#include "report/record/report.h"
#include "workloads/weights/weights.h"

namespace scalemark::running {
namespace {

namespace fs = std::filesystem;

// The program may be another version, which is noted; what it computes with may not be.
std::vector<std::string> differences(const FoundCheckpoint& found, Sameness now,
                                     const std::function<void(const std::string&)>& note) {
  auto before = found.manifest.same;
  const std::string was = value_at(before, "program", "unknown"),
                    is = value_at(now, "program", "unknown");
  if (was != is) {
    note("the checkpoint " + found.folder.string() + " was written by scalemark " + was +
         ", this is " + is + ": what follows may be rounded otherwise");
  }
  for (auto* same : {&before, &now}) {
    std::erase_if(*same, [](const auto& entry) {
      return entry.first == "program" || entry.first.starts_with("library scalemark");
    });
  }
  return reporting::differences(before, now);
}

// Refuses a number of ranks for which the checkpoint does not say which samples are left.
void refuse_unknown_samples(const FoundCheckpoint& found, int ranks) {
  const auto& manifest = found.manifest;
  const bool skips = value_at(manifest.same, "on_bad_sample") == "\"skip\"";
  if (std::ssize(manifest.files) == ranks) return;
  if (manifest.dealt && (!skips || *manifest.dealt == 0)) return;
  throw configuration("--resume of " + found.folder.string() + " with " + counted(ranks, "rank") +
                          ": it does not say which samples are left" +
                          (skips ? ", as bad ones may have been skipped" : ""),
                      "the number of ranks that wrote it, " + std::to_string(manifest.files.size()),
                      skips ? "use as many until the epoch is over, or --on-bad-sample fail"
                            : "use as many until the next checkpoint, which says it");
}

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

std::optional<FoundCheckpoint> checkpoint_to_resume(CheckpointOptions& options, std::int64_t before,
                                                    int ranks) {
  // Foreign checkpoints are refused at the start, and not only when a checkpoint is due.
  if (options.every) refuse_foreign_checkpoints(options.folder);
  if (!options.resume) return std::nullopt;
  auto found = newest_checkpoint(options.folder, before, options.note);
  if (!found) {
    refuse_unreadable(options.folder);  // a training from the start would replace them
    return std::nullopt;
  }
  options.same = as_on_other_ranks(found->manifest.same, std::move(options.same));
  const auto different = differences(*found, options.same, options.note);
  if (!different.empty()) {
    throw configuration("--resume: " + joined(different, "; "),
                        "the settings, data, libraries and kind of machine of the checkpoint " +
                            found->folder.string(),
                        "give what it was, or choose another --output");
  }
  refuse_unknown_samples(*found, ranks);
  return found;
}

std::optional<Checkpoints::Found> Checkpoints::found_by_rank_0(std::int64_t before) {
  if (control_.rank() != 0) return std::nullopt;
  const auto found = checkpoint_to_resume(options_, before, control_.world_size());
  if (!found) return std::nullopt;
  return Found(fs::absolute(found->folder).string(), found->manifest);
}

// Whether a rank could not read its files, of which `mine` says why; empty: this one could.
bool Checkpoints::is_damaged(const fs::path& folder, const std::string& mine) {
  const auto all = control_.gather(mine);
  const auto first = std::ranges::find_if(all, [](const auto& damage) { return !damage.empty(); });
  if (first != all.end()) options_.note(skipped_as_damaged(folder, *first));
  return !control_.broadcast(first == all.end() ? "" : *first).empty();
}

std::optional<reporting::CheckpointManifest> Checkpoints::restore(const RunState& state) {
  std::int64_t before = std::numeric_limits<std::int64_t>::max();
  while (const auto found = from_wire<std::optional<Found>>(
             control_.broadcast(to_wire(found_by_rank_0(before))))) {
    const FoundCheckpoint from{found->first, found->second};
    workloads::NamedTensors kept;
    std::string damage;
    try {
      kept = std::ssize(from.manifest.files) == control_.world_size()
                 ? read_state(from, control_.rank())
                 : state_of_other_ranks(from, control_.rank(), copy_of(state));
    } catch (const Error& error) {
      damage = error.record().what;
    }
    before = from.manifest.step;
    if (is_damaged(from.folder, damage)) continue;
    put_back(kept, state, (from.folder / file_of_rank(control_.rank())).string());
    resumed_ = from.manifest.resumed;
    last_step_ = from.manifest.step;
    resumed_.push_back({.step = from.manifest.step, .at = reporting::utc_now()});
    return from.manifest;
  }
  return std::nullopt;
}

Stretch Checkpoints::next_stretch(std::int64_t done, std::int64_t left, double step_s) {
  if (!options_.every) return {.steps = left};
  if (options_.every->steps) return stretch_by_steps(done, left, *options_.every->steps);
  const Stretch mine =
      stretch_by_time(*options_.every->seconds - seconds_since(written_), step_s, left);
  return from_wire<Stretch>(control_.broadcast(to_wire(mine)));
}

// Erases what equals rank 0's bit by bit, which rank 0 writes.
void Checkpoints::leave_to_rank_0(workloads::NamedTensors& state) {
  if (control_.world_size() == 1) return;
  std::map<std::string, std::string> digests;
  for (const auto& [name, tensor] : state) digests[name] = device::digest_of(tensor);
  const bool leads = control_.rank() == 0;
  const auto of_rank_0 =
      from_wire<decltype(digests)>(control_.broadcast(leads ? to_wire(digests) : ""));
  if (leads) return;
  std::erase_if(state, [&](const auto& entry) {
    const auto same = of_rank_0.find(entry.first);
    return same != of_rank_0.end() && same->second == digests.at(entry.first);
  });
}

void Checkpoints::write(const RunState& state, const std::vector<reporting::Evaluation>& evaluation,
                        std::int64_t dealt) {
  const auto start = std::chrono::steady_clock::now();
  const std::int64_t step = state.step.steps_done();
  const bool leads = control_.rank() == 0;
  const fs::path folder = control_.broadcast(
      leads ? fs::absolute(begin_checkpoint(options_.folder, step)).string() : "");
  const fs::path file = folder / file_of_rank(control_.rank());
  state.step.strategy().share_statistics();
  workloads::NamedTensors mine = copy_of(state);
  leave_to_rank_0(mine);
  workloads::require_finite(mine, "model.");
  workloads::write_safetensors(file, mine);
  auto described = distributed::gathered(control_, describe_file(file));
  if (leads) {
    reporting::CheckpointManifest manifest{.step = step,
                                           .same = options_.same,
                                           .evaluation = evaluation,
                                           .resumed = resumed_,
                                           .dealt = dealt,
                                           .files = std::move(described)};
    finish_checkpoint(folder, manifest, options_.keep);
  }
  written_ = std::chrono::steady_clock::now();
  last_step_ = step;
  last_took_s_ = seconds_since(start);
}

std::string Checkpoints::write_before_end(const RunState& state,
                                          const std::vector<reporting::Evaluation>& evaluation,
                                          std::int64_t dealt, double left_s) {
  if (!options_.every) return {};
  const std::string took = control_.broadcast(settings::to_text(last_took_s_));
  if (settings::parse_number(took).value_or(0) > left_s) {
    return "no checkpoint of the end was written: the last one took " + took +
           " s; --resume goes on from that, of step " + std::to_string(last_step_.value_or(0));
  }
  const std::int64_t step = state.step.steps_done();
  if (last_step_ != step) write(state, evaluation, dealt);
  return "--resume goes on from step " + std::to_string(step) + ", whose checkpoint was written";
}

}  // namespace scalemark::running
