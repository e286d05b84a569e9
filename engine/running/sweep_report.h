// The report of a sweep on rank 0: opened anew or continued, one row per finished run, summaries
// after each block. On the other ranks it holds nothing. What the rows mean together stands in
// core/reporting/sweep/summary.h.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/planning/agenda.h"
#include "core/planning/plan.h"
#include "core/reporting/record/report.h"
#include "engine/running/data_shelf.h"
#include "engine/running/point_run.h"
#include "engine/running/rank_life.h"
#include "engine/running/verdict.h"

namespace scalemark::running {

class SweepReport {
 public:
  // Collective over the session. Rank 0 reads what an earlier session left and refuses
  // (configuration(), 78) to go on with something else.
  SweepReport(RankLife& life, Session& session, const planning::Plan& plan, const DataShelf& shelf);

  // Rank 0 only, all of them.
  std::vector<planning::EarlierRun> earlier_runs() const;
  // `started`: when the run began (reporting::utc_now()); `took_s`: since then.
  reporting::PointRecord row_of(const planning::Task& task, const PointRun& run,
                                const Verdict& verdict, const std::string& started,
                                double took_s) const;
  void add(const reporting::PointRecord& row);
  void note_retry(const planning::Task& task, const std::string& reason);
  // `stop_reasons`: why the repetitions of each group ended (Agenda::stop_reasons()).
  void summarise(const std::map<std::string, std::string>& stop_reasons);
  void end_session(const std::map<std::string, std::string>& stop_reasons);
  // Also writes report.md and report.html, before report.json says that all is well. With
  // --fresh-process it says that the sweep goes on: who started these ranks has the last word.
  void close(ExitCode exit_code);
  // report.md and report.html of a sweep that has been stopped: a wish, never throws.
  void render_what_is_there() noexcept;
  reporting::Report report() const { return run_report_->writer()->report(); }

 private:
  reporting::SessionRecord new_session(const std::vector<std::string>& broke_with);
  std::vector<std::string> breaks(const std::vector<monitoring::Host>& hosts, bool with_cuda) const;
  std::map<std::string, std::string> data_identities() const;
  void add_skipped_points();
  reporting::PointRecord identity_of(const planning::PlannedPoint& point,
                                     const settings::Settings& settings,
                                     const planning::RunLength& length,
                                     const launching::World& world) const;

  RankLife& life_;
  const planning::Plan& plan_;
  const DataShelf& shelf_;
  RunReport* run_report_ = nullptr;
  std::optional<reporting::Report> earlier_;
  int session_number_ = 0;
};

}  // namespace scalemark::running
