// The two pages that a run serves while it runs, as texts: /metrics, for Prometheus and what else
// reads its forms, and the live page, for browsers. Pure; knows no server.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/words.h"
#include "core/live/status.h"

namespace scalemark::live {

// --- The page /metrics: one table of rows makes it and its description in docs/MONITORING.md.

// https://prometheus.io/docs/instrumenting/exposition_formats/, and the specification of
// OpenMetrics 1.0.
enum class MetricsForm { kText, kOpenMetrics };

// The form that an Accept header asks for: OpenMetrics where it is named before plain text, or
// with a higher weight.
MetricsForm form_for(std::string_view accept);

// The media type of the form.
const char* type_of(MetricsForm form);

// `now_s`: seconds since 1970 at which the status was made. `done_points`: families of gauges in
// the text form that go with it, as render_prometheus() makes them.
std::string metrics_page(const Status& status, double now_s, std::string_view done_points,
                         MetricsForm form);

// Named as OpenMetrics names them.
enum class MetricKind { kCounter, kGauge, kInfo };
constexpr auto words_of(MetricKind) {
  return std::to_array<Word<MetricKind>>({{MetricKind::kCounter, "counter"},
                                          {MetricKind::kGauge, "gauge"},
                                          {MetricKind::kInfo, "info"}});
}

// The status that a page shows, and when it was made, in seconds since 1970.
struct MetricMoment {
  const Status& status;
  double now_s;
};

// One series: values of the row's labels, in their order.
struct MetricSample {
  std::vector<std::string> labels;
  double value = 1;
};

struct Metric {
  const char* name;  // without its prefix "scalemark_"
  MetricKind kind;
  std::string labels;  // names with commas between them
  const char* help;
  std::function<std::vector<MetricSample>(const MetricMoment&)> read;
};

// All that a page may hold but the done points, in its order (metric_rows.cpp).
const std::vector<Metric>& metrics();

// --- The live page.

// The whole page; always the same. It needs nothing else but the addresses /past, which it asks
// once, and /now, every 2 s.
std::string live_page();

struct RunNow;

// Keeps what the page draws of the last ten minutes, for those who open it late: a frame for each
// add(), at most 300. It takes at most 2 MB: of more than 64 ranks it keeps means only.
class Past {
 public:
  // `at_s`: seconds since 1970.
  void add(const Status& status, const RunNow& now, double at_s);

  // {"now": `now_s`, "frames": [{"at", "phase", "point", "rate", "loss", "means": {NAME: mean over
  // the ranks}, "values": {NAME: [by rank; null: not known]}}]}, oldest first, times in seconds
  // since 1970. The names are those of /now; what is not known is left out.
  std::string json(double now_s) const;

 private:
  struct Frame {
    double at_s;
    std::string json;
  };
  std::deque<Frame> frames_;
};

// Its parts as text, made at build time from page/* by cmake/embed_text.cmake. Private to
// pages.cpp.
extern const char* const kLivePageFrame;   // live.html
extern const char* const kLivePageScript;  // the scripts, in order

}  // namespace scalemark::live
