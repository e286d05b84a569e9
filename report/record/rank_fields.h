// Lists the fields of what points are made of (summaries, phases, set-up times, evaluations,
// ranks), of what a rank sends to rank 0, and of telemetry[], fingerprint[] and health[]: what
// machines did, can do, and what went wrong in them. See core/base/field.h.
#pragma once

#include "core/base/field.h"
#include "core/machine/nccl_log.h"
#include "report/record/records.h"

namespace scalemark::statistics {

template <class A>
constexpr void fields(A& a, typename A::template Field<Bounds>& b) {
  a.values(b.low, b.high);
}

}  // namespace scalemark::statistics

namespace scalemark::monitoring {

template <class A>
constexpr void fields(A& a, typename A::template Field<SourceSummary>& s) {
  a.text(
      "device", s.device,
      {"cuda:0, as in ranks; a network interface; absent: the machine as a whole", Holds::kText});
  a("source", s.source,
    {"what was read, with its unit: sm_clock_MHz, steal_cpus, ...", Holds::kWord});
  a("n", s.n, {"how many values: readings; of what grows (bytes, seconds) intervals between them"});
  a("mean", s.mean, {"mean of the readings; of what grows its growth per second", "", kAnyNumber});
  a("min", s.min, {"the smallest value", "", kAnyNumber});
  a("max", s.max, {"the largest value", "", kAnyNumber});
  a("first", s.first, {"the first value", "", kAnyNumber});
  a("last", s.last, {"the last value", "", kAnyNumber});
  a("total", s.total, {"of what grows: how much it grew", "", kAnyNumber});
  a("observed_s", s.observed_s, {"time from the first reading to the last", "s"});
  a.list(
      "course", s.course,
      {"means over 16 equal parts of that time, in order, 0 for a part without a reading; absent "
       "for few readings",
       "", kAnyNumber});
}

template <class A>
constexpr void fields(A& a, typename A::template Field<NcclChoice>& c) {
  a.record("nccl", "How NCCL carries the data of one machine, as its own log tells");
  a("host", c.host, {"the machine", Holds::kHost});
  a.list("within", c.within,
         {"transports between its GPUs: NVLink, PCIe peer to peer, peer to peer (which of both is "
          "not known), shared memory, or one of between; absent: not known",
          Holds::kWord});
  a.list("between", c.between,
         {"transports to other machines: InfiniBand, RoCE or plugin NAME, each also \"with "
          "GPUDirect\"; sockets; NVLink; absent: not known",
          Holds::kWord});
  a.list(
      "adapters", c.adapters,
      {"its list of adapters, in its order: mlx5_0:1/IB, eth0; absent: not known", Holds::kText});
  a.text("unknown", c.unknown, {"why nothing of it is known", Holds::kText});
}

}  // namespace scalemark::monitoring

