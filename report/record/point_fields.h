// Lists the fields of points[]: one measured configuration. See field.h.
#pragma once

#include "report/record/rank_fields.h"
#include "report/record/records.h"
#include "report/record/report_json.h"

namespace scalemark::reporting {

template <class A, class Point>
constexpr void what_was_trained(A& a, Point& p) {
  a("id", p.id, {"names the run: its group and its repetition; unique in the report", Holds::kId});
  a("group", p.group, {"names the planned point; the same for all its repetitions", Holds::kId});
  a("workload", p.workload, {"what was trained: resnet50, bert-base, ...", Holds::kWord});
  a.text("task", p.task, {"what BERT was trained for: pretrain | squad", Holds::kWord});
  a("strategy", p.strategy,
    {"how ranks train together: a name that --strategy takes", Holds::kWord});
  a("overlap", p.overlap, {"gradients were exchanged while the backward pass still ran"});
  a("gradient_compression", p.gradient_compression,
    {"format in which gradients were sent: none | fp16 | bf16", Holds::kWord});
  a("backend", p.backend, {"communication backend: a name that --backend takes", Holds::kWord});
  a("device", p.device, {"where it computed: cpu | cuda", Holds::kWord});
  a.text("device_name", p.device_name, {"GPU product whose peak MFU is relative to", Holds::kWord});
  a("precision", p.precision, {"arithmetic: fp32 | tf32 | amp-fp16 | amp-bf16", Holds::kWord});
  a("memory_format", p.memory_format,
    {"order of image tensors: channels-last | contiguous", Holds::kWord});
}

template <class A, class Point>
constexpr void size_fields(A& a, Point& p) {
  a("threads", p.threads, {"compute threads of one rank"});
  a("world_size", p.world_size, {"how many ranks trained together", "ranks"});
  a("processes", p.processes,
    {"operating-system processes that they ran in: one each; one more with a dedicated server; one "
     "for "
     "all of data-parallel"});
  a("nodes", p.nodes, {"machines that they ran on"});
  a("members", p.members, {"their numbers in the launch"});
  a("batch_size", p.batch_size,
    {"samples per rank and micro-step; absent in a skipped row that has none", "samples", 1});
  a("gradient_accumulation_steps", p.gradient_accumulation_steps,
    {"micro-steps per optimizer step; absent as batch_size", "", 1});
  a("global_batch_size", p.global_batch_size,
    {"samples per optimizer step: product of the two and world_size", "samples"});
  a("bucket_cap_mb", p.bucket_cap_mb, {"size of a gradient bucket", "MiB"});
  a("image_size", p.image_size, {"side of the square image, of image workloads", "pixels"});
  a("sequence_length", p.sequence_length,
    {"tokens per sequence with padding, of text workloads", "tokens"});
  a("activation_checkpointing", p.activation_checkpointing,
    {"each block kept only its input, and backward ran its forward again; of resnet50 and bert"});
  a("stochastic_depth", p.stochastic_depth,
    {"share of batches that skipped the last residual branch, 0 to 1; of resnet50"});
  a("fused_layers", p.fused_layers,
    {"what lies between convolutions or matrix products was done by few operations of ours; of "
     "resnet50 in channels-last, and of bert"});
  a("cuda_graphs", p.cuda_graphs,
    {"the work of a step was captured once and replayed from then on, started by one call; on a "
     "GPU. phases_s and own_s are absent then"});
  a("data", p.data, {"synthetic, or the path of the data set", Holds::kPath});
  a.text("data_identity", p.data_identity,
         {"digest that identifies the data set: of the files' contents or of their list",
          Holds::kWord});
  a.list("varying", p.varying,
         {"every other option that is an axis of the sweep, with its value", Holds::kOptions});
  a.list("env", p.env,
         {"environment variables that --env gave the ranks; unset: they ran without it",
          Holds::kVariables});
}

template <class A, class Point>
constexpr void identity_fields(A& a, Point& p) {
  what_was_trained(a, p);
  size_fields(a, p);
  a("repetition", p.repetition, {"which repetition of its point this run is, counted from 0"});
  a("order", p.order, {"position of the run in its block, counted from 0"});
  a("block", p.block, {"round over all points that the run belongs to, counted from 0"});
  a("session", p.session, {"invocation of the program that ran it, counted from 0: see sessions"});
  a.time("started", p.started, {"when the run began"});
}

template <class A, class Point>
constexpr void outcome_fields(A& a, Point& p) {
  a.choice("status", p.status,
           {"ok: it was measured; oom: a rank was out of memory; failed: it ended with an error; "
            "skipped: it cannot run here"});
  a.text("reason", p.reason, {"why it is not ok", Holds::kText});
  a.list(
      "attempts", p.attempts,
      {"every measurement of a run that was repeated (--retries), in order: the last one is this "
       "row, whatever the others gave"});
  a("outside_window_s", p.outside_window_s,
    {"how long the run took apart from warm-up, window and what --communication-cost adds", "s"});
  a("oom", p.oom, {"which rank did not get the memory that it asked for"});
  a("memory_estimate_bytes", p.memory_estimate_bytes,
    {"memory of the process with most as it was estimated before the run: a rank's, or a dedicated "
     "server's",
     "bytes"});
}

template <class A, class Point>
constexpr void throughput_fields(A& a, Point& p) {
  a("iterations", p.iterations, {"optimizer steps of the window", "steps"});
  a("samples", p.samples, {"samples that all ranks executed, padding excluded", "samples"});
  a("wall_s", p.wall_s, {"length of the window of the slowest rank", "s"});
  a("step_time_s", p.step_time_s,
    {"T: wall_s / iterations; samples_per_sec times it are the samples of a step", "s"});
  a("steps_per_mark", p.steps_per_mark,
    {"GPU steps too short to mark each: one step in so many is marked, and values of steps are "
     "means over so many",
     "steps", 2});
  a("step_mean_over_ranks_s", p.step_mean_over_ranks_s,
    {"mean step over steps and ranks; phases_s sum to it", "s"});
  a.object(
      "own_s",
      [&](auto& inner) {
        inner.record("own", "A rank's step minus its exposed communication");
        inner("mean", p.own_mean_s, {"mean over steps and ranks", "s", kAnyNumber});
        inner("max_of_rank_means", p.own_max_of_rank_means_s,
              {"of the rank that is slowest on average", "s", kAnyNumber});
        inner("mean_of_step_max", p.own_mean_of_step_max_s,
              {"mean over steps of the rank that is slowest in each step; absent of several ranks "
               "with steps_per_mark, and of local-sgd, whose ranks do not wait in each step",
               "s", kAnyNumber});
      },
      {"step minus exposed communication; absent as phases_s is"});
  a("samples_per_sec", p.samples_per_sec, {"throughput: samples / wall_s", "samples/s"});
  a("samples_per_sec_per_rank", p.samples_per_sec_per_rank,
    {"throughput by the number of ranks", "samples/s"});
  a("compute_samples_per_sec", p.compute_samples_per_sec,
    {"throughput without the waits for data that made steps longer", "samples/s"});
  a("tokens_per_sec", p.tokens_per_sec, {"throughput of text workloads in tokens", "tokens/s"});
  a("non_pad_share", p.non_pad_share, {"share of the tokens that is no padding, 0 to 1"});
  a.pair("within_run_ci95", p.within_run_ci95,
         {"95 % interval of samples_per_sec within this run; says nothing of other runs",
          "samples/s", kAnyNumber});
  a("step_s", p.step_s, {"step_samples_s in a few numbers"});
  a("step_samples_s", p.step_samples_s,
    {"length of each step, of its slowest rank; with steps_per_mark means over so many steps each",
     "s"});
  a("phases_s", p.phases_s,
    {"parts of the step, mean over steps and ranks; absent where steps run as a whole (a captured "
     "graph), so that only their begin is marked",
     "", 0, "phase_s"});
}

template <class A, class Point>
constexpr void training_fields(A& a, Point& p) {
  a.object("loss",
           [&](auto& inner) {
             inner.record("loss", "Training loss, mean over ranks");
             inner("first", p.loss_first,
                   {"of the first step of the window", "", kAnyNumber, nullptr, true});
             inner("last", p.loss_last,
                   {"of the last step of the window", "", kAnyNumber, nullptr, true});
             inner.list("course", p.loss_course,
                        {"at steps 1 to 15, 16, 18, ... 30, 32, 36, ...: the same ones in every "
                         "run, so that runs can be compared; absent with --epochs"});
           },
           {"training loss at both ends of the window, and on the way"});
  a("attention_backend", p.attention_backend,
    {"which attention kernels training steps used: torch's flash, efficient, cudnn or math, or "
     "own, "
     "with dropout on a CPU; two joined by + where padded batches use another",
     Holds::kWord});
  a.list("evaluation", p.evaluation, {"one per epoch of --epochs"});
  a.list("resumed", p.resumed, {"where later sessions went on from a checkpoint, in order"});
}

template <class A, class Point>
constexpr void cost_fields(A& a, Point& p) {
  a("memory_peak_bytes", p.memory_peak_bytes,
    {"largest memory that the tensors of any rank, or of a dedicated server, held at one time",
     "bytes"});
  a("server_memory_peak_bytes", p.server_memory_peak_bytes,
    {"the dedicated server's; absent without one (--server dedicated)", "bytes"});
  a("memory_reserved_bytes", p.memory_reserved_bytes,
    {"largest memory that torch's allocator had taken from the GPU for any rank: with what it "
     "keeps "
     "for later tensors; absent on a CPU",
     "bytes"});
  a("energy_J", p.energy_J, {"energy of all members' devices over the window", "J"});
  a("noop_step_s", p.noop_step_s,
    {"T_noop: mean of the same steps without communication (--communication-cost)", "s"});
  a("break_even_steps", p.break_even_steps,
    {"steps from which on a parallel run has caught up with one rank, start-up included", "steps"});
  a.object("model",
           [&](auto& inner) {
             inner.record("model", "The network");
             inner("parameters", p.parameters, {"how many numbers are trained"});
             inner("flops_per_sample", p.flops_per_sample,
                   {"forward and backward pass of one sample, 2 per multiply-add", "FLOP"});
           },
           {"size of the network"});
  a("mfu", p.mfu,
    {"model FLOP/s over the datasheet peak, 1 = 100 %; of GPUs and precisions whose peak is "
     "known"});
  a("mfu_peak_source", p.mfu_peak_source, {"which datasheet that peak comes from", Holds::kWord});
  a("mfu_of_measured_gemm", p.mfu_of_measured_gemm,
    {"model FLOP/s over the matrix products that fingerprint[] holds of its precision, threads and "
     "machines, 1 = 100 %; absent without them"});
}

template <class A>
constexpr void fields(A& a, typename A::template Field<CommunicationTimes>& c) {
  a("peer_wait_s", c.peer_wait_s,
    {"part of phases_s.exposed_communication: waiting for the rank that is slowest in the "
     "step, mean over steps and ranks; absent where nothing is exchanged, and as "
     "own_s.mean_of_step_max",
     "s", kAnyNumber});
  a("network_s", c.network_s,
    {"the rest of phases_s.exposed_communication: communication after the slowest rank has "
     "come; absent as peer_wait_s",
     "s", kAnyNumber});
  a.pair("exposed_ci95", c.exposed_ci95,
         {"95 % interval of peer_wait_s + network_s over parts of this run's window", "s",
          kAnyNumber});
  a("cost_s", c.cost_s,
    {"T - T_noop: what communication adds to a step (--communication-cost)", "s", kAnyNumber});
  a.pair("cost_ci95", c.cost_ci95,
         {"95 % interval of cost_s over quadruples of blocks of this run", "s", kAnyNumber});
  a("contention_s", c.contention_s,
    {"own time with communication less own time without (--communication-cost): what "
     "communication takes from what runs at the same time",
     "s", kAnyNumber});
  a.pair("contention_ci95", c.contention_ci95,
         {"95 % interval of contention_s, as of cost_s", "s", kAnyNumber});
  a("alone_s", c.alone_s,
    {"the all-reduces of a step's buckets by themselves, one after the other, without computation, after the "
     "window; absent with --epochs, and of strategies that exchange otherwise",
     "s"});
  a("latency_s", c.latency_s, {"an all-reduce of four bytes by itself, as alone_s", "s"});
  a("noop_imbalance_s", c.noop_imbalance_s,
    {"T_noop less the ranks' mean own time without communication (--communication-cost): what "
     "the slowest rank needs more than the mean, which peer_wait_s holds and cost_s does not",
     "s", kAnyNumber});
  a("efficiency", c.efficiency,
    {"T_noop / T (--communication-cost): 1, where communication costs nothing"});
  a.pair("efficiency_ci95", c.efficiency_ci95, {"95 % interval of efficiency, as of cost_s"});
}

template <class A, class Point>
constexpr void circumstance_fields(A& a, Point& p) {
  a.object(
      "warmup",
      [&](auto& inner) {
        inner.record("warmup", "The steps before the window, and whether they were enough");
        inner("iterations", p.warmup_iterations, {"steps before the window", "steps"});
        inner("settled", p.warmup_settled,
              {"whether step times had settled when it ended; false: its time was over. "
               "Absent where it had a given number of steps, or few"});
        inner("steady", p.steady,
              {"whether the window was steady; absent: it cannot tell", "", 0, "steady"});
        inner.text("steady_reason", p.steady_reason,
                   {"what was seen of a change, and what could hide", Holds::kText});
        inner("bias_bound", p.bias_bound,
              {"by how much the mean step may be off for a decay (a warm-up or slowdown) no "
               "longer than the window: 0.01 = 1 %; absent for fewer than 20 steps"});
        inner.list("biases", p.biases,
                   {"by how much it seems to be: of decays to 1/e in .05, .1, .2, .5 and 1 of "
                    "the window, each fitted alone; 0.01 = 1 % too long",
                    "", kAnyNumber});
        inner("change_point_step", p.change_point_step,
              {"the first step of a new level, counted from 0; absent: none was found", "steps"});
        inner.text("method", p.warmup_method,
                   {"what decided how many steps there were", Holds::kText});
      },
      {"before the window"});
  a.object("communication",
           [&](auto& inner) {
             inner.record("communication", "Exchange of gradients in one step");
             inner("payload_bytes_per_step", p.payload_bytes_per_step,
                   {"what rank 0 hands to collectives", "bytes"});
             inner.part(p.communication, [&](auto& parts) { fields(parts, p.communication); });
             inner("buckets", p.bucket_bytes, {"size of each bucket of gradients", "bytes"});
             inner.list("bucket_timeline", p.bucket_timeline,
                        {"each bucket of gradients on its way through a step, in the order in "
                         "which they leave; absent with --epochs, and where a "
                         "GPU's gradients go through the host"});
           },
           {"what is exchanged in a step"});
  a.object("data_loading",
           [&](auto& inner) {
             inner.record("data_loading", "Samples that are not counted");
             inner("padded", p.padded,
                   {"samples that were repeated so that all ranks have as many", "samples"});
             inner("left_out", p.left_out,
                   {"samples that an epoch of --epochs did not train on, because they fill no "
                    "batch; added up over epochs",
                    "samples"});
             inner("skipped", p.skipped, {"files that could not be read"});
             inner(
                 "replaced_bytes", p.replaced_bytes,
                 {"bytes of a text that are no UTF-8, or NUL: the tokenizer drops them", "bytes"});
             inner.list("files_left_out", p.files_left_out,
                        {"files that the folder of the data holds and that are not read: what they "
                         "are, or the suffix of images -> number",
                         Holds::kText});
           },
           {"samples that were repeated, left out or unreadable"});
}

template <class A>
constexpr void fields(A& a, typename A::template Field<PointRecord>& p) {
  a.record("point", "One run of one configuration");
  identity_fields(a, p);
  outcome_fields(a, p);
  if (!a.measured(p.status, PointStatus::kOk)) return;
  a("setup_s", p.setup_s, {"time before the first measured step, by part"});
  throughput_fields(a, p);
  training_fields(a, p);
  cost_fields(a, p);
  circumstance_fields(a, p);
  a("raw_steps", p.raw_steps, {"every rank's steps in a file (--raw-steps)"});
  a("ranks", p.ranks, {"one per member, by rank"});
  a.list(
      "causes", p.causes,
      {"why the step is as long as it is: faults, then costs, each the largest first; DIAGNOSIS.md"});
  standing_fields(a, p.standing);
}

}  // namespace scalemark::reporting
