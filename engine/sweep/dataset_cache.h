// The data of all points of a sweep. Each data set is opened once, before the first point, so that
// unreadable data are refused early and no measured time includes the opening.
#pragma once

#include <map>
#include <set>
#include <string>

#include "core/plan/plan.h"
#include "engine/train/workload_data.h"

namespace scalemark::sweeping {

class DatasetCache {
 public:
  // Throws what open_data() throws.
  DatasetCache(const planning::Plan& plan, process::DataAccess& access);

  const running::WorkloadData& of(const settings::Settings& settings) const;

  // Returns the identities of all sets, for the comparison between ranks.
  std::string identity() const;

  // Returns the notes on all sets, each once.
  std::set<std::string> notes() const;

 private:
  std::map<std::string, running::WorkloadData> datasets_;
};

}  // namespace scalemark::sweeping
