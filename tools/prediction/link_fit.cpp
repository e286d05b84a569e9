#include "tools/prediction/link_fit.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/prediction/least_squares.h"

namespace scalemark::prediction {
namespace {

constexpr std::size_t kFewestSizes = 3;
constexpr double kWorthASegment = 0.5;
// Message times are known to a few percent at best; below that, two segments only follow noise.
constexpr double kNoise = 1e-4;

double error_of(const Segment& segment, std::span<const MessageTime> messages) {
  double sum = 0;
  for (const MessageTime& message : messages) {
    const double predicted = segment.link.alpha_s + message.bytes * segment.link.s_per_byte;
    sum += std::pow(predicted / message.seconds - 1, 2);
  }
  return sum;
}

}  // namespace

Segment fit_link(std::span<const MessageTime> messages) {
  if (messages.size() < 2) throw bug("a link cannot be fitted to fewer than 2 messages");
  double largest = 0;
  for (const MessageTime& message : messages) {
    if (!(message.seconds > 0)) throw bug("a message time is not positive");
    largest = std::max(largest, message.bytes);
  }
  if (!(largest > 0)) throw bug("a link cannot be fitted to empty messages");
  std::vector<Equation> equations;
  for (const MessageTime& message : messages) {
    equations.push_back({{1 / message.seconds, message.bytes / largest / message.seconds}, 1});
  }
  const auto solved = non_negative_least_squares(equations);
  Segment segment{.link = {.alpha_s = solved[0], .s_per_byte = solved[1] / largest}};
  for (const MessageTime& message : messages) {
    const double predicted = segment.link.alpha_s + message.bytes * segment.link.s_per_byte;
    segment.worst_relative_error =
        std::max(segment.worst_relative_error, std::abs(predicted / message.seconds - 1));
  }
  return segment;
}

std::vector<Segment> fit_segments(std::span<const MessageTime> messages) {
  std::vector<MessageTime> sorted(messages.begin(), messages.end());
  std::sort(sorted.begin(), sorted.end(), [](auto& a, auto& b) { return a.bytes < b.bytes; });
  const std::span<const MessageTime> all(sorted);
  std::vector<Segment> best = {fit_link(all)};
  double least = error_of(best[0], all) * kWorthASegment - kNoise;
  for (std::size_t cut = kFewestSizes; cut + kFewestSizes <= all.size(); ++cut) {
    if (all[cut].bytes == all[cut - 1].bytes) continue;
    Segment low = fit_link(all.first(cut)), high = fit_link(all.subspan(cut));
    const double error = error_of(low, all.first(cut)) + error_of(high, all.subspan(cut));
    if (error >= least) continue;
    least = error;
    high.from_bytes = all[cut].bytes;
    best = {low, high};
  }
  return best;
}

const Segment& segment_of(const std::vector<Segment>& segments, double bytes) {
  const auto next = std::find_if(segments.begin(), segments.end(), [&](const Segment& segment) {
    return segment.from_bytes > bytes;
  });
  return next == segments.begin() ? segments.front() : *(next - 1);
}

}  // namespace scalemark::prediction
