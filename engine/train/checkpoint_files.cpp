#include "engine/train/checkpoint_files.h"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <vector>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/settings/value.h"
#include "data/hash128.h"
#include "report/keep/disk.h"
#include "report/keep/output_folder.h"

namespace scalemark::running {
namespace {

namespace fs = std::filesystem;

using reporting::CheckpointFile, reporting::kCheckpointPrefix, reporting::kManifest,
    reporting::kUnfinished;

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

reporting::CheckpointManifest read_manifest(const Place& place) {
  const auto text = reporting::read_if_there(place.folder / kManifest);
  if (!text) throw bad_data(std::string(kManifest) + " is missing");
  auto manifest = reporting::checkpoint_from_json(*text, kManifest);
  if (manifest.step != place.step) throw bad_data(std::string(kManifest) + " is of another step");
  if (manifest.files.empty() || manifest.dealt.value_or(0) < 0) {
    throw bad_data(std::string(kManifest) + " lists no files or fewer than 0 samples");
  }
  return manifest;
}

}  // namespace

std::string skipped_as_damaged(const fs::path& folder, const std::string& why) {
  return "the checkpoint " + folder.string() + " is damaged and was skipped: " + why;
}

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

std::optional<FoundCheckpoint> newest_checkpoint(
    const fs::path& checkpoints, std::int64_t before,
    const std::function<void(const std::string&)>& note) {
  for (const Place& place : places_in(checkpoints)) {
    if (place.step >= before) continue;
    try {
      return FoundCheckpoint{place.folder, read_manifest(place)};
    } catch (const Error& error) {
      note(skipped_as_damaged(place.folder, error.record().what));
    }
  }
  return std::nullopt;
}

void refuse_unreadable(const fs::path& checkpoints) {
  // An interrupted removal leaves a folder without a manifest.
  const auto count = std::ranges::count_if(places_in(checkpoints), [](const Place& place) {
    return fs::exists(place.folder / kManifest);
  });
  if (count == 0) return;
  throw bad_data("--resume: none of the " + counted(count, "checkpoint") + " in " +
                     checkpoints.string() + " can be read, as the notes above say",
                 "one that is whole",
                 "none of them was changed: mend them, or begin afresh with another --output");
}

bool has_its_files(const FoundCheckpoint& found) {
  return std::ranges::all_of(found.manifest.files, [&](const CheckpointFile& file) {
    std::error_code error;
    return fs::file_size(found.folder / file.name, error) ==
           static_cast<std::uintmax_t>(file.bytes);
  });
}

workloads::NamedTensors read_file(const FoundCheckpoint& from, int rank) {
  const std::string name = file_of_rank(rank);
  const auto written = std::ranges::find(from.manifest.files, name, &CheckpointFile::name);
  if (written == from.manifest.files.end()) throw bad_data(name + " is not listed");
  const auto there = describe_file(from.folder / name);
  if (there.bytes != written->bytes || there.xxh3_128 != written->xxh3_128) {
    throw bad_data(name + " is not what was written");
  }
  return workloads::read_safetensors(from.folder / name);
}

workloads::NamedTensors read_state(const FoundCheckpoint& from, int rank) {
  auto state = read_file(from, rank);
  if (rank > 0) state.merge(read_file(from, 0));
  return state;
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

}  // namespace scalemark::running
