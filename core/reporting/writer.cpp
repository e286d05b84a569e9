#include "core/reporting/writer.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "core/reporting/journal_lines.h"
#include "core/reporting/report_json.h"

namespace scalemark::reporting {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kReservedAtLeast = 64 << 10;  // for errors and findings of the end

std::string reason(int error) { return std::strerror(error); }

Error write_failed(const fs::path& path, const char* verb, int error) {
  return io_error(
      std::string("cannot ") + verb + " " + path.string() + ": " + reason(error), {},
      error == ENOSPC || error == EDQUOT ? "free space there, or choose another --output" : "");
}

// 0 when every byte is on the disk, else errno.
int write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    if (written == 0) return ENOSPC;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return ::fsync(descriptor) == 0 ? 0 : errno;
}

// Makes a rename last: the entry stands in the folder, not in the file.
void sync_folder(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) throw write_failed(folder, "open", errno);
  const int error = ::fsync(descriptor) == 0 ? 0 : errno;
  ::close(descriptor);
  // Some network file systems know no fsync of a folder: nothing to be done there.
  if (error != 0 && error != EINVAL && error != ENOTSUP) throw write_failed(folder, "sync", error);
}

// errno, or 0. What was read of a torn journal is what stays of it.
int mend(int descriptor, const fs::path& file) {
  if (!fs::is_regular_file(file)) return 0;
  const JournalLines journal = read_journal_lines(file);
  if (!journal.torn) return 0;
  if (::ftruncate(descriptor, static_cast<off_t>(journal.whole_bytes)) != 0) return errno;
  return journal.lacks_line_end ? write_all(descriptor, "\n") : 0;
}

fs::path prepared(fs::path folder, ExistingFolder existing) {
  prepare_output_folder(folder, existing);
  return folder;
}

}  // namespace

void refuse_used_folder(const fs::path& folder, ExistingFolder existing) {
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  if (status.type() == fs::file_type::not_found) return;
  if (!fs::is_directory(status)) {
    throw cannot_create("cannot create the output folder " + folder.string() + ": " +
                        (error ? error.message() : "a file of that name stands there"));
  }
  const bool empty = fs::is_empty(folder, error);
  if (error) {
    throw cannot_create("cannot read the output folder " + folder.string() + ": " +
                        error.message());
  }
  if (!empty && existing == ExistingFolder::kRefuse) {
    throw cannot_create("the output folder " + folder.string() + " is not empty",
                        "a new folder is expected", "choose another --output, or pass --overwrite");
  }
}

void prepare_output_folder(const fs::path& folder, ExistingFolder existing) {
  refuse_used_folder(folder, existing);
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    throw cannot_create("cannot create the output folder " + folder.string() + ": " +
                        error.message());
  }
  if (existing == ExistingFolder::kContinue) return;
  for (const char* ours :
       {"report.json", "journal.jsonl", ".reserve", "report.md", "report.html"}) {
    fs::remove(folder / ours, error);
    if (error) {
      throw cannot_create("cannot replace " + (folder / ours).string() + ": " + error.message());
    }
  }
}

