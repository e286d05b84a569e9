#include "engine/train/checkpoints.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <utility>

#include "core/base/atomic_file.h"
#include "core/base/durations.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/wire.h"
#include "core/settings/value.h"
#include "data/hash128.h"
#include "report/keep/disk.h"
#include "report/keep/output_folder.h"
#include "report/record/rank_fields.h"
#include "report/record/report.h"
#include "workloads/weights/safetensors.h"
#include "workloads/weights/weights.h"

namespace scalemark::running {
namespace {

namespace fs = std::filesystem;

using reporting::kCheckpointPrefix, reporting::kManifest, reporting::kUnfinished;

constexpr std::size_t kChunkBytes = 1 << 20;

std::string name_of(std::int64_t step) {
  return std::string(kCheckpointPrefix) + std::to_string(step);
}

std::optional<std::int64_t> step_of(const fs::path& folder) {
  const std::string name = folder.filename().string();
  if (!name.starts_with(kCheckpointPrefix)) return std::nullopt;
  return settings::parse_count(std::string_view(name).substr(kCheckpointPrefix.size()));
}

struct Place {
  std::int64_t step = 0;
  fs::path folder;
};

// Returns the newest first. An empty or missing folder gives an empty list.
std::vector<Place> places_in(const fs::path& checkpoints) {
  std::vector<Place> places;
  std::error_code error;
  for (fs::directory_iterator entry(checkpoints, error), end; !error && entry != end;
       entry.increment(error)) {
    if (const auto step = step_of(entry->path())) places.push_back({*step, entry->path()});
  }
  std::ranges::sort(places, std::ranges::greater{}, &Place::step);
  return places;
}

// A step-100 of somebody else's is neither replaced nor mixed with ours.
void refuse_foreign(const fs::path& folder) {
  std::error_code unknown;
  if (!fs::exists(fs::symlink_status(folder, unknown)) || reporting::is_checkpoint(folder)) return;
  throw cannot_create(folder.string() + " is no checkpoint of scalemark",
                      "a name that is free is expected", "choose another --output");
}

// Returns why the checkpoint in `folder` is not whole; empty: it is.
std::string damage_of(const fs::path& folder, const reporting::CheckpointManifest& manifest) {
  for (const reporting::CheckpointFile& file : manifest.files) {
    const auto there = describe_file(folder / file.name);
    if (there.bytes != file.bytes || there.xxh3_128 != file.xxh3_128) {
      return file.name + " is not what was written";
    }
  }
  return manifest.files.empty() ? "it holds no files" : "";
}

reporting::CheckpointManifest read_manifest(const fs::path& folder) {
  const auto text = reporting::read_if_there(folder / kManifest);
  if (!text) throw bad_data(std::string(kManifest) + " is missing");
  return reporting::checkpoint_from_json(*text, kManifest);
}

}  // namespace

std::string file_of_rank(int rank) { return "rank-" + std::to_string(rank) + ".safetensors"; }

reporting::CheckpointFile describe_file(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw reporting::file_failure("read", file, errno);
  data::Hash128 hash;
  std::string chunk(kChunkBytes, '\0');
  std::int64_t bytes = 0;
  while (stream.read(chunk.data(), static_cast<std::streamsize>(chunk.size())),
         stream.gcount() > 0) {
    hash.add(std::string_view(chunk.data(), static_cast<std::size_t>(stream.gcount())));
    bytes += stream.gcount();
  }
  if (stream.bad()) throw reporting::file_failure("read", file, EIO);
  return {
      .name = file.filename().string(), .bytes = bytes, .xxh3_128 = data::to_hex(hash.digest())};
}

std::optional<FoundCheckpoint> newest_whole_checkpoint(
    const fs::path& checkpoints, const std::function<void(const std::string&)>& note) {
  for (const Place& place : places_in(checkpoints)) {
    std::string damage;
    try {
      FoundCheckpoint found{place.folder, read_manifest(place.folder)};
      damage = damage_of(place.folder, found.manifest);
      if (damage.empty()) return found;
    } catch (const Error& error) {
      damage = error.record().what;
    }
    note("the checkpoint " + place.folder.string() + " is damaged and was skipped: " + damage);
  }
  return std::nullopt;
}

void refuse_foreign_checkpoints(const fs::path& checkpoints) {
  for (const Place& place : places_in(checkpoints)) refuse_foreign(place.folder);
}

fs::path begin_checkpoint(const fs::path& checkpoints, std::int64_t step) {
  const fs::path folder = checkpoints / (name_of(step) + std::string(kUnfinished));
  refuse_foreign(folder);
  reporting::remove_checkpoint(folder);
  reporting::make_folder(folder);
  return folder;
}

void finish_checkpoint(const fs::path& unfinished, const reporting::CheckpointManifest& manifest,
                       std::int64_t keep) {
  reporting::write_atomically(unfinished / kManifest, reporting::to_json(manifest));
  const fs::path checkpoints = unfinished.parent_path();
  const fs::path finished = checkpoints / name_of(manifest.step);
  refuse_foreign(finished);
  reporting::remove_checkpoint(finished);  // it is torn, and this session has skipped it
  std::error_code error;
  fs::rename(unfinished, finished, error);
  if (error) throw reporting::file_failure("rename", unfinished, error.value());
  sync_folder(checkpoints, reporting::file_failure);

  auto places = places_in(checkpoints);
  std::erase_if(places, [](const Place& place) { return !reporting::is_checkpoint(place.folder); });
  for (std::size_t i = static_cast<std::size_t>(keep); i < places.size(); ++i) {
    reporting::remove_checkpoint(places[i].folder);
  }
}

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
  // Foreign checkpoints are refused at the start, and not only when a checkpoint is due.
  if (options_.every) refuse_foreign_checkpoints(options_.folder);
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
