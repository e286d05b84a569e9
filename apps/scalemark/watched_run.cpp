#include "apps/scalemark/watched_run.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "core/base/durations.h"
#include "core/base/error.h"
#include "core/base/file_kind.h"
#include "core/live/fetch.h"
#include "core/machine/text_file.h"
#include "report/record/point_facts.h"

namespace scalemark::cli {
namespace {

namespace fs = std::filesystem;

// When a file was last written, in seconds since 1970; absent where it does not exist.
std::optional<double> file_time_of(const fs::path& file) {
  struct stat facts {};
  if (::stat(file.c_str(), &facts) != 0) return std::nullopt;
  return static_cast<double>(facts.st_mtim.tv_sec) +
         1e-9 * static_cast<double>(facts.st_mtim.tv_nsec);
}

bool runs(const fs::path& file) {
  try {
    return live::parse_status(monitoring::read_text(file).value_or(""), file.string()).state ==
           live::kRunning;
  } catch (const Error&) {
    return false;
  }
}

std::string sentence_of(const ErrorRecord& record) {
  return record.expected.empty() ? record.what : record.what + "; " + record.expected;
}

}  // namespace

double status_age_s(std::optional<double> written, double file_time, double now,
                    std::optional<double> seen_change_ago) {
  const double by_writer = written ? now - *written : -1;
  const double age = by_writer >= 0 ? by_writer : std::max(0.0, now - file_time);
  return seen_change_ago ? std::min(age, *seen_change_ago) : age;
}

fs::path status_file(const std::string& given) {
  std::error_code failed;
  const fs::path path(given);
  const fs::path file = fs::is_directory(path, failed) ? path / kStatusFile : path;
  refuse_read_once("status", file);
  if (file_time_of(file)) return file;
  const std::string reason = std::strerror(errno);
  throw no_input("cannot read '" + file.string() + "': " + reason,
                 "train, sweep and comm write it every 2 s into their output folder",
                 "the URL of a run's page begins with http://");
}

std::vector<fs::path> newest_runs(const std::vector<fs::path>& folders) {
  constexpr double kBeside_s = 60;
  constexpr std::size_t kMost = 4;
  std::vector<std::pair<double, fs::path>> found;
  for (const fs::path& folder : folders) {
    std::error_code failed;
    for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end;
         entry.increment(failed)) {
      const fs::path file = (entry->path() / kStatusFile).lexically_normal();
      if (is_hidden(entry->path())) continue;
      if (const auto time = file_time_of(file)) found.emplace_back(-*time, file);
    }
  }
  std::ranges::sort(found);
  std::vector<fs::path> running, others;
  for (const auto& [age, file] : found) {
    const bool newest = file == found.front().second;
    if (running.size() == kMost || age > found.front().first + kBeside_s) break;
    if (runs(file)) {
      running.push_back(file);
    } else if (newest) {
      others.push_back(file);
    }
  }
  running.insert(running.end(), others.begin(), others.end());
  if (running.size() > kMost) running.resize(kMost);
  return running;
}

std::string WatchedRun::origin() const { return is_remote() ? url_ : file_.filename().string(); }

WatchedRun::Reading WatchedRun::reading() const {
  constexpr std::chrono::milliseconds kFetchTimeout{1500};  // the screen stands still for so long
  if (is_remote())
    return {.text = live::fetch(url_, token_, kFetchTimeout), .written = seconds_since_1970()};
  const auto time = file_time_of(file_);
  auto text = monitoring::read_text(file_);
  if (!time || !text) throw no_input("'" + origin() + "' cannot be read any more");
  return {.text = std::move(*text), .written = *time};
}

void WatchedRun::take(Reading now) {
  live::Status status = live::parse_status(now.text, origin());
  if (recent_.newest()) changed_ = std::chrono::steady_clock::now();
  recent_.add(std::move(status));
  text_ = std::move(now.text);
  file_time_ = now.written;
}

bool WatchedRun::read() {
  const std::string before = std::exchange(problem_, "");
  try {
    Reading now = reading();
    if (!recent_.newest() || now.text != text_) {
      take(std::move(now));
      return true;
    }
  } catch (const Error& error) {  // the next text may be whole
    if (is_remote() && !recent_.newest()) throw;
    problem_ = sentence_of(error.record());
  }
  return problem_ != before;
}

live::ShownRun WatchedRun::shown() const {
  const fs::path folder = file_.filename() == kStatusFile ? file_.parent_path() : file_;
  const std::string path = folder.empty() ? file_.string() : folder.string();
  live::ShownRun shown{.source = is_remote() ? url_ : path,
                       .status = recent_.newest(),
                       .now = {},
                       .lasted_s = {},
                       .problem = problem_};
  if (!shown.status) return shown;
  const auto written = reporting::seconds_of(shown.status->written);
  const auto started = reporting::seconds_of(shown.status->started);
  if (written && started) shown.lasted_s = *written - *started;
  const auto seen = changed_ ? std::optional(seconds_since(*changed_)) : std::nullopt;
  const double age_s = status_age_s(written, file_time_, seconds_since_1970(), seen);
  shown.now = recent_.now(age_s);
  if (is_remote() && !problem_.empty() && !shown.now.alarm.empty()) {
    shown.now = recent_.rates(age_s);
    shown.now.alarm =
        "the page is gone: the run has ended, or rank 0 was killed; its folder says which";
  }
  return shown;
}

bool WatchedRun::lacks_rates() const {
  if (!recent_.newest()) return true;
  if (recent_.newest()->state != live::kRunning) return false;
  const live::ShownRun now = shown();
  return std::ranges::any_of(now.now.ranks, [](const live::RankNow& rank) {
    return rank.mark != "silent" && !rank.interval_s;
  });
}

}  // namespace scalemark::cli
