#include "data/packed/plan.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>
#include <vector>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/text.h"

namespace scalemark::data::packed {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTreeLine = "tree ";

std::string read_text(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Shows the first line in which two plans differ, theirs and ours.
Error another_plan(const fs::path& folder, const std::string& theirs, const std::string& ours) {
  const auto before = lines_of(theirs), now = lines_of(ours);
  std::size_t i = 0;
  while (i < before.size() && i < now.size() && before[i] == now[i]) ++i;
  const auto line = [&](const std::vector<std::string_view>& lines) {
    return std::string(i < lines.size() ? lines[i] : "nothing");
  };
  const bool same_tree = !line(now).starts_with(kTreeLine);
  return configuration(folder.string() + " was begun with " +
                           (same_tree ? line(before) : "another tree, or files have changed since"),
                       same_tree ? "the same options as then; now: " + line(now)
                                 : "the same tree as then, with the same files",
                       "give those again, choose another folder, or pass --overwrite");
}

// Other programs name their shards like this, too.
bool begins_as_shard(const fs::path& file) {
  const ShardHeader ours;
  char magic[sizeof ours.magic] = {};
  std::ifstream in(file, std::ios::binary);
  in.read(magic, sizeof magic);
  return in.gcount() == 0 || std::memcmp(magic, ours.magic, sizeof magic) == 0;
}

bool made_by_packing(const fs::path& file) {
  const std::string name = file.filename().string();
  const bool is_shard =
      name.ends_with(".shard") && (name.starts_with("train-") || name.starts_with("evaluate-"));
  return name == kIndexName || name == kPlanName || name == kPartName ||
         (is_shard && begins_as_shard(file));
}

void refuse_other_files(const fs::path& folder) {
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (made_by_packing(entry.path())) continue;
    throw cannot_create(entry.path().string() + " was not made by `data pack`",
                        "a folder that is new, empty or holds packed data",
                        "choose another folder");
  }
}

// The index is removed first, as without it nothing looks finished.
void remove_all_packed(const fs::path& folder) {
  fs::remove(folder / kIndexName);
  sync_folder(folder);
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  for (const fs::path& file : files) fs::remove(file);
}

}  // namespace

std::string Plan::text() const {
  return "format " + std::to_string(kVersion) + "\nform " + std::string(name_of(form)) +
         "\nshard size " + std::to_string(shard_bytes) + "\nshorter side " +
         std::to_string(kShorterSide) + "\nquality " + std::to_string(kQuality) + "\nbad samples " +
         (skip_bad_samples ? "skip" : "fail") + "\n" + kTreeLine + tree + "\n";
}

Digest Plan::digest() const {
  Plan other = *this;
  other.skip_bad_samples = false;
  const std::string text = other.text();
  return digest_of(std::as_bytes(std::span(text)));
}

PackingFolder::PackingFolder(fs::path path, bool overwrite)
    : path_(std::move(path)), overwrite_(overwrite) {
  try {
    for (fs::path one = fs::absolute(path_); !fs::exists(one); one = one.parent_path()) {
      made_.push_back(one);
    }
    fs::create_directories(path_);
    lock();
    refuse_other_files(path_);
    refuse_finished();
  } catch (const fs::filesystem_error& error) {
    throw cannot_create(path_.string() + ": " + error.code().message(), "a folder");
  }
}

PackingFolder::~PackingFolder() {
  std::error_code not_empty;
  for (const fs::path& one : made_) fs::remove(one, not_empty);
}

void PackingFolder::lock() {
  lock_ = Descriptor(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!lock_.open()) throw cannot_create(path_.string() + ": " + std::strerror(errno), "a folder");
  if (::flock(lock_.get(), LOCK_EX | LOCK_NB) == 0) return;
  if (errno == EWOULDBLOCK) {
    throw cannot_create("another process packs into " + path_.string(), {},
                        "wait for its end, or choose another folder");
  }
  throw cannot_create("locking " + path_.string() + ": " + std::strerror(errno),
                      "a file system with locks (flock)",
                      "pack on another one and copy the result");
}

void PackingFolder::refuse_finished() const {
  if (overwrite_ || !fs::exists(path_ / kIndexName)) return;
  throw cannot_create(path_.string() + " holds packed data already", "a new or empty folder",
                      "choose another folder, or pass --overwrite");
}

void PackingFolder::begin(const Plan& plan) try {
  if (overwrite_) remove_all_packed(path_);
  const std::string text = plan.text();
  if (fs::exists(path_ / kPlanName)) {
    const std::string theirs = read_text(path_ / kPlanName);
    if (theirs == text) return;
    Plan before = plan;
    before.skip_bad_samples = false;
    if (theirs != before.text()) throw another_plan(path_, theirs, text);
  } else {
    fs::remove(path_ / kPartName);  // left by a call that ended before it had written its plan
    if (!fs::is_empty(path_)) {
      throw cannot_create(path_.string() + " holds shards without their " + kPlanName,
                          "a new or empty folder", "choose another folder, or pass --overwrite");
    }
  }
  AtomicFile file(path_ / kPlanName, path_ / kPartName);
  file.append(text);
  file.commit();
} catch (const fs::filesystem_error& error) {
  throw cannot_create(path_.string() + ": " + error.code().message(), "a folder");
}

}  // namespace scalemark::data::packed
