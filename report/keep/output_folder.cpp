#include "report/keep/output_folder.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/text.h"
#include "report/keep/disk.h"
#include "report/keep/raw_steps.h"

namespace scalemark::reporting {
namespace {

namespace fs = std::filesystem;

constexpr const char* kJournal = "journal.jsonl";
constexpr std::array<std::string_view, 2> kRenderings{"report.md", "report.html"};

// A file that runs write. `mark` stands near the beginning of every such file; where it is empty,
// one of kMarkdownMarks does.
struct OwnFile {
  std::string_view name, mark;
};
constexpr std::array<OwnFile, 11> kOurs{{{"report.json", "\"scalemark.report/"},
                                         {"report.json.tmp", "\"scalemark.report/"},
                                         {"report.md", {}},
                                         {"report.md.tmp", {}},
                                         {"report.html", "<title>scalemark</title>"},
                                         {"report.html.tmp", "<title>scalemark</title>"},
                                         {"status.json", "\"scalemark.status/"},
                                         {"status.json.tmp", "\"scalemark.status/"},
                                         {"metrics-target.json", "\"targets\""},
                                         {".reserve", {}},
                                         {kJournal, "\"event\":"}}};
// How report.md begins: that of a sweep, of collectives, and a table of runs with its first column.
constexpr std::array<std::string_view, 3> kMarkdownMarks{"# Sweep report", "# Collectives",
                                                         "| # |"};
constexpr const char* kCheckpoints = "checkpoints";
constexpr const char* kHang = "hang";
constexpr const char* kHangFile = "stacks.txt";

Error unreadable(const fs::path& folder, const std::string& why) {
  return cannot_create("cannot read the output folder " + folder.string() + ": " + why);
}

Error not_empty(const fs::path& folder, const std::string& more = {}, const char* also = "") {
  return cannot_create("the output folder " + folder.string() + " is not empty" + more,
                       "a new folder is expected",
                       std::string("choose another --output, or pass --overwrite") + also);
}

void take_away(const fs::path& file) {
  std::error_code error;
  fs::remove(file, error);
  if (error) throw cannot_create("cannot replace " + file.string() + ": " + error.message());
}

// Returns the first entry that none of our runs has written.
std::optional<std::string> foreign_entry(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!is_written_by_runs(name)) return name;
  }
  if (error) throw unreadable(folder, error.message());
  return std::nullopt;
}

std::string begin_of(const fs::path& file) {
  constexpr std::size_t kNear = 4096;
  std::string begin(kNear, '\0');
  std::ifstream in(file, std::ios::binary);
  in.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  begin.resize(static_cast<std::size_t>(in.gcount()));
  return begin;
}

// A link and its target are the user's. The begin of a file under one of our names shows whether we
// wrote it. An empty file holds nothing that could be lost.
bool is_ours(const fs::path& file, const OwnFile& own) {
  const std::string begin = begin_of(file);
  constexpr std::size_t kTorn = 64;  // bytes; a run that is killed in its first write leaves fewer
  const bool is_torn = own.name.ends_with(".tmp") && begin.size() < kTorn && begin.starts_with('{');
  if (begin.empty() || is_torn || own.name == ".reserve") return true;
  if (!own.mark.empty()) return begin.find(own.mark) != std::string::npos;
  return has_any(begin, kMarkdownMarks);
}

bool records_runs(const fs::path& journal) {
  return std::ranges::any_of(read_journal_lines(journal).lines, [](const std::string& line) {
    return line.find("\"event\":\"point\"") != std::string::npos;
  });
}

bool is_there(const fs::path& file) {
  std::error_code error;
  const bool there = fs::exists(file, error);
  if (error) throw file_failure("read", file, error.value());  // a disk error: the file may exist
  return there;
}

// Temporary files of a killed run count, too: rank-0.safetensors.tmp-4711.
bool is_state_of_rank(std::string_view name) {
  return name.starts_with("rank-") && name.find(".safetensors") != std::string_view::npos;
}

bool is_checkpoint_file(std::string_view name) {
  return name == kManifest || name == std::string(kManifest) + ".tmp" || is_state_of_rank(name);
}

// Removes checkpoints of runs, even where the folder is a link to another disk, since a new run
// writes there as well. Other things that the user keeps there stay.
void remove_checkpoints(const fs::path& checkpoints) {
  std::error_code error;
  if (!fs::is_directory(checkpoints, error)) return;
  std::vector<fs::path> ours;
  for (fs::directory_iterator entry(checkpoints, error), end; !error && entry != end;
       entry.increment(error)) {
    if (is_checkpoint(entry->path())) ours.push_back(entry->path());
  }
  for (const fs::path& folder : ours) remove_checkpoint(folder);
  const bool is_link = fs::is_symlink(fs::symlink_status(checkpoints, error));
  if (!error && !is_link && fs::is_empty(checkpoints, error)) fs::remove(checkpoints, error);
  if (error)
    throw cannot_create("cannot replace the checkpoints in " + checkpoints.string() + ": " +
                        error.message());
}

// Removes what a run that stood left. Whatever else the user keeps there stays.
void remove_hang(const fs::path& hang) {
  std::error_code error;
  if (!fs::is_directory(fs::symlink_status(hang, error))) return;
  if (!begin_of(hang / kHangFile).starts_with("scalemark: ")) return;
  take_away(hang / kHangFile);
  if (fs::is_empty(hang, error)) fs::remove(hang, error);
}

fs::path made(fs::path folder, ExistingFolder existing) {
  refuse_used_folder(folder, existing);
  make_folder(folder);
  return folder;
}

