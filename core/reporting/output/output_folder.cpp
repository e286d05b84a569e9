#include "core/reporting/output/output_folder.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/reporting/output/disk.h"
#include "core/reporting/output/journal_lines.h"
#include "core/reporting/output/raw_steps.h"

namespace scalemark::reporting {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 2> kRenderings{"report.md", "report.html"};
constexpr std::array<std::string_view, 10> kOurs{
    "report.json",     "report.json.tmp", "report.md",       "report.md.tmp",       "report.html",
    "report.html.tmp", "status.json",     "status.json.tmp", "metrics-target.json", ".reserve"};
constexpr const char* kJournal = "journal.jsonl";
constexpr const char* kCheckpoints = "checkpoints";

Error unreadable(const fs::path& folder, const std::string& why) {
  return cannot_create("cannot read the output folder " + folder.string() + ": " + why);
}

Error not_empty(const fs::path& folder, const std::string& more = {}) {
  return cannot_create("the output folder " + folder.string() + " is not empty" + more,
                       "a new folder is expected", "choose another --output, or pass --overwrite");
}

void take_away(const fs::path& file) {
  std::error_code error;
  fs::remove(file, error);
  if (error) throw cannot_create("cannot replace " + file.string() + ": " + error.message());
}

// The first entry that none of our runs has written.
std::optional<std::string> foreign_entry(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name != kJournal && std::ranges::find(kOurs, name) == kOurs.end()) return name;
  }
  if (error) throw unreadable(folder, error.message());
  return std::nullopt;
}

bool tells_of_runs(const fs::path& journal) {
  return std::ranges::any_of(read_journal_lines(journal).lines, [](const std::string& line) {
    return line.find("\"event\":\"point\"") != std::string::npos;
  });
}

bool is_there(const fs::path& file) {
  std::error_code error;
  const bool there = fs::exists(file, error);
  if (error) throw file_failure("read", file, error.value());  // a disk error: it may exist
  return there;
}

fs::path made(fs::path folder, ExistingFolder existing) {
  refuse_used_folder(folder, existing);
  make_folder(folder);
  return folder;
}

std::optional<LockedFile> hold_of(const fs::path& folder, ExistingFolder existing) {
  if (existing == ExistingFolder::kContinueBlock) return std::nullopt;
  return LockedFile(folder, O_RDONLY | O_DIRECTORY);
}

}  // namespace

void refuse_used_folder(const fs::path& folder, ExistingFolder existing) {
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  if (status.type() == fs::file_type::not_found) return;
  if (!fs::is_directory(status)) {
    throw cannot_create("cannot create the output folder " + folder.string() + ": " +
                        (error ? error.message() : "a file of that name exists"));
  }
  const bool empty = fs::is_empty(folder, error);
  if (error) throw unreadable(folder, error.message());
  if (!empty && existing == ExistingFolder::kRefuse) throw not_empty(folder);
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
      hold_(hold_of(path_, existing)),
      journal_(path_ / kJournal) {
  look_again(existing);
  if (existing == ExistingFolder::kOverwrite) empty();
}

// Another run may have started and ended between the first check and the lock.
void OutputFolder::look_again(ExistingFolder existing) const {
  if (existing == ExistingFolder::kRefuse &&
      (!journal_.empty() || foreign_entry(path_) || is_there(path_ / "report.json"))) {
    throw not_empty(path_);
  }
  if (existing != ExistingFolder::kContinue || is_there(path_ / "report.json")) return;
  if (const auto foreign = foreign_entry(path_)) {
    throw not_empty(path_, ": it holds '" + *foreign + "' and no report.json to resume from");
  }
  if (tells_of_runs(path_ / kJournal)) {
    throw not_empty(path_, ": its journal has runs, but report.json is missing");
  }
}

// The journal is truncated, not removed: a run that opens it now must find our lock.
void OutputFolder::empty() {
  journal_.clear();
  for (const std::string_view name : kOurs) take_away(path_ / name);
  std::error_code error;
  fs::remove_all(path_ / kCheckpoints, error);
  if (error)
    throw cannot_create("cannot replace the checkpoints of " + path_.string() + ": " +
                        error.message());
  remove_raw_steps(path_);
}

void OutputFolder::remove_renderings() const {
  for (const std::string_view name : kRenderings) take_away(path_ / name);
}

LockedFile hold_output_folder(const fs::path& folder, ExistingFolder existing) {
  OutputFolder opened(folder, existing);
  return std::move(*opened.hold_);
}

}  // namespace scalemark::reporting
