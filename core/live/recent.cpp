#include "core/live/recent.h"

#include <utility>

#include "core/live/marks.h"

namespace scalemark::live {
namespace {

// The time between them is that of rank 0's clock, which begins anew with another process.
bool are_apart(const Status& before, const Status& now) {
  constexpr double kApart_s = 1;
  if (before.ranks.empty() || now.ranks.empty()) return true;
  const double seconds = now.ranks.front().clock_s - before.ranks.front().clock_s;
  return seconds >= kApart_s || seconds < 0;
}

}  // namespace

void Recent::add(Status status) {
  constexpr std::size_t kKept = 40;  // a minute and more, at one each 2 s
  if (newest_ && (earlier_.empty() || are_apart(earlier_.back(), *newest_)))
    earlier_.push_back(std::move(*newest_));
  newest_ = std::move(status);
  if (earlier_.size() > kKept) earlier_.pop_front();
}

RunNow Recent::rates(double age_s) const { return rates_of(base(), *newest_, age_s); }

RunNow Recent::now(double age_s) const {
  RunNow run = rates(age_s);
  mark_ranks(base(), *newest_, run);
  return run;
}

}  // namespace scalemark::live
