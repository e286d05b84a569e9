// The newest records of a run, as many as rates need, and what they say of now: one memory for the
// screen of `top` and the live page. Reads no file and no network.
#pragma once

#include <deque>
#include <optional>

#include "core/live/rates.h"

namespace scalemark::live {

class Recent {
 public:
  // `status` is the newest from now on. Records that come faster than one a second are not all
  // kept, so that a minute of them is there however often somebody asks.
  void add(Status status);

  const std::optional<Status>& newest() const { return newest_; }
  // Rates of the newest, which must be there, without and with marks (marks.h). `age_s`: since it
  // was written.
  RunNow rates(double age_s) const;
  RunNow now(double age_s) const;

 private:
  const Status* base() const { return base_of(earlier_, *newest_); }

  std::optional<Status> newest_;
  std::deque<Status> earlier_;  // oldest first
};

}  // namespace scalemark::live