Journal::Journal(const fs::path& file)
    : file_(file),
      descriptor_(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644)) {
  if (descriptor_ < 0) {
    throw cannot_create("cannot create " + file_.string() + ": " + reason(errno));
  }
  // Held until the process ends, however it ends. File systems without locks have to do without.
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    ::close(descriptor_);
    throw cannot_create("another run is writing to " + file_.string(), {},
                        "wait for it, or choose another --output");
  }
  try {
    if (const int error = mend(descriptor_, file_)) {
      throw cannot_create("cannot mend the torn end of " + file_.string() + ": " + reason(error));
    }
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

Journal::~Journal() { ::close(descriptor_); }

void Journal::append(std::string_view line) {
  const off_t before = ::lseek(descriptor_, 0, SEEK_END);
  if (const int error = write_all(descriptor_, std::string(line) + "\n")) {
    // Half a line would be read as damage; when even this fails, the error says enough.
    [[maybe_unused]] const int cut = before < 0 ? -1 : ::ftruncate(descriptor_, before);
    throw write_failed(file_, "write", error);
  }
}

void write_atomically(const fs::path& file, std::string_view text) {
  const fs::path temporary = file.string() + ".tmp";
  const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (descriptor < 0) throw write_failed(temporary, "create", errno);
  int error = write_all(descriptor, text);
  if (::close(descriptor) != 0 && error == 0) error = errno;
  if (error == 0 && std::rename(temporary.c_str(), file.c_str()) != 0) error = errno;
  if (error != 0) {
    ::unlink(temporary.c_str());
    throw write_failed(file, "write", error);
  }
  sync_folder(file.has_parent_path() ? file.parent_path() : fs::path("."));
}

void SpaceReserve::hold(std::size_t bytes) {
  if (bytes <= held_bytes_) return;
  const int descriptor = ::open(file_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor < 0) return;
  if (::posix_fallocate(descriptor, 0, static_cast<off_t>(bytes)) == 0) held_bytes_ = bytes;
  ::close(descriptor);
}

void SpaceReserve::release() noexcept {
  ::unlink(file_.c_str());
  held_bytes_ = 0;
}

ReportWriter::ReportWriter(fs::path folder, Report report, ExistingFolder existing)
    : folder_(prepared(std::move(folder), existing)),
      report_(std::move(report)),
      journal_(folder_ / "journal.jsonl"),
      reserve_(folder_ / ".reserve") {
  if (report_.started.empty()) report_.started = utc_now();
  report_.status = ReportStatus::kPartial;
  report_.exit_code.reset();
  report_.finished.clear();
  append(existing == ExistingFolder::kContinue ? "continued" : "started", "", "");
  save();
}

void ReportWriter::add_point(PointRecord point, std::vector<Finding> findings) {
  const std::lock_guard lock(mutex_);
  append("point", "point", to_json_line(point));
  for (const auto& finding : findings) append("finding", "finding", to_json_line(finding));
  report_.points.push_back(std::move(point));
  report_.findings.insert(report_.findings.end(), findings.begin(), findings.end());
  save();
}

void ReportWriter::add_finding(Finding finding) {
  const std::lock_guard lock(mutex_);
  append("finding", "finding", to_json_line(finding));
  report_.findings.push_back(std::move(finding));
  save();
}

void ReportWriter::add_error(ErrorRecord error) {
  const std::lock_guard lock(mutex_);
  append("error", "error", to_json_line(error));
  report_.errors.push_back(std::move(error));
  save();
}

void ReportWriter::amend(const std::function<void(Report&)>& change) {
  const std::lock_guard lock(mutex_);
  change(report_);
  save();
}

void ReportWriter::event(std::string_view name, std::string_view text) {
  const std::lock_guard lock(mutex_);
  append(name, "text", text.empty() ? "" : to_json_line(text));
}

void ReportWriter::close(ReportStatus status, int exit_code,
                         const std::function<void(const Report&)>& before) {
  const std::lock_guard lock(mutex_);
  if (!closed_) {
    Report closed = report_;
    closed.status = status;
    closed.exit_code = exit_code;
    closed.finished = utc_now();
    if (before) before(closed);
    reserve_.release();
    write_atomically(folder_ / "report.json", to_json(closed));
    report_ = std::move(closed);
    closed_ = true;
  }
  append("closed", "exit_code", std::to_string(exit_code));
}

Report ReportWriter::report() const {
  const std::lock_guard lock(mutex_);
  return report_;
}

void ReportWriter::append(std::string_view event, std::string_view key, const std::string& json) {
  std::string line = "{\"time\":\"" + utc_now() + "\",\"event\":" + to_json_line(event);
  if (!json.empty()) line += ",\"" + std::string(key) + "\":" + json;
  journal_.append(line + "}");
}

void ReportWriter::save() {
  const std::string text = to_json(report_);
  write_atomically(folder_ / "report.json", text);
  if (!closed_) reserve_.hold(2 * text.size() + kReservedAtLeast);
}

}  // namespace scalemark::reporting
