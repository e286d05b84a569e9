// The pages of a run on --metrics-port, and the file by which Prometheus finds them. On rank 0.
#pragma once

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "core/live/endpoint.h"
#include "core/live/rates.h"
#include "core/live/status.h"
#include "engine/process/run_request.h"

namespace scalemark::process {

class MetricsPages {
 public:
  struct Shown {
    live::Status status;
    std::string done_points;  // see metrics_page()
  };
  // Serves at once. `shown` is called by another thread. Throws as Endpoint does.
  MetricsPages(const MetricsAddress& address, std::function<Shown()> shown);
  ~MetricsPages();
  MetricsPages(const MetricsPages&) = delete;
  MetricsPages& operator=(const MetricsPages&) = delete;

  std::string address() const { return endpoint_->address(); }
  void print_address() const;  // on stderr, with what keeps Prometheus from finding it
  // Writes FOLDER/metrics-target.json, a file for file_sd
  // (https://prometheus.io/docs/guides/file-sd/), and a link to it beside the folder, since file_sd
  // takes no "*" for a folder: FOLDER.metrics-target.json. Both are there until this object ends or
  // drop_target().
  void write_target(const std::filesystem::path& folder, const std::string& run_id);
  void drop_target() noexcept;

  // Who has scraped twice gets to see the end: waits for one more scrape, as long as the time
  // between the last two says, at most 20 s, and while `may_wait`; unless `quiet` it says so.
  void wait_for_scrape(bool quiet, const std::function<bool()>& may_wait);

 private:
  using Clock = std::chrono::steady_clock;
  std::optional<live::Endpoint::Page> page(std::string_view path, std::string_view accept);
  void note_scrape(std::string_view path);
  live::Status status();  // without paths
  std::string now();      // the status and what it says beside the ones before it, as JSON

  std::function<Shown()> shown_;
  const std::string front_page_;
  // For the live page, in the endpoint's thread.
  live::Recent recent_;
  std::optional<Clock::time_point> last_view_;
  std::filesystem::path target_, link_;
  std::string link_failure_;
  std::mutex mutex_;  // guards the two below
  std::condition_variable scraped_;
  std::optional<Clock::time_point> last_scrape_, scrape_before_;
  std::unique_ptr<live::Endpoint> endpoint_;  // last: its thread uses the above
};

}  // namespace scalemark::process
