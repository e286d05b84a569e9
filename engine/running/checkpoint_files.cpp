#include "engine/running/checkpoint_files.h"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <utility>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/reporting/output/disk.h"
#include "core/reporting/output/output_folder.h"
#include "core/settings/value.h"
#include "data/hash128.h"

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

// Newest first. Nothing there, and no folder, is an empty list.
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

// Somebody else's step-100 is neither replaced nor mixed with ours.
void refuse_foreign(const fs::path& folder) {
  std::error_code unknown;
  if (!fs::exists(fs::symlink_status(folder, unknown)) || reporting::is_checkpoint(folder)) return;
  throw cannot_create(folder.string() + " is no checkpoint of scalemark",
                      "a name that is free is expected", "choose another --output");
}

// Why the checkpoint in `folder` is not whole; empty: it is.
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
  reporting::remove_checkpoint(finished);  // torn: this session has passed it over
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
