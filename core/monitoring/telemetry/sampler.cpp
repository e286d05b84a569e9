#include "core/monitoring/telemetry/sampler.h"

#include <pthread.h>

#include <algorithm>
#include <csignal>
#include <utility>

#include "core/base/waiting.h"
#include "core/monitoring/telemetry/process_probes.h"

namespace scalemark::monitoring {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_of(Clock::time_point time) {
  return std::chrono::duration<double>(time.time_since_epoch()).count();
}

// Signals are for the threads that wait for them.
std::thread quiet_thread(auto body) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread(std::move(body));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

}  // namespace

Sampler::Sampler(std::vector<std::unique_ptr<Probe>> probes, std::chrono::milliseconds period)
    : period_(period),
      only_at_ends_(std::ranges::all_of(probes, [](const auto& p) { return p->only_at_ends(); })) {
  probes.push_back(thread_cpu_probe(kSamplerCost));
  for (auto& probe : probes) {
    Source source;
    source.values.resize(probe->sources().size());
    source.probe = std::move(probe);
    sources_.push_back(std::move(source));
  }
  clear();
  thread_ = quiet_thread([this] { serve(); });
}

Sampler::~Sampler() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Sampler::begin() {
  {
    const std::lock_guard lock(mutex_);
    ++begun_;
  }
  changed_.notify_all();
}

void Sampler::end() {
  std::unique_lock lock(mutex_);
  ended_ = begun_;
  changed_.notify_all();
  wait_until_true(changed_, lock, [&] { return served_ == begun_; });
}

void Sampler::clear() {
  const std::lock_guard lock(mutex_);
  const double least_interval_s = std::chrono::duration<double>(period_).count() / 2;
  for (Source& source : sources_) {
    source.readings.clear();
    for (const SourceName& name : source.probe->sources()) {
      source.readings.emplace_back(name, least_interval_s);
    }
  }
}

std::vector<SourceSummary> Sampler::summaries() const {
  const std::lock_guard lock(mutex_);
  std::vector<SourceSummary> all;
  for (const Source& source : sources_) {
    for (const Readings& readings : source.readings) {
      if (auto summary = readings.summary()) all.push_back(std::move(*summary));
    }
  }
  return all;
}

void Sampler::serve() {
  std::unique_lock lock(mutex_);
  while (true) {
    wait_until_true(changed_, lock, [&] { return over_ || begun_ > served_; });
    if (over_) return;
    lock.unlock();
    sample_stretch();
    lock.lock();
    served_ = begun_;
    changed_.notify_all();
  }
}

void Sampler::sample_stretch() {
  take(Pass::kFirst);
  std::unique_lock lock(mutex_);
  auto pause = std::chrono::nanoseconds(period_);
  while (!ends_within(lock, pause)) {
    lock.unlock();
    const double before_s = thread_cpu_s();
    take(Pass::kBetween);
    pause = pause_after(thread_cpu_s() - before_s);
    lock.lock();
  }
  lock.unlock();
  take(Pass::kLast);
}

bool Sampler::ends_within(std::unique_lock<std::mutex>& lock, std::chrono::nanoseconds pause) {
  const auto is_over = [&] { return over_ || ended_ == begun_; };
  if (!only_at_ends_) return changed_.wait_for(lock, pause, is_over);
  wait_until_true(changed_, lock, is_over);
  return true;
}

std::chrono::nanoseconds Sampler::pause_after(double pass_cpu_s) const {
  const std::chrono::duration<double> least(pass_cpu_s / kLargestShare);
  return std::max<std::chrono::nanoseconds>(
      period_, std::chrono::duration_cast<std::chrono::nanoseconds>(least));
}

void Sampler::take(Pass pass) {
  for (Source& source : sources_) {
    if (pass == Pass::kBetween && source.probe->only_at_ends()) continue;
    std::ranges::fill(source.values, std::nullopt);
    source.probe->read(source.values);
    const double now_s = seconds_of(Clock::now());
    for (std::size_t i = 0; i < source.readings.size(); ++i) {
      if (pass == Pass::kFirst) source.readings[i].begin_stretch();
      source.readings[i].add(now_s, source.values[i]);
    }
  }
}

}  // namespace scalemark::monitoring