std::optional<LockedFile> lock_of(const fs::path& folder, ExistingFolder existing) {
  if (existing == ExistingFolder::kContinueBlock) return std::nullopt;
  return LockedFile(folder, O_RDONLY | O_DIRECTORY);
}

}  // namespace

void refuse_used_folder(const fs::path& folder, ExistingFolder existing, bool is_of_sweep) {
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  if (status.type() == fs::file_type::not_found) return;
  if (!fs::is_directory(status)) {
    throw cannot_create("cannot create the output folder " + folder.string() + ": " +
                        (error ? error.message() : "a file of that name exists"));
  }
  const bool empty = fs::is_empty(folder, error);
  if (error) throw unreadable(folder, error.message());
  if (!empty && existing == ExistingFolder::kRefuse) {
    const fs::path journal = folder / kJournal;
    const bool goes_on = is_of_sweep && is_there(journal) && records_runs(journal);
    throw not_empty(folder, {}, goes_on ? "; --resume goes on with its sweep" : "");
  }
  if (existing == ExistingFolder::kOverwrite) refuse_foreign_files(folder);
}

bool is_written_by_runs(std::string_view name) {
  return std::ranges::find(kOurs, name, &OwnFile::name) != kOurs.end();
}

void refuse_foreign_files(const fs::path& folder, std::string_view only) {
  for (const OwnFile& own : kOurs) {
    if (!only.empty() && own.name != only) continue;
    const fs::path file = folder / own.name;
    std::error_code unknown;
    if (!fs::exists(file, unknown)) continue;  // this skips a link that leads nowhere, too
    if (fs::is_regular_file(file, unknown) && is_ours(file, own)) continue;
    throw cannot_create(file.string() + " was not written by scalemark",
                        "--overwrite replaces only what was", "choose another --output");
  }
}

bool is_checkpoint(const fs::path& folder) {
  const std::string name = folder.filename().string();
  std::error_code unknown;
  const bool is_folder = fs::is_directory(fs::symlink_status(folder, unknown));
  if (!is_folder || !name.starts_with(kCheckpointPrefix)) return false;
  const bool has_manifest = fs::exists(folder / kManifest, unknown);
  if (has_manifest && begin_of(folder / kManifest).find("\"same\"") != std::string::npos)
    return true;
  // A killed run leaves a checkpoint with no manifest, or an incomplete one.
  bool has_states = false;
  for (fs::directory_iterator entry(folder, unknown), end; !unknown && entry != end;
       entry.increment(unknown)) {
    const std::string file = entry->path().filename().string();
    if (!is_checkpoint_file(file)) return false;
    has_states = has_states || is_state_of_rank(file);
  }
  return !unknown && (has_states || !has_manifest);
}

void remove_checkpoint(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> ours;
  bool all = true;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const bool is_one = is_checkpoint_file(entry->path().filename().string());
    if (is_one) ours.push_back(entry->path());
    all = all && is_one;
  }
  // The manifest is removed last, since without it nothing shows whose the other files are.
  std::ranges::partition(ours, [](const fs::path& file) { return file.filename() != kManifest; });
  for (const fs::path& file : ours) {
    if (!error) fs::remove(file, error);
  }
  if (!error && all) fs::remove(folder, error);
  if (error && error != std::errc::no_such_file_or_directory)
    throw file_failure("remove", folder, error.value());
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    throw cannot_create("cannot create the output folder " + folder.string() + ": " +
                        error.message());
  }
}

OutputFolder::OutputFolder(fs::path folder, ExistingFolder existing)
    : path_(made(std::move(folder), existing)),
      hold_(lock_of(path_, existing)),
      journal_(path_ / kJournal) {
  check_again(existing);
  if (existing == ExistingFolder::kOverwrite) empty();
}

// Another run may have started and ended between the first check and the lock.
void OutputFolder::check_again(ExistingFolder existing) const {
  if (existing == ExistingFolder::kRefuse &&
      (!journal_.empty() || foreign_entry(path_) || is_there(path_ / "report.json"))) {
    throw not_empty(path_);
  }
  if (existing != ExistingFolder::kContinue || is_there(path_ / "report.json")) return;
  if (const auto foreign = foreign_entry(path_)) {
    const bool keeps = is_there(path_ / kCheckpoints);
    throw not_empty(path_, ": it holds '" + *foreign + "' and no report.json to resume from",
                    keeps ? ", which removes the checkpoints" : "");
  }
  if (records_runs(path_ / kJournal)) {
    throw not_empty(path_, ": its journal has runs, but report.json is missing");
  }
}

// The journal is truncated, not removed, so that a run that opens it now finds our lock.
void OutputFolder::empty() {
  journal_.clear();
  for (const OwnFile& own : kOurs) {
    std::error_code unknown;
    const bool stays = own.name == kJournal || fs::is_symlink(path_ / own.name, unknown);
    if (!stays) take_away(path_ / own.name);
  }
  remove_checkpoints(path_ / kCheckpoints);
  remove_hang(path_ / kHang);
  remove_raw_steps(path_);
}

void OutputFolder::remove_renderings() const {
  for (const std::string_view name : kRenderings) {
    refuse_foreign_files(path_, name);
    std::error_code unknown;
    if (!fs::is_symlink(path_ / name, unknown)) take_away(path_ / name);
  }
}

LockedFile lock_output_folder(const fs::path& folder, ExistingFolder existing) {
  OutputFolder opened(folder, existing);
  return std::move(*opened.hold_);
}

}  // namespace scalemark::reporting
