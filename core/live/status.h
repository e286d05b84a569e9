// A run as it stands now: what status.json, `scalemark top` and the endpoint show. Rank 0 gathers
// the ranks' records; counters grow from the start of the run, and readers make rates of two of
// them. Knows no store and no file.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/field.h"
#include "core/machine/machine_numbers.h"

namespace scalemark::live {

// A number of a machine, and the member that holds it, which has its name.
template <class Record, class Value = std::optional<double>>
struct NumberIn {
  const char* name;
  Value Record::*value;
  monitoring::MachineNumber is;
};

template <class A, class Record, class Numbers>
constexpr void number_fields(A& a, Record& record, const Numbers& numbers) {
  for (const auto& one : numbers) a(one.name, record.*one.value, one.is.about);
}

// Readings of a rank's GPU, of this moment. Its counters count since the driver was loaded, but for
// Xid errors: since the run began.
struct GpuStatus {
  std::string device, uuid;
#define SCALEMARK_GPU(member, ...) std::optional<double> member;
#include "core/machine/machine_numbers.inc"
  std::vector<std::string> held_down_by;
};
inline constexpr auto kGpuNumbers = std::to_array<NumberIn<GpuStatus>>({
#define SCALEMARK_GPU(member, ...) {#member, &GpuStatus::member, monitoring::numbers::member},
#include "core/machine/machine_numbers.inc"
});
template <class A>
constexpr void fields(A& a, typename A::template Field<GpuStatus>& g) {
  a.record("gpu", "A GPU as its rank reads it");
  a("device", g.device, {"as CUDA calls it"});
  a.text("uuid", g.uuid, {"its UUID"});
  number_fields(a, g, kGpuNumbers);
  a.list("held_down_by", g.held_down_by, {"what holds its clocks down"});
}

// A rank posts this every 1 to 2.5 s, in at most 300 bytes.
struct RankStatus {
  int rank = 0;
  std::string host, device;  // rank 0 adds them, local_rank and silent_s
  int local_rank = 0;
  std::int64_t beats = 0;
  double clock_s = 0;
  double silent_s = 0;
  std::string phase;
  std::optional<std::int64_t> step;
  std::int64_t steps = 0, samples = 0, payload_bytes = 0;
  std::int64_t collectives = 0, all_collectives = 0;
  double data_wait_s = 0;
  std::optional<double> since_step_s;
  std::int64_t resident_bytes = 0, major_faults = 0, late_wakeups = 0;
  double cpu_s = 0, watching_cpu_s = 0;
  std::optional<double> main_ran_s, main_queued_s;
  std::optional<GpuStatus> gpu;
};
template <class A>
constexpr void fields(A& a, typename A::template Field<RankStatus>& r) {
  a.record("rank", "A rank's newest sign of life");
  a("rank", r.rank, {"its number"});
  a.text("host", r.host, {"its machine"});
  a("local_rank", r.local_rank, {"its number on its machine"});
  a.text("device", r.device, {"what it computes on"});
  a("beats", r.beats, {"signs of life so far"});
  a("clock_s", r.clock_s, {"time on its own clock, from its start, at which it wrote this", "s"});
  a("silent_s", r.silent_s, {"how long rank 0 has had no newer one", "s"});
  a("phase", r.phase, {"rendezvous, data, model, warmup, window, epochs, wait, ..."});
  a("step", r.step, {"last step that ended, counted from 0; absent before the first"});
  a("steps", r.steps, {"optimizer steps that ended, of all trainings so far"});
  a("samples", r.samples, {"trained on so far"});
  a("collectives", r.collectives, {"begun so far, in the group in use"});
  a("all_collectives", r.all_collectives, {"begun so far, in all groups"});
  a("payload_bytes", r.payload_bytes, {"of gradients and weights handed over so far", "bytes"});
  a("data_wait_s", r.data_wait_s, {"waited for data so far", "s"});
  a("since_step_s", r.since_step_s, {"from the end of its last step to clock_s", "s"});
  a("resident_bytes", r.resident_bytes, {"of its process", "bytes"});
  a("major_faults", r.major_faults, {"pages that it has read from a disk"});
  a("late_wakeups", r.late_wakeups, {"times its sampler woke more than 5 ms late"});
  a("cpu_s", r.cpu_s, {"CPU time of its process", "s"});
  a("watching_cpu_s", r.watching_cpu_s, {"of it, of the threads that watch the run", "s"});
  a("main_ran_s", r.main_ran_s, {"its main thread on a CPU", "s"});
  a("main_queued_s", r.main_queued_s, {"its main thread ready, without a CPU", "s"});
  a("gpu", r.gpu, {"its GPU; absent on a CPU"});
}

struct InterfaceStatus {
  std::string name;
#define SCALEMARK_INTERFACE_RATE(rate, member, ...) double member = 0;
#include "core/machine/machine_numbers.inc"
};
inline constexpr auto kInterfaceNumbers = std::to_array<NumberIn<InterfaceStatus, double>>({
#define SCALEMARK_INTERFACE_RATE(rate, member, ...) \
  {#member, &InterfaceStatus::member, monitoring::numbers::member},
#include "core/machine/machine_numbers.inc"
});
template <class A>
constexpr void fields(A& a, typename A::template Field<InterfaceStatus>& i) {
  a.record("interface", "A network interface");
  a("name", i.name, {"as the system calls it"});
  number_fields(a, i, kInterfaceNumbers);
}

// The first rank of a machine adds these to its record: counters since the machine started, but for
// those of this moment. What is not there is absent.
struct NodeStatus {
  std::string host;
  double clock_s = 0;
#define SCALEMARK_NODE(member, ...) std::optional<double> member;
#include "core/machine/machine_numbers.inc"
  std::optional<double> sampler_cpu_s;
  std::int64_t cpus = 0;
  std::vector<InterfaceStatus> interfaces;
};
inline constexpr auto kNodeNumbers = std::to_array<NumberIn<NodeStatus>>({
#define SCALEMARK_NODE(member, ...) {#member, &NodeStatus::member, monitoring::numbers::member},
#include "core/machine/machine_numbers.inc"
});
template <class A>
constexpr void fields(A& a, typename A::template Field<NodeStatus>& n) {
  a.record("node", "A machine as its first rank reads it");
  a("host", n.host, {"its name"});
  a("clock_s", n.clock_s, {"time on that rank's clock at which it was read", "s"});
  number_fields(a, n, kNodeNumbers);
  a("sampler_cpu_s", n.sampler_cpu_s, {"CPU time of that rank's sampler", "s"});
  a("cpus", n.cpus, {"that this rank's machine has"});
  a.list("interfaces", n.interfaces, {"of the network"});
}

// Keeps the reading as the newest of its machine, unless clock_s shows that it is older. Ranks of a
// machine take turns to read it, and their records overtake each other: of each counter the larger
// is kept, so that none falls.
void keep_newest(std::map<std::string, NodeStatus>& by_host, const std::string& host,
                 NodeStatus reading);

// A rank's sign of life as it goes through the store.
struct HeartbeatRecord {
  RankStatus rank;
  std::optional<NodeStatus> node;  // only the first rank of a machine sends it
};
template <class A>
constexpr void fields(A& a, typename A::template Field<HeartbeatRecord>& b) {
  a.values(b.rank, b.node);
}

struct FoundSoFar {
  std::string code, severity, point, text;
};
template <class A>
constexpr void fields(A& a, typename A::template Field<FoundSoFar>& f) {
  a.record("found", "A finding of the report so far");
  a("code", f.code, {"its kind"});
  a("severity", f.severity, {"info | warning | error"});
  a.text("point", f.point, {"the run that it is about"});
  a("text", f.text, {"one sentence"});
}

// A held-out evaluation of --epochs.
struct EvaluationStatus {
  std::int64_t epoch = 0;
  double loss = 0;
  std::string metric;
  double value = 0;
};
template <class A>
constexpr void fields(A& a, typename A::template Field<EvaluationStatus>& e) {
  a.record("evaluation", "The newest evaluation on held-out data");
  a("epoch", e.epoch, {"behind which it was made, counted from 1"});
  a("loss", e.loss, {"mean loss of the held-out samples"});
  a("metric", e.metric, {"top-1, ..."});
  a("value", e.value, {"of the metric, a share"});
}

struct CountedRuns {
  std::string status;
  std::int64_t count = 0;
};
template <class A>
constexpr void fields(A& a, typename A::template Field<CountedRuns>& c) {
  a.record("counted", "Runs of one status");
  a("status", c.status, {"ok | oom | failed | skipped"});
  a("count", c.count, {"how many there are"});
}

// Settings of the training that runs now, as the report names them; of `comm` the backend only.
struct TrainingStatus {
  std::string workload, strategy, backend, precision;
  std::int64_t batch_size = 0, world_size = 0;
};
template <class A>
constexpr void fields(A& a, typename A::template Field<TrainingStatus>& t) {
  a.record("training", "What is trained or measured now");
  a.text("workload", t.workload, {"the network"});
  a.text("strategy", t.strategy, {"how it is trained on several ranks"});
  a.text("backend", t.backend, {"what carries the payload"});
  a.text("precision", t.precision, {"of the computation"});
  a("batch_size", t.batch_size, {"samples of a rank's micro-step"});
  a("world_size", t.world_size, {"ranks that take part"});
}

inline constexpr std::string_view kStatusSchema = "scalemark.status/1";

struct Status {
  std::string run_id, command, version, commit;
  std::string what;  // "resnet50, batch 8 per rank, fp32, ddp over gloo, 2 ranks"
  TrainingStatus training;
  std::string endpoint;
  std::string started, written;   // RFC 3339, UTC
  std::string state = "running";  // or a status of the report
  std::string phase, point;
  std::optional<std::int64_t> done, planned;            // steps of the phase
  std::optional<std::int64_t> runs_done, runs_planned;  // only a sweep has them
  std::vector<CountedRuns> runs;
  std::optional<double> seconds_left;
  std::string sample_unit = "samples";
  std::optional<double> loss, learning_rate;
  std::optional<EvaluationStatus> evaluation;
  std::vector<RankStatus> ranks;
  std::vector<NodeStatus> nodes;
  std::vector<FoundSoFar> findings;
};
template <class A>
constexpr void fields(A& a, typename A::template Field<Status>& s) {
  a.record("status", "A run as it stands: status.json in its output folder");
  a.constant("schema", kStatusSchema.data(), {"name and version of this form"});
  a("run_id", s.run_id, {"of the report"});
  a("command", s.command, {"train | sweep | comm"});
  a("version", s.version, {"of the program"});
  a("commit", s.commit, {"that it was built from"});
  a.text("what", s.what, {"what is trained or measured, in words"});
  a("training", s.training, {"the same as fields"});
  a.text("endpoint", s.endpoint, {"where its pages are served: HOST:PORT; absent: nowhere"});
  a.time("started", s.started, {"when the run began"});
  a.time("written", s.written, {"when rank 0 wrote this: as old as rank 0's last sign of life"});
  a("state", s.state, {"running; at its end complete, interrupted or failed"});
  a.text("phase", s.phase, {"of rank 0"});
  a.text("point", s.point, {"the run of a sweep, or what is measured now"});
  a("done", s.done, {"steps of this phase that are done"});
  a("planned", s.planned, {"steps that this phase has; absent where time decides"});
  a("runs_done", s.runs_done, {"runs that are done"});
  a("runs_planned", s.runs_planned, {"runs that are planned"});
  a.list("runs", s.runs, {"those of the report so far, by status"});
  a("seconds_left", s.seconds_left, {"to the end of the phase, or of a sweep's plan", "s"});
  a("sample_unit", s.sample_unit, {"what samples are: images, sequences, ..."});
  a("loss", s.loss, {"rank 0's last one"});
  a("learning_rate", s.learning_rate, {"of its last step"});
  a("evaluation", s.evaluation, {"of --epochs"});
  a.list("ranks", s.ranks, {"all that have shown a sign of life"});
  a.list("nodes", s.nodes, {"their machines"});
  a.list("findings", s.findings, {"of the report so far"});
}

// One JSON object; ends with a line end.
std::string to_json(const Status& status);

// Throws bad_data() (65) naming `origin` for what is no status, or one of a later form.
Status parse_status(std::string_view text, std::string_view origin);

}  // namespace scalemark::live
