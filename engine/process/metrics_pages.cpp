#include "engine/process/metrics_pages.h"

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "core/base/atomic_file.h"
#include "core/base/durations.h"
#include "core/base/host_name.h"
#include "core/base/number_words.h"
#include "core/live/rates.h"

namespace scalemark::process {
namespace {

namespace fs = std::filesystem;

// Removes paths, as not everybody who may see the page should learn where files are on this
// machine. A path in quotes ends at the quote, any other at a blank.
std::string without_paths(const std::string& text) {
  constexpr std::string_view kBefore = " '\"(=:,", kBehind = " '\"),;";
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char before = i == 0 ? ' ' : text[i - 1];
    const bool is_home = text.compare(i, 2, "~/") == 0;
    const bool is_path = is_home || (text[i] == '/' && i + 1 < text.size() && text[i + 1] != ' ');
    if (!is_path || kBefore.find(before) == std::string_view::npos) {
      result += text[i];
      continue;
    }
    result += "<path>";
    const bool quoted = before == '\'' || before == '"';
    i = std::min(quoted ? text.find(before, i) : text.find_first_of(kBehind, i), text.size()) - 1;
  }
  return result;
}

live::Status without_paths(live::Status status) {
  for (live::FoundSoFar& finding : status.findings) finding.text = without_paths(finding.text);
  return status;
}

// A server on all addresses is reached by the machine's name.
std::string reachable(const std::string& address) {
  for (const std::string_view any : {"0.0.0.0:", "[::]:"}) {
    if (address.starts_with(any)) return host_name() + ":" + address.substr(any.size());
  }
  return address;
}

}  // namespace

MetricsPages::MetricsPages(const MetricsAddress& address, std::function<Shown()> shown)
    : shown_(std::move(shown)), front_page_(live::live_page()) {
  live::Endpoint::Options options;
  options.host = address.host;
  options.port = address.port;
  options.token = address.token;
  options.page = [this](std::string_view path, std::string_view accept) {
    return page(path, accept);
  };
  options.answered = [this](std::string_view path) { note_scrape(path); };
  endpoint_ = std::make_unique<live::Endpoint>(std::move(options));
}

MetricsPages::~MetricsPages() { drop_target(); }

std::optional<live::Endpoint::Page> MetricsPages::page(std::string_view path,
                                                       std::string_view accept) {
  if (path == "/") return {{"text/html; charset=utf-8", front_page_}};
  if (path == "/status") return {{"application/json", live::to_json(status())}};
  if (path == "/now") return {{"application/json", now()}};
  if (path == "/past") return {{"application/json", past()}};
  if (path != "/metrics") return std::nullopt;
  const live::MetricsForm form = live::form_for(accept);
  const Shown shown = shown_();
  return {{live::type_of(form),
           live::metrics_page(shown.status, seconds_since_1970(), shown.done_points, form)}};
}

live::Status MetricsPages::status() { return without_paths(shown_().status); }

std::string MetricsPages::now() {
  live::Status fresh = status();
  const std::lock_guard lock(memory_mutex_);
  recent_.add(std::move(fresh));
  const live::Status& newest = recent_.newest().value();
  return live::frame_json("http://" + newest.endpoint, newest, recent_.now(0)) + "\n";
}

std::string MetricsPages::past() {
  const std::lock_guard lock(memory_mutex_);
  return past_.json(seconds_since_1970());
}

void MetricsPages::remember(live::Status status) {
  status = without_paths(std::move(status));
  const std::lock_guard lock(memory_mutex_);
  recent_.add(std::move(status));
  past_.add(recent_.newest().value(), recent_.rates(0), seconds_since_1970());
}

void MetricsPages::note_scrape(std::string_view path) {
  if (path == "/") return;  // this page has no numbers of the run
  {
    const std::lock_guard lock(mutex_);
    scrape_before_ = std::exchange(last_scrape_, Clock::now());
  }
  scraped_.notify_all();
}

void MetricsPages::print_address() const {
  std::cerr << "scalemark: pages of this run: http://" + address() + "\n" << std::flush;
  if (link_failure_.empty()) return;
  std::cerr << "scalemark: Prometheus does not find them by itself: " + link_failure_ + "; " +
                   target_.string() + " holds the address\n"
            << std::flush;
}

void MetricsPages::write_target(const fs::path& folder, const std::string& run_id) {
  constexpr const char* kName = "metrics-target.json";
  const fs::path file = folder / kName;
  const nlohmann::json target = {{"targets", {reachable(address())}},
                                 {"labels", {{"run_id", run_id}}}};
  AtomicFile written(file);
  written.append(nlohmann::json::array({target}).dump(1) + "\n");
  written.commit();
  target_ = file;
  // A folder above that we may not write into is no reason to end a run.
  std::error_code failed;
  const fs::path whole = fs::absolute(folder).lexically_normal();
  const fs::path named = whole.has_filename() ? whole : whole.parent_path();  // "a/" is "a"
  const fs::path link = named.string() + "." + kName;
  if (fs::is_symlink(link, failed)) fs::remove(link, failed);  // a killed run has left it
  fs::create_symlink(named.filename() / kName, link, failed);
  link_ = failed ? fs::path() : link;
  if (failed) link_failure_ = link.string() + " cannot be made (" + failed.message() + ")";
}

void MetricsPages::drop_target() noexcept {
  std::error_code failed;
  if (!link_.empty()) fs::remove(link_, failed);
  if (!target_.empty()) fs::remove(target_, failed);
}

void MetricsPages::wait_for_scrape(bool quiet, const std::function<bool()>& may_wait) {
  constexpr double kSlack_s = 1, kLongest_s = 20, kPollPeriod_s = 0.1, kSilent_s = 2;
  const Clock::time_point start = Clock::now();
  std::unique_lock lock(mutex_);
  if (!last_scrape_ || !scrape_before_) return;
  const auto last = *last_scrape_;
  const double every_s = std::chrono::duration<double>(last - *scrape_before_).count();
  const double until_s = std::min(every_s + kSlack_s, kLongest_s);
  if (seconds_since(last) > until_s) return;  // nobody scrapes any more
  bool silent = quiet || until_s <= kSilent_s;
  while (last_scrape_ == last && seconds_since(start) < until_s && may_wait()) {
    if (!std::exchange(silent, true)) {
      std::cerr << "scalemark: waiting up to " + age_text(until_s) +
                       " for a last scrape; Ctrl-C leaves\n"
                << std::flush;
    }
    scraped_.wait_for(lock, std::chrono::duration<double>(kPollPeriod_s));
  }
}

}  // namespace scalemark::process
