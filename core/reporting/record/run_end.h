// How a run ends that came to its end: which findings make it end with an error. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/reporting/record/runs.h"

namespace scalemark::reporting {

// --fail-on: codes of findings, parts, warning, error or none, with commas between.
class FailOn {
 public:
  // Throws refusal() (78) for a word that is none of these.
  explicit FailOn(std::string_view text);
  bool names(const Finding& finding) const;

 private:
  std::vector<std::string> words_;
};

// How a run ends that came to its end.
struct RunEnd {
  ExitCode exit_code = ExitCode::kPass;
  std::string why;  // one sentence; empty when there is nothing to say
};

// kOutOfMemory where nothing fitted into memory, kUnsure where runs failed or were out of memory;
// else kPass, with nothing to say.
RunEnd end_of_runs(const RunCounts& runs);

// `end`, or, where its code is kPass or kUnsure and `fail_on` names a finding of the report, kFail
// and that finding.
RunEnd judged_end(RunEnd end, const Report& report, const FailOn& fail_on);

}  // namespace scalemark::reporting
