#include "engine/process/failure_reporter.h"

#include <cstdlib>
#include <functional>
#include <iostream>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/base/host_name.h"
#include "core/launch/outcome.h"
#include "engine/distributed/errors.h"

namespace scalemark::process {
namespace {

// A report that fails must not prevent the others; of two that fail for one reason only one
// complains.
class Attempts {
 public:
  void operator()(const std::function<void()>& action) noexcept {
    try {
      action();
    } catch (const std::exception& error) {
      complain(remark_of(error));
    }
  }

 private:
  void complain(std::string_view why) noexcept {
    // Needs no memory, which may be lacking.
    const std::size_t hash = std::hash<std::string_view>{}(why);
    if (std::exchange(last_, hash) == hash) return;
    std::cerr << "scalemark: while ending: " << why << std::endl;
  }

  std::size_t last_ = 0;
};

}  // namespace

ExitCode FailureReporter::report(ErrorRecord record, reporting::ReportStatus status,
                                 Peers peers) noexcept {
  const std::lock_guard lock(mutex_);
  if (reported_) return exit_code_;
  reported_ = true;
  exit_code_ = record.exit_code;
  Attempts attempt;
  attempt([&] {
    if (explain_) explain_(record);
  });
  attempt([&] { fill_in(record); });
  attempt([&] { write_everywhere(record, status, peers); });
  return exit_code_;
}

void FailureReporter::fill_in(ErrorRecord& record) const {
  if (!record.rank) record.rank = request_.world.rank;
  if (record.host.empty()) {
    const auto rank = static_cast<std::size_t>(*record.rank);
    if (*record.rank == request_.world.rank)
      record.host = host_name();
    else if (rank < ranks_.size())
      record.host = ranks_[rank].host;
  }
  if (record.phase.empty()) record.phase = phase_tracker_.phase();
  if (!record.step) record.step = phase_tracker_.step();
}

void FailureReporter::write_everywhere(const ErrorRecord& record, reporting::ReportStatus status,
                                       Peers peers) {
  Attempts attempt;
  // The peers wait for it, so it comes first.
  if (error_store_ != nullptr && peers == Peers::kTold) error_store_->post(record);
  // When all ranks have agreed to end, only rank 0 prints the line.
  if (peers == Peers::kTold || request_.world.rank == 0) {
    attempt([&] { std::cerr << format_error_line(record) << std::endl; });
  }
  attempt([&] {
    if (!request_.error_file.empty()) launching::write_error_file(request_.error_file, record);
  });
  attempt([&] {
    const char* file = std::getenv("TORCHELASTIC_ERROR_FILE");
    if (file != nullptr && *file != '\0') launching::write_torchelastic_error_file(file, record);
  });
  if (report_ == nullptr) return;
  attempt([&] { report_->add_error(record); });
  attempt([&] { report_->close(status, static_cast<int>(record.exit_code)); });
}

ErrorRecord record_of(const std::exception_ptr& exception, distributed::ErrorStore* error_store) {
  try {
    std::rethrow_exception(exception);
  } catch (const std::exception& error) {
    const auto meaning = distributed::meaning_of(error);
    const bool lost = error_store != nullptr && meaning == distributed::Meaning::kPeerLost;
    if (lost && !error_store->has_peers()) {
      return system_error(
                 "the only rank cannot communicate with itself: " + distributed::one_line(error),
                 {}, "see whether this machine's network is up (`ip addr`)")
          .record();
    }
    if (lost) {
      return distributed::translate_collective_error(exception, *error_store).record();
    }
    return distributed::record_of(error);
  } catch (...) {
    return bug("an exception of an unknown type").record();
  }
}

}  // namespace scalemark::process
