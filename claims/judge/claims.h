// Sets published numbers against reports: the commands that test them, a verdict on each claim, and
// the rates that are nearest to a measured one, which nobody judges. Pure. The rules stand in
// docs/PUBLISHED.md, "How a claim is judged" and "The nearest rows".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "claims/judge/evidence.h"
#include "claims/rows/names.h"
#include "claims/rows/row.h"
#include "core/base/error.h"
#include "core/base/terminal.h"
#include "report/record/comparison.h"

namespace scalemark::claims {

// A command that tests published numbers.
struct PlannedCommand {
  std::string command;  // sweep | comm
  // Options stand as typed, without dashes: {"workload", "resnet50"}, {"world_sizes", "1,8"}.
  std::vector<std::pair<std::string, std::string>> options;
  std::string about;  // one sentence says what it tests

  // Returns the words that follow `scalemark`.
  std::vector<std::string> words() const;
  // Returns the same as the text of a configuration file.
  std::string config_text() const;
};

// Returns the commands that test the tables, each configuration once; empty: nothing can be tested.
// A table that is no cross product of GPUs and precisions becomes several sweeps. `precision`: only
// this one of a table's; empty: all. `scaled_down`: the commands will be made smaller, and name
// what the claims need even so: the values that are compared, repetitions, the cost of
// communication.
std::vector<PlannedCommand> commands_for(const std::vector<published::NamedTable>& tables,
                                         const std::string& precision = "",
                                         bool scaled_down = false);

// Holds what the claims need to know of a machine.
struct Machine {
  std::string chip;                     // published::chip_in() names it so
  std::int64_t gpus = 0;                // 0: ranks train on CPUs
  std::int64_t ranks = 0;               // there can be so many
  std::vector<std::string> precisions;  // it trains in these, by scalemark's names
  bool scaled_down = false;             // runs are made smaller: no rate is compared
};

// The claims of tables that a machine can answer.
struct Answerable {
  std::size_t claims = 0, all = 0;          // so many of all; those that are counted need no run
  std::set<std::int64_t> ranks;             // on which they are measured
  std::set<std::int64_t> wanted;            // claims that it cannot answer want these
  std::vector<published::NamedTable> runs;  // the rows to be measured, with their denominators
};
Answerable answerable_on(const Machine& machine, const std::vector<published::NamedTable>& tables);

// Writes "3 of 22 claims can be answered here, on 1 and 2 ranks", or why none can.
std::string answerable_text(const Machine& machine, const Answerable& found);

// Where tables belong of which a machine answers nothing as it is: "this table is of 8 x H100 80GB
// HBM3", and what --scale-down would answer, if it `compares` anything.
struct Elsewhere {
  std::string where, instead;
  bool compares = false;
};
Elsewhere elsewhere(Machine machine, const std::vector<published::NamedTable>& tables);

// Judges each row. A throughput gives a claim on its rate, and from the second count of GPUs on
// another on its speed-up over the first. Rows that cannot be tested are included with their
// reason.
std::vector<reporting::ClaimRecord> judge(const std::vector<published::NamedTable>& tables,
                                          Reports reports);

// kFail: refuted or not reached on the same hardware; kUnsure: undecided, or nothing judged.
ExitCode exit_code_of(const std::vector<reporting::ClaimRecord>& claims);

// Writes a table, then the rows that could not be tested with their reasons, and a count of each
// verdict.
std::string claims_text(const std::vector<reporting::ClaimRecord>& claims,
                        const Terminal& terminal);
std::string claims_markdown(const std::vector<reporting::ClaimRecord>& claims);
std::string claims_csv(const std::vector<reporting::ClaimRecord>& claims);
// Writes one object per claim, with the fields of claims[] of a report.
std::string claims_json_lines(const std::vector<reporting::ClaimRecord>& claims);
// `started`: RFC 3339, UTC.
std::string claims_junit(const std::vector<reporting::ClaimRecord>& claims,
                         const std::string& started);

// A training. Its names are those of published::trained_as() and published::chip_in().
struct MeasuredRate {
  std::string workload, chip, precision, framework;
  std::int64_t gpus = 1;  // 1 and more
  // Samples per GPU and micro-step, and tokens of a sequence. Unset: not known, or there is none.
  std::optional<std::int64_t> batch_size, sequence_length;
  double samples_per_sec = 0;  // all GPUs give it together; above 0
};

// Whether the row is a throughput that a machine can have.
bool is_rate(const published::Row& row);

// Makes rows of what a report measured, where enough undisturbed runs are left. What is no training
// that others publish is "untestable".
std::vector<published::Row> rows_measured(const reporting::Report& report);

// Returns nothing for a row that no published rate could be about: another task, images of another
// size, a chip that is not known here or an instance of one.
std::optional<MeasuredRate> rate_of(const published::Row& row);

// Each part says how far one thing is off, and they stand by how much that changes the rate of a
// GPU, most first: length of sequences not stated; bits of a number; GPUs; number format; batch;
// framework.
using Distance = std::array<double, 6>;

struct NearRow {
  const published::Row* row = nullptr;
  Distance distance = {};            // each 0: equal; rows of one distance are equally near
  std::vector<std::string> differs;  // "batch 256 instead of 128"; the framework is not among them
  double per_gpu = 0;                // the row's throughput, in its unit
  double ratio = 0;                  // measured / published, of one GPU
};

// Returns the throughputs of the same network and task on the same chip, nearest first. Sequences
// of another length are other work, and another chip is never near: both are left out.
std::vector<NearRow> nearest(std::span<const published::Row> rows, const MeasuredRate& measured);

// Returns the rows that are as near as the first. `near` is not empty.
std::span<const NearRow> equally_near(std::span<const NearRow> near);

// Writes "resnet50, amp-bf16, batch 128, 8 x H100 80GB HBM3: 2,500 per GPU here, 91 % of 2,761
// img/s published (lambda, pub-0791): batch 1280 instead of 128", with all rows that are as near as
// the first. `near` is not empty. `reports`: so many have the rate, of which it is the median.
std::string near_text(const MeasuredRate& measured, std::span<const NearRow> near,
                      std::size_t reports = 1);

// Whether numbers of equally many bits were multiplied; also where either side does not say it.
inline bool has_equal_bits(const NearRow& near) { return near.distance[1] == 0; }

// Writes the last part of it: "91 % of 2,761 img/s published (lambda, pub-0791): batch 1280 instead
// of 128".
std::string beside_text(std::span<const NearRow> near);

// Returns such lines for each training of the reports, of at most three sources: first the nearest
// of each, nearest first. What was scaled down or withheld is left out, and so are rows that lint
// finds impossible (believable()).
std::vector<std::string> published_beside(std::span<const published::Row> rows,
                                          const std::vector<const reporting::Report*>& reports);

// Returns the first of those lines. The program's own library is read only where a report has such
// a training. Empty: none has, or nobody published any.
std::string nearest_published(std::span<const reporting::Report> reports);

// Somebody's log, table or report as far as it could be read, for assess().
struct Pasted {
  std::string file, form;               // form: "Horovod", "table"
  std::vector<published::Row> rows;     // members that it does not say are unset
  std::string place;                    // "lines 12 to 80", where its rate stands; empty: unknown
  std::vector<std::string> impossible;  // each sentence says what in it cannot be true
  std::vector<std::string> doubts;      // each is hardly true beside others of its kind
  std::vector<std::string> unread;      // each sentence names lines or cells
  std::vector<std::string> notes;       // else told to the person who reads it
  std::size_t compared = 0;             // its numbers that others of it could contradict
  std::string repeat = {};              // the command that measured it; empty: unknown
};

struct Assessment {
  std::string measured;  // empty: no row has a number that is known here
  std::vector<std::string> impossible, unread;
  std::vector<std::string> published;   // its place among published rows, and the nearest
  std::vector<std::string> limits;      // the share of the most that the chip could do
  std::vector<std::string> suspicions;  // doubts, and what usually explains such a gap
  std::vector<std::string> notes;
  std::vector<std::string> next;  // commands
  std::size_t compared = 0;
  ExitCode exit_code = ExitCode::kPass;  // kFail: it contradicts itself; kUnsure: nobody can tell

  bool is_compared() const { return compared > 1; }
};
Assessment assess(const Pasted& pasted, std::span<const published::Row> library);

// Writes about five lines, with a label each.
std::string assessment_text(const Assessment& assessment, const Terminal& terminal);
// Writes one object: schema scalemark.assessment/1.
std::string assessment_json(const Assessment& assessment);

}  // namespace scalemark::claims
