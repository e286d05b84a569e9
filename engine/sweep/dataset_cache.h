// The data of all points of a sweep, each set opened once, before the first point: unreadable data
// are refused early, and opening is not part of any measured time.
#pragma once

#include <map>
#include <set>
#include <string>

#include "core/plan/plan.h"
#include "engine/train/workload_data.h"

namespace scalemark::sweeping {

class DatasetCache {
 public:
  // Throws as open_data().
  DatasetCache(const planning::Plan& plan, process::DataAccess& access);

  const running::WorkloadData& of(const settings::Settings& settings) const;

  // The identities of all sets, for the comparison between ranks.
  std::string identity() const;

  // The notes on all of them, each once.
  std::set<std::string> notes() const;

 private:
  std::map<std::string, running::WorkloadData> datasets_;
};

}  // namespace scalemark::sweeping