namespace scalemark::reporting {

template <class A>
constexpr void fields(A& a, typename A::template Field<TelemetryRecord>& t) {
  a.record("telemetry",
           "One source over the window of one run; METRICS.md, \"The machine during "
           "the window\", says what each source is");
  a("point", t.point, {"id of the run", Holds::kId});
  a("host", t.host, {"the machine", Holds::kHost});
  a("rank", t.rank,
    {"where the source is of one rank, by its control group or its own counts: that rank"});
  a.part(t.values, [&](auto& inner) { fields(inner, t.values); });
}

template <class A>
constexpr void fields(A& a, typename A::template Field<FingerprintRecord>& f) {
  a.record("fingerprint",
           "What one machine does by itself; METRICS.md, \"The machine's fingerprint\", says how "
           "each is measured");
  a("host", f.host, {"the machine", Holds::kHost});
  a("device", f.device, {"where it ran: cpu, or a GPU as in ranks: cuda:0", Holds::kWord});
  a.text("device_name", f.device_name, {"model of that CPU or GPU", Holds::kWord});
  a("rank", f.rank, {"of --checks devices: the rank whose own device it is"});
  a("session", f.session, {"that measured it, as of points[]; absent: the first"});
  a.choice("what", f.what, {"what was measured; every value is a rate, more is faster"});
  a.text("precision", f.precision,
         {"of a matrix product: fp32 | tf32 | fp16 | bf16", Holds::kWord});
  a("threads", f.threads, {"CPU threads that computed"});
  a.text("method", f.method,
         {"what exactly was done: sizes, ranks, how a cache was avoided. Only values of one method "
          "can be compared",
          Holds::kWord});
  a("value", f.value, {"the rate, in the unit beside it; absent: it was not measured"});
  a("unit", f.unit, {"FLOP/s, B/s (bytes) or images/s", Holds::kWord});
  a.pair("ci95", f.ci95,
         {"95 % interval of value within these seconds; says nothing of another day"});
  a("n", f.n, {"calls that were timed"});
  a("seconds", f.seconds, {"time that they took", "s"});
  a.text("reason", f.reason, {"why it was not measured", Holds::kText});
  a.text("disturbed", f.disturbed,
         {"what throttled it or shared its machine meanwhile: it is no bound for others",
          Holds::kText});
  a.list("disturbed_by", f.disturbed_by,
         {"codes of the findings that `disturbed` tells of", Holds::kWord});
  a("sm_clock_MHz", f.sm_clock_MHz, {"of --sustain on a GPU: mean clock meanwhile", "MHz"});
  a("power_W", f.power_W, {"of --sustain on a GPU: mean power meanwhile", "W"});
  a("temperature_C", f.temperature_C,
    {"of --sustain on a GPU: highest temperature meanwhile", "degrees Celsius", kAnyNumber});
}

template <class A>
constexpr void fields(A& a, typename A::template Field<ReplayRecord>& r) {
  a.record(
      "replay",
      "The same work, done again and again on one device, and its bits; METRICS.md, \"The same "
      "bits\", says how");
  a("host", r.host, {"the machine", Holds::kHost});
  a("device", r.device, {"the rank's device: cpu, or cuda:0", Holds::kWord});
  a.text("uuid", r.uuid, {"of a GPU", Holds::kSerial});
  a("rank", r.rank, {"the rank whose device it is"});
  a("session", r.session, {"that did it, as of points[]; absent: the first"});
  a("work", r.work, {"what was done: matrix product, or training of a workload", Holds::kWord});
  a("precision", r.precision,
    {"number format of its matrix products: fp32 | tf32 | fp16 | bf16", Holds::kWord});
  a("method", r.method,
    {"all that the bits depend on: sizes, device, versions of libraries; only equal methods can be "
     "compared",
     Holds::kWord});
  a("rounds", r.rounds, {"how often it was done"});
  a("wrong", r.wrong, {"rounds whose bits differ from those of the first"});
  a.text("first_wrong", r.first_wrong, {"where the first of these differs", Holds::kText});
  a.text("digest", r.digest,
         {"XXH3-128 of the bits of the first round, hexadecimal; absent: it was not done",
          Holds::kWord});
  a.text("reason", r.reason, {"why it was not done", Holds::kText});
}

template <class A>
constexpr void fields(A& a, typename A::template Field<HealthRecord>& h) {
  a.record("health",
           "A counter of hardware before and after one session; METRICS.md, \"Health\", says what "
           "each counts");
  a("host", h.host, {"the machine", Holds::kHost});
  a.text("device", h.device,
         {"cuda:0, as in ranks; mlx5_0/1, a port; a network interface; mc0, a memory controller",
          Holds::kText});
  a.text("uuid", h.uuid, {"of a GPU: its UUID, as in ranks", Holds::kSerial});
  a("counter", h.counter,
    {"what is counted, with its unit where it is no number of events", Holds::kWord});
  a("session", h.session, {"as of points[]"});
  a("before", h.before, {"at its begin; absent: not told then"});
  a("after", h.after,
    {"at its end, of --burn-in after the last block; absent: the session ended early"});
  a("seconds", h.seconds, {"time between the two looks", "s"});
}

}  // namespace scalemark::reporting

