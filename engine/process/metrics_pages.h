// The pages of a run on --metrics-port, and the file by which Prometheus finds them. On rank 0
// only.
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
#include "core/live/pages.h"
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
  // Serves at once. Another thread calls `shown`. Throws as Endpoint does.
  MetricsPages(const MetricsAddress& address, std::function<Shown()> shown);
  ~MetricsPages();
  MetricsPages(const MetricsPages&) = delete;
  MetricsPages& operator=(const MetricsPages&) = delete;

  std::string address() const { return endpoint_->address(); }
  // Prints the address on stderr, with what keeps Prometheus from finding it.
  void print_address() const;
  // Writes FOLDER/metrics-target.json, a file for file_sd
  // (https://prometheus.io/docs/guides/file-sd/), and a link FOLDER.metrics-target.json beside the
  // folder, since file_sd allows no "*" in folder names. Both exist until this object ends or
  // drop_target() is called.
  void write_target(const std::filesystem::path& folder, const std::string& run_id);
  void drop_target() noexcept;

  // Keeps the status for those who open the live page later. Call it every few seconds, from any
  // thread.
  void remember(live::Status status);

  // Lets a client that has scraped twice see the end: waits for one more scrape, for at most its
  // scrape interval and 20 s, and only while `may_wait`. It prints that it waits, unless `quiet`.
  void wait_for_scrape(bool quiet, const std::function<bool()>& may_wait);

 private:
  using Clock = std::chrono::steady_clock;
  std::optional<live::Endpoint::Page> page(std::string_view path, std::string_view accept);
  void note_scrape(std::string_view path);
  live::Status status();  // the status without paths
  std::string now();      // the status with its changes since earlier ones, as JSON
  std::string past();     // the last minutes as the live page draws them, as JSON

  std::function<Shown()> shown_;
  const std::string front_page_;
  std::mutex memory_mutex_;  // guards what the live page reads: the two members below
  live::Recent recent_;
  live::Past past_;
  std::filesystem::path target_, link_;
  std::string link_failure_;
  std::mutex mutex_;  // guards the two members below
  std::condition_variable scraped_;
  std::optional<Clock::time_point> last_scrape_, scrape_before_;
  std::unique_ptr<live::Endpoint> endpoint_;  // last, since its thread uses the members above
};

}  // namespace scalemark::process
