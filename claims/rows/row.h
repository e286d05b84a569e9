// One number that somebody published, with its source, and the rows that come with the project. The
// values are the source's own, errors included, and are not judged here.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/field.h"
#include "core/base/words.h"

namespace scalemark::published {

// The denominator of a ratio: the value in another row, or under another value of an option.
struct Relative {
  std::optional<std::string> row, option, from, to;
};
template <class A>
constexpr void fields(A& a, typename A::template Field<Relative>& r) {
  a.record("relative", "What a ratio is relative to: another row, or another value of an option");
  a("row", r.row, {"id of the row that is the denominator"});
  a("option", r.option, {"an option of scalemark, with underscores"});
  a("from", r.from, {"its value in the denominator"});
  a("to", r.to, {"its value in the numerator"});
}

// A throughput or any other claim. results/published/README.md and published.schema.json
// describe its form and origin.
struct Row {
  std::string id;     // "pub-0001": never changes
  std::string group;  // the table that it is from
  // Its place in the source. Commit and line are unset where they are not known.
  std::string repo, path;
  std::optional<std::string> commit;
  std::optional<std::int64_t> line;
  // These members say what was measured. They are empty or unset where a claim does not say it.
  std::string framework, system, workload, precision;
  std::optional<std::string> phase, data;
  std::optional<std::int64_t> sequence_length;
  std::optional<std::int64_t> gpus, nodes;
  // The batch is per micro-step; that of a whole submission may be a fraction.
  std::optional<double> batch_per_gpu;
  std::optional<std::int64_t> gradient_accumulation_steps, global_batch_size;
  // These members are for a throughput. It is counted in `unit`, and unset where only a training
  // time was published.
  std::optional<double> throughput;
  std::string unit;  // "img/s" | "seq/s" | ...
  std::optional<double> published_speedup, time_to_train_min;
  std::optional<std::string> scaling_label, note;
  // These are for any other claim: a metric with a value or a range, absolute or as a ratio.
  std::string metric;  // empty: throughput
  std::optional<double> value, low, high;
  std::string direction;  // about | at_least | at_most
  std::optional<Relative> relative_to;
  std::map<std::string, std::string> conditions;  // option -> value
  std::optional<std::string> collective, backend, counts;
  std::optional<std::int64_t> bytes, repeats;
  std::optional<double> spread;
  std::map<std::string, std::string> printed;  // field -> text in the source
  std::optional<std::string> untestable;
};
template <class A>
constexpr void fields(A& a, typename A::template Field<Row>& r) {
  a.record("row", "One published number with its source");
  a("id", r.id, {"unique over all files, and never changed"});
  a("group", r.group, {"the table that it stands in"});
  a("repo", r.repo, {"owner/name of the repository; practice: what guides advise"});
  a("commit", r.commit, {"of the repository"});
  a("path", r.path, {"file in the repository, or the subject in words"});
  a("line", r.line, {"of the file", "", 1});
  a.text("framework", r.framework, {"in the source's words"});
  a.text("system", r.system, {"machine and chips, in the source's words"});
  a.text("workload", r.workload, {"network"});
  a("phase", r.phase, {"pretrain, squad1.1, ..."});
  a.text("precision", r.precision, {"fp32, tf32, amp_fp16, amp_bf16, fp32_or_tf32, ..."});
  a("data", r.data, {"synthetic or real"});
  a("seq_len", r.sequence_length, {"tokens of a sequence", "", 1});
  a("nodes", r.nodes, {"that took part", "", 1});
  a("gpus", r.gpus, {"that took part", "", 1});
  a("batch_per_gpu", r.batch_per_gpu, {"samples per GPU and micro-step"});
  a("accum", r.gradient_accumulation_steps, {"micro-steps per optimizer step", "", 1});
  a("global_batch", r.global_batch_size, {"samples per optimizer step", "", 1});
  a("throughput", r.throughput, {"per second over all GPUs, in unit"});
  a.text("unit", r.unit, {"of throughput"});
  a("speedup_published", r.published_speedup, {"as the source states it"});
  a("time_to_train_min", r.time_to_train_min, {"minutes to the target quality", "min"});
  a("scaling_label", r.scaling_label, {"the kind of scaling as the source states it"});
  a("note", r.note, {"how a value was derived or corrected"});
  a.text("metric", r.metric, {"absent: throughput; else what value, low and high are"});
  a("value", r.value, {"of the metric, or its ratio to what relative_to names"});
  a("low", r.low, {"lower end of a range"});
  a("high", r.high, {"upper end of a range"});
  a.text("direction", r.direction, {"about | at_least | at_most"});
  a("relative_to", r.relative_to, {"the claim is a ratio to this"});
  a.list("conditions", r.conditions, {"values of options under which the claim is made"});
  a("collective", r.collective, {"all_reduce, ..."});
  a("bytes", r.bytes, {"size of the collective", "bytes", 1});
  a("backend", r.backend, {"nccl | gloo | mpi"});
  a("counts", r.counts, {"what exactly the number counts"});
  a("repeats", r.repeats, {"how many runs it is the mean of", "", 1});
  a("spread", r.spread, {"their standard deviation, as a share"});
  a.list("printed", r.printed, {"by field: the text as the source prints it"});
  a("untestable", r.untestable, {"why nobody can test it: a reason that the source gives"});
}

// Reads one row per line (JSON Lines), in the order of the text. Throws bad_data() (65), naming
// `origin` and the line, for text that is not JSON, an unknown or missing field, a field of the
// wrong type, a count or throughput that is not positive, and a claim with nothing to test.
std::vector<Row> parse_rows(std::string_view text, std::string_view origin);

// The files of results/published inside the program, one per source. Each is parsed only when it is
// needed.
std::span<const NamedText> library_files();

// Throws bad_data() (65) for an id that two rows have. `where` names the library in the message.
void order_by_id(std::vector<Row>& rows, const std::string& where);

// All rows of the program's own library, ordered by id.
std::vector<Row> own_library();

// Whether a file of this name belongs to a library: it is *.jsonl, and not hidden.
bool is_library_file(const std::filesystem::path& path);

// Reads the rows of all such files in `folder`, ordered by id. Throws no_input() (66) when the
// folder cannot be read or holds none, bad_data() (65) for a row that does not parse and an id that
// two rows have.
std::vector<Row> read_library(const std::string& folder);

}  // namespace scalemark::published