namespace scalemark::statistics {

template <class A>
constexpr void fields(A& a, typename A::template Field<Summary>& s) {
  a.record("summary", "A series of values in a few numbers; quantiles of type 7");
  a("n", s.n, {"how many values", "", 0, ""});
  a("mean", s.mean, {"their mean", "s", kAnyNumber});
  a("p50", s.p50,
    {"their median; like all below absent where the values are means over steps_per_mark steps",
     "s", kAnyNumber});
  a("p95", s.p95, {"95 of 100 values are below; from 200 values only", "s", kAnyNumber});
  a("p99", s.p99, {"99 of 100 values are below; from 1,000 values only", "s", kAnyNumber});
  a("min", s.min, {"the smallest", "s", kAnyNumber});
  a("max", s.max, {"the largest", "s", kAnyNumber});
  a("stdev", s.stdev, {"standard deviation of the sample (n - 1); absent for one value", "s"});
}

}  // namespace scalemark::statistics

namespace scalemark::reporting {

template <class A>
constexpr void fields(A& a, typename A::template Field<Phases>& p) {
  a.record("phases", "Mean seconds per step; they sum to the mean step");
  a("data_wait", p.data_wait, {"the host waited for the next batch", "s", kAnyNumber});
  a("host_to_device", p.host_to_device,
    {"copying the batch to the device, where computation does not hide it", "s", kAnyNumber});
  a("forward", p.forward, {"forward pass and loss", "s", kAnyNumber});
  a("backward", p.backward, {"backward pass without exposed communication", "s", kAnyNumber});
  a("exposed_communication", p.exposed_communication,
    {"communication that is not overlapped with computation", "s", kAnyNumber});
  a("optimizer", p.optimizer,
    {"clipping of gradients and the optimizer's update", "s", kAnyNumber});
  a("other", p.other, {"the rest of the step", "s", kAnyNumber});
}

template <class A>
constexpr void fields(A& a, typename A::template Field<Scheduling>& s) {
  a.record(
      "scheduling",
      "What kept a rank from a CPU, mean per step; METRICS.md, \"What a rank got of its CPUs\"");
  a("ran_s", s.ran_s, {"its main thread was on a CPU; absent: the kernel does not tell", "s"});
  a("queued_s", s.queued_s,
    {"a computing thread was ready and got no CPU: the one that waited longest; absent as ran_s",
     "s"});
  a("stopped_s", s.stopped_s, {"the process was stopped from outside, or its machine was", "s"});
  a("throttled_s", s.throttled_s,
    {"CPU time that the quota of its control groups held back; absent: no quota is counted", "s"});
  a("major_faults", s.major_faults, {"pages that it had to read from a disk"});
}

template <class A>
constexpr void fields(A& a, typename A::template Field<SetupTimes>& s) {
  a.record("setup", "Seconds before the first measured step; the slowest rank of each part");
  a("rendezvous", s.rendezvous_s, {"until all ranks had met", "s"});
  a("model", s.model_s, {"building the network", "s"});
  a("data", s.data_s, {"opening the data", "s"});
  a("first_step", s.first_step_s, {"the first step, lazy initialisation included", "s"});
}

template <class A>
constexpr void fields(A& a, typename A::template Field<LossAtStep>& l) {
  a.record("loss_at_step", "Training loss at one step");
  a("step", l.step, {"its number, counted from 1 with the first step of the warm-up", "steps", 1});
  a("loss", l.loss, {"mean over ranks", "", kAnyNumber});
}

template <class A>
constexpr void fields(A& a, typename A::template Field<SkippedFile>& s) {
  a.record("skipped", "A file that could not be read");
  a("name", s.name, {"its path", Holds::kPath});
  a("reason", s.reason, {"why it could not be read", Holds::kText});
}

template <class A>
constexpr void fields(A& a, typename A::template Field<Evaluation>& e) {
  a.record("evaluation", "Result of one epoch");
  a("epoch", e.epoch, {"its number, counted from 1"});
  a("train_loss", e.train_loss, {"training loss, mean over the epoch", "", kAnyNumber});
  a("loss", e.loss, {"loss on the held-out samples", "", kAnyNumber});
  a("metric", e.metric, {"what `value` is: top-1 | MLM accuracy", Holds::kWord});
  a("value", e.value, {"the metric on the held-out samples, 0 to 1"});
  a("samples", e.samples, {"how many samples are held out", "samples"});
  a("samples_per_sec", e.samples_per_sec,
    {"training rate of all ranks over the epoch", "samples/s"});
}

template <class A>
constexpr void fields(A& a, typename A::template Field<Resumption>& r) {
  a.record("resumption", "Where a later session of one training went on from a checkpoint");
  a("step", r.step, {"optimizer steps that were done", "steps"});
  a("at", r.at, {"when it went on, RFC 3339, UTC", Holds::kWord});
}

template <class A>
constexpr void fields(A& a, typename A::template Field<RankRecord>& r) {
  a.record("rank", "One rank over the window");
  a("rank", r.rank, {"its number in the launch"});
  a("host", r.host, {"the machine it ran on", Holds::kHost});
  a("device", r.device, {"what it computed on: cpu | cuda:0", Holds::kWord});
  a.text("uuid", r.uuid, {"unique id of its GPU or MIG instance", Holds::kSerial});
  a("samples", r.samples, {"samples that it trained on, padding excluded", "samples"});
  a("wall_s", r.wall_s, {"length of its window", "s"});
  a("around_s", r.around_s,
    {"from before the barrier that begins its window to after the one that ends it: no shorter "
     "than the window of any rank, else clocks_disagree",
     "s"});
  a("step_s", r.step_s, {"its steps"});
  a.object("own_s",
           [&](auto& inner) {
             inner.record("rank_own", "A rank's step minus its exposed communication");
             inner("mean", r.own_mean_s, {"mean over its steps", "s", kAnyNumber});
             inner("mean_ln", r.own_mean_ln,
                   {"mean of the natural logarithm; absent when a step was communication only",
                    "ln s", kAnyNumber});
           },
           {"its steps without exposed communication; absent as phases_s is"});
  a("data_wait_s", r.data_wait_s,
    {"waits for data that made a step longer, mean per step; absent as phases_s is", "s",
     kAnyNumber});
  a("exposed_communication_s", r.exposed_communication_s,
    {"communication that is not overlapped with computation, mean per step; absent as phases_s is",
     "s", kAnyNumber});
  a("phases_s", r.phases_s,
    {"parts of its step, mean per step; absent where steps run as a whole"});
  a("scheduling", r.scheduling, {"what kept it from a CPU"});
  a("memory_peak_bytes", r.memory_peak_bytes,
    {"largest memory that its tensors held at one time", "bytes"});
  a("memory_reserved_bytes", r.memory_reserved_bytes,
    {"largest memory that torch's allocator had taken from its GPU; absent on a CPU", "bytes"});
  a.text("cpus", r.cpus,
         {"the CPUs that it could run on, by --bind, its launcher or a cpuset, as Linux writes "
          "them: 0-3,8",
          Holds::kWord});
  a("memory_node", r.memory_node,
    {"the memory node that its memory came from first (--bind numa); absent: the nearest one"});
  a("cpu_limit", r.cpu_limit,
    {"CPUs that the quota of its control groups gives it; absent: no quota"});
  a("memory_limit_bytes", r.memory_limit_bytes,
    {"the tightest memory limit of its control groups; absent: none", "bytes"});
}

template <class A>
constexpr void fields(A& a, typename A::template Field<Attempt>& t) {
  a.record("attempt", "One measurement of a run that was measured more than once");
  a("samples_per_sec", t.samples_per_sec, {"throughput; absent: it failed", "samples/s"});
  a.text("reason", t.reason,
         {"why it was repeated; of the last one what disturbed it, or how it failed; absent: "
          "nothing did",
          Holds::kText});
}

template <class A>
constexpr void fields(A& a, typename A::template Field<RawStepsRecord>& r) {
  a.record("raw_steps", "The file that --raw-steps wrote: see \"Raw steps\"");
  a("file", r.file, {"its path below the output folder", Holds::kId});
  a("bytes", r.bytes, {"its size", "bytes"});
  a("xxh3_128", r.xxh3_128, {"checksum of the file, hexadecimal", Holds::kWord});
}

template <class A>
constexpr void fields(A& a, typename A::template Field<OutOfMemory>& o) {
  a.record("oom", "Which rank did not get the memory that it asked for");
  a("rank", o.rank, {"its number in the launch"});
  a("requested_bytes", o.requested_bytes, {"size of the allocation that was refused", "bytes"});
}

template <class A>
constexpr void fields(A& a, typename A::template Field<BucketRecord>& b) {
  a.record("bucket",
           "A bucket of gradients: seconds since its step began, medians over five steps after "
           "the window, means over ranks");
  a("bytes", b.bytes, {"what one rank hands to the collective", "bytes"});
  a("collective", b.collective,
    {"what carries it: all_reduce | reduce_scatter | all_to_all | gather", Holds::kWord});
  a("ready_s", b.ready_s, {"its last gradient was computed", "s"});
  a("start_s", b.start_s, {"it was handed to the backend", "s"});
  a("end_s", b.end_s, {"its collective was done", "s"});
  a("hidden_share", b.hidden_share,
    {"part of start_s to end_s before the last bucket was ready, while backward computed; 0 to "
     "1"});
}

template <class A>
constexpr void fields(A& a, typename A::template Field<FindingPlace>& p) {
  a.record("place", "What a finding blames: what is not known of it is absent");
  a("rank", p.rank, {"the rank"});
  a.text("host", p.host, {"the machine", Holds::kHost});
  a.text("device", p.device, {"the device of the rank", Holds::kText});
  a.text("link", p.link, {"the two ends of a link", Holds::kText});
}

template <class A>
constexpr void fields(A& a, typename A::template Field<CauseRecord>& c) {
  a.record("cause", "A part of the step that had a cause; DIAGNOSIS.md lists the codes");
  a("code", c.code, {"names the cause for scripts", Holds::kWord});
  a("is_fault", c.is_fault,
    {"true: something is wrong; false: it is a cost of how the run is set up"});
  a("domain", c.domain, {"where to look for it, as of errors[]", Holds::kWord});
  a("layer", c.layer, {"device | node | link | fabric | software", Holds::kWord});
  a("seconds", c.seconds, {"what it takes of a step", "s"});
  a("place", c.place, {"where it was seen"});
  a("text", c.text, {"the cause for people, one sentence with its numbers", Holds::kText});
  a.text("try", c.remedy, {"what to try", Holds::kText});
  a("at_most_s", c.at_most_s, {"a step gets shorter by no more than this without it", "s"});
  a("predicted_s", c.predicted_s,
    {"a step gets shorter by about this if that is done; absent: it cannot be told", "s"});
  a.list("values", c.values, {"the numbers of the text", Holds::kWord, kAnyNumber});
  a.list("words", c.words, {"the names and words of the text", Holds::kText});
}

template <class A>
constexpr void fields(A& a, typename A::template Field<CostBlock>& b) {
  a.values(b.step_s, b.own_s);
}

template <class A>
constexpr void fields(A& a, typename A::template Field<RankMeasurement>& m) {
  a.stays(m.series);
  a.values(m.record, m.serves, m.iterations, m.steps_per_mark, m.padded, m.left_out, m.tokens,
           m.non_pad_tokens, m.loss_first, m.loss_last, m.loss_course, m.energy_J, m.setup_s,
           m.warmup_iterations, m.warmup_settled, m.payload_bytes_per_step, m.bucket_bytes,
           m.bucket_timeline, m.exchange_alone_s, m.exchange_latency_s, m.cost_blocks,
           m.exposed_batches, m.skipped, m.attention_backends, m.machine, m.cpu_group, m.telemetry);
}

}  // namespace scalemark::reporting
