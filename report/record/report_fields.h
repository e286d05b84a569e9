// Lists the fields of the report as a whole: who ran what on which machines, its lists, and
// claims[]. See field.h.
#pragma once

#include "core/base/field.h"
#include "core/machine/host.h"
#include "report/record/collective_fields.h"
#include "report/record/comparison.h"
#include "report/record/point_fields.h"
#include "report/record/rank_fields.h"
#include "report/record/report.h"
#include "report/record/report_json.h"
#include "report/record/sweep_fields.h"

namespace scalemark::reporting {

template <class A>
constexpr void fields(A& a, typename A::template Field<ClaimRecord>& c) {
  a.record("claim", "A published number beside what was measured here");
  a("row", c.row, {"id of the published row", Holds::kText});
  a("table", c.table,
    {"the table that it stands in, as `scalemark published show` names it", Holds::kText});
  a("source", c.source, {"where it was printed", Holds::kText});
  a("what", c.what, {"what it is about", Holds::kText});
  a("metric", c.metric, {"throughput, speedup, step_s, ...: of a change its ratio", Holds::kWord});
  a("claimed_low", c.claimed_low,
    {"lower end of what is claimed; equal to claimed_high of one number; absent where it is open"});
  a("claimed_high", c.claimed_high, {"upper end"});
  a("measured", c.measured, {"the same number here"});
  a.pair("measured_ci95", c.measured_ci95_low, c.measured_ci95_high,
         {"its 95 % interval; absent of one run"});
  a("ratio", c.ratio, {"measured / the nearest end of what is claimed"});
  a("tolerance", c.tolerance, {"share by which the ends are widened"});
  a.text("tolerance_source", c.tolerance_source, {"where the tolerance is from", Holds::kText});
  a.text("basis", c.basis,
         {"same_hardware | other_precision | other_hardware | scaled_down", Holds::kWord});
  a.choice("verdict", c.verdict,
           {"confirmed, refuted (differs_here on other hardware), undecided; of a rate reached or "
            "not_reached; scaled down same_direction or other_direction; not_judged, not_measured, "
            "not_testable: see reason"});
  a.text("reason", c.reason, {"why there is no verdict, or what would decide", Holds::kText});
  a.list("groups", c.groups, {"groups of the report that went in", Holds::kId});
  standing_fields(a, c.standing);
}

}  // namespace scalemark::reporting

namespace scalemark::monitoring {

// --- A machine of environment.hosts[], with its cores, network cards, RDMA ports and GPUs.

template <class A>
constexpr void fields(A& a, typename A::template Field<Cores>& c) {
  a.record("cores", "CPU cores");
  a("physical", c.physical, {"cores that the machine has"});
  a("logical", c.logical, {"the same with each hyper-thread counted"});
  a("usable", c.usable, {"logical cores in the affinity mask of rank 0 of this machine"});
}

template <class A>
constexpr void fields(A& a, typename A::template Field<CgroupLimits>& c) {
  a.record("cgroup", "Limits of the control group that the ranks run in; an absent limit: none");
  a("version", c.version, {"version of control groups: 1 | 2; 0: none is mounted"});
  a("cpus", c.cpus, {"CPU time that the group may use, in cores", "cores"});
  a("memory_bytes", c.memory_bytes, {"memory that the group may use", "bytes"});
}

template <class A>
constexpr void fields(A& a, typename A::template Field<Nic>& n) {
  a.record("nic", "A network card");
  a("name", n.name, {"name of the interface", Holds::kText});
  a("state", n.state, {"up | down | ..., as the kernel says", Holds::kWord});
  a("speed_Mbit_per_s", n.speed_Mbit_per_s,
    {"speed of the link as the driver says", "Mbit/s", kAnyNumber});
  a("mtu", n.mtu, {"largest packet", "bytes"});
}

template <class A>
constexpr void fields(A& a, typename A::template Field<RdmaPort>& r) {
  a.record("rdma_port", "A port of an InfiniBand or RoCE adapter");
  a("device", r.device, {"name of the adapter: mlx5_0", Holds::kText});
  a("port", r.port, {"its number on the adapter, from 1"});
  a("state", r.state, {"ACTIVE | DOWN | INIT | ..., as the kernel says", Holds::kWord});
  a("physical_state", r.physical_state,
    {"LinkUp | Polling | Disabled | ..., as the kernel says", Holds::kWord});
  a("link_layer", r.link_layer, {"InfiniBand, or Ethernet: RoCE", Holds::kWord});
  a("rate_Gbit_per_s", r.rate_Gbit_per_s, {"rate of the link as it is now", "Gbit/s"});
  a.text("netdev", r.netdev, {"network interface over the same port", Holds::kText});
}

template <class A>
constexpr void fields(A& a, typename A::template Field<MigInstance>& m) {
  a.record("mig_instance", "A slice of a GPU in MIG mode");
  a("name", m.name, {"product and slice", Holds::kWord});
  a.text("uuid", m.uuid, {"unique id, MIG-...; absent in a redacted report", Holds::kSerial});
  a("memory_bytes", m.memory_bytes, {"memory of the slice", "bytes"});
}

template <class A>
constexpr void fields(A& a, typename A::template Field<Pcie>& p) {
  a.record("pcie", "PCI Express link");
  a("generation", p.generation, {"1 to 6"});
  a("width", p.width, {"lanes"});
}

template <class A>
constexpr void fields(A& a, typename A::template Field<Gpu>& g) {
  a.record("gpu", "A GPU as NVML shows it, or CUDA where there is no NVML");
  a("index", g.index, {"its number in the driver's order, by PCI address"});
  a("name", g.name, {"product name", Holds::kWord});
  a.text("uuid", g.uuid, {"unique id", Holds::kSerial});
  a.text("pci", g.pci, {"PCI address", Holds::kSerial});
  a.text("serial", g.serial, {"serial number of the board", Holds::kSerial});
  a("memory_bytes", g.memory_bytes, {"memory in all", "bytes"});
  a.text("driver", g.driver, {"version of the driver", Holds::kWord});
  a.object("compute_capability",
           [&](auto& inner) {
             inner.record("compute_capability", "CUDA compute capability");
             inner("major", g.compute_major, {"number before the point"});
             inner("minor", g.compute_minor, {"number behind the point"});
           },
           {"which instructions the chip has"});
  a.object("clocks",
           [&](auto& inner) {
             inner.record("clocks", "Highest clock rates");
             inner("max_sm_MHz", g.max_sm_clock_MHz, {"of the multiprocessors", "MHz"});
             inner("max_memory_MHz", g.max_memory_clock_MHz, {"of the memory", "MHz"});
           },
           {"highest clock rates that the driver allows"});
  a("power_limit_W", g.power_limit_W, {"power limit that the driver enforces", "W"});
  a.part(g.pcie, [&](auto& whole) {
    whole.object("pcie", [&](auto& inner) { fields(inner, g.pcie); },
                 {"the link as it is now, not as it could be"});
  });
  a("nvlink", g.nvlinks, {"NVLinks that are active"});
  a.list("mig_instances", g.mig_instances, {"slices of a GPU in MIG mode"});
}

template <class A>
constexpr void fields(A& a, typename A::template Field<Host>& h) {
  a.record("host", "One machine");
  a("hostname", h.hostname, {"name of the machine", Holds::kHost});
  a.text("scheduler_node", h.scheduler_node,
         {"its name in the scheduler: SLURMD_NODENAME, or NODE_NAME of a pod", Holds::kHost});
  a.text("boot_id", h.boot_id,
         {"changes with each boot; absent in a redacted report", Holds::kSerial});
  a.text("os", h.os, {"distribution and its version", Holds::kWord});
  a.text("kernel", h.kernel, {"name, release and architecture of the kernel", Holds::kWord});
  a.text("cpu", h.cpu, {"model of the CPU", Holds::kWord});
  a("cores", h.cores, {"CPU cores of the machine, and how many of them the ranks may use"});
  a("cpu_flags", h.cpu_flags,
    {"instruction sets that matter for training, in the kernel's spelling: avx2, avx512f, ...",
     Holds::kWord});
  a("cgroup", h.cgroup, {"limits of the control group"});
  a("memory_bytes", h.memory_bytes, {"memory installed", "bytes"});
  a("nics", h.nics, {"network cards"});
  a.list("rdma", h.rdma, {"ports of InfiniBand and RoCE adapters"});
  a("gpus", h.gpus, {"all GPUs that the driver shows, also those that are not used"});
  a.list("visible_gpus", h.visible_gpus,
         {"index of each GPU that CUDA_VISIBLE_DEVICES leaves, in its order"});
  a.text("gpu_note", h.gpu_note, {"facts about the GPUs that are unknown, and why", Holds::kText});
}

}  // namespace scalemark::monitoring

namespace scalemark::reporting {

template <class A>
constexpr void fields(A& a, typename A::template Field<Finding>& f) {
  a.record("finding", "What a reader of the numbers should know");
  a("code", f.code, {"names the finding for scripts; see \"Codes of findings\"", Holds::kWord});
  a.word("severity", f.severity, {"info", "warning", "error"},
         {"info: explains a number; warning: a number may mislead; error: a number is wrong"});
  a.text("domain", f.domain, {"where to look for the cause, as of errors[]", Holds::kWord});
  a.text("point", f.point, {"id of the point that it is about", Holds::kId});
  a("place", f.place, {"what it blames"});
  a("text", f.text, {"the finding for people, one sentence with its numbers", Holds::kText});
  a.list("values", f.values,
         {"the numbers of the text; see \"Codes of findings\" for their names", Holds::kWord,
          kAnyNumber});
  a.list("words", f.words, {"the names and words of the text", Holds::kText});
}

template <class A>
constexpr void fields(A& a, typename A::template Field<VerdictReason>& r) {
  a.record("reason", "Why a report is not to be quoted without a word");
  a("code", r.code,
    {"code of the finding that it stands for, or incomplete, nothing_measured, scaled_down, "
     "few_runs, wide_interval; judged_anew: the version that wrote the report gave another level",
     Holds::kWord});
  a("text", r.text, {"the reason for people, one sentence", Holds::kText});
  a.text("remedy", r.remedy, {"what raises the verdict", Holds::kText});
}

template <class A>
constexpr void fields(A& a, typename A::template Field<Verdict>& v) {
  a.record("verdict", "How far the numbers of the report are to be trusted");
  a.choice("level", v.level,
           {"quotable: as they stand; with_care: together with the reasons; do_not_quote: they say "
            "little of the machine"});
  a("reasons", v.reasons,
    {"at most three, the gravest first, and judged_anew; of quotable at most that"});
}

template <class A>
constexpr void fields(A& a, typename A::template Field<LibraryVersion>& l) {
  a.record("library", "A version of a library");
  a("built_with", l.built_with, {"version of the headers at build time", Holds::kWord});
  a("running_with", l.running_with, {"version that was loaded when it ran", Holds::kWord});
}

template <class A>
constexpr void fields(A& a, typename A::template Field<Tool>& t) {
  a.record("tool", "The program that wrote the report");
  a("version", t.version, {"version of scalemark", Holds::kWord});
  a("git_commit", t.git_commit,
    {"commit that it was built from, 12 digits, or \"unknown\"", Holds::kWord});
  a("git_dirty", t.git_dirty, {"the checkout had changes that were not committed"});
  a("build_type", t.build_type, {"CMake build type", Holds::kWord});
  a("compiler", t.compiler, {"name and version of the compiler", Holds::kWord});
  a("libraries", t.libraries,
    {"versions of libtorch, cuda, cudnn, nccl, mpi; of a build from changed sources also the "
     "program's own libraries, by build id",
     Holds::kWord});
}

template <class A>
constexpr void fields(A& a, typename A::template Field<Invocation>& i) {
  a.record("invocation", "How the program was started");
  a("command", i.command, {"train, sweep, comm, ...", Holds::kWord});
  a.text("command_line", i.command_line, {"the command line as typed", Holds::kCommand});
  a("launcher", i.launcher,
    {"who started the ranks: single | local | torch | slurm | openmpi | flux | pals | jsrun | pmi | kubernetes",
     Holds::kWord});
  a.text("launcher_command", i.launcher_command,
         {"what was typed before it, as `mpirun -n 2 --host a,b`, where that can be read",
          Holds::kLauncher});
  a.embedded("settings", i.settings_json,
             {"every setting as resolved, option names with underscores; of a sweep those that "
              "change results, a list where points differ, and its own"});
  a("origins", i.origins,
    {"where each setting comes from: default | recipe | config FILE | environment | option | set | "
     "scale_down",
     Holds::kOrigins});
  a.text("about", i.about, {"what the config file says that it shows", Holds::kText});
}

template <class A>
constexpr void fields(A& a, typename A::template Field<ScaledDown>& s) {
  a.record("scaled_down", "An option that --scale-down changed");
  a("option", s.option, {"its name", Holds::kOption});
  a("from", s.from, {"its value without --scale-down", Holds::kValue});
  a("to", s.to, {"its value in this run", Holds::kValue});
}

template <class A>
constexpr void fields(A& a, typename A::template Field<Environment>& e) {
  a.record("environment", "Where it ran");
  a("hosts", e.hosts, {"one per machine"});
  a("variables", e.variables,
    {"environment variables of rank 0 out of an allow-list", Holds::kVariables});
}

// The lists of a report: one entry per run, and the results of a sweep.
template <class A, class R>
constexpr void list_fields(A& a, R& r) {
  a("points", r.points, {"one per run: its configuration and what was measured"});
  a.list("groups", r.groups, {"of a sweep: one per planned point, over its repetitions"});
  a.list("scaling", r.scaling, {"of a sweep: one table per slice"});
  a.list("stragglers", r.stragglers,
         {"ranks whose own time differs from the others', with a verdict"});
  a.list("devices", r.devices,
         {"of runs with no exchange (strategy none on several ranks): one per device and point"});
  a("fastest", r.fastest, {"of a sweep: the fastest point, and what may be as fast"});
  a.list("data_gaps", r.data_gaps, {"what real data costs against synthetic data"});
  a.list("effects", r.effects,
         {"what the values of each axis give against its first value; of comm between backends, "
          "data types and the like"});
  a.list("tuning", r.tuning, {"the fastest values that --tune found"});
  a.list("communication_limits", r.communication_limits,
         {"of a sweep over batch sizes: from which on communication stays below 30 and 10 %"});
  a("drift", r.drift, {"how speed moved over the sweep"});
  a.list("sessions", r.sessions, {"invocations of the program that added points"});
  a.list("predictions", r.predictions, {"throughput that predict expects of more ranks"});
  a.list("telemetry", r.telemetry,
         {"the machine during the windows: one per run, host, device and source"});
  a.list("fingerprint", r.fingerprint,
         {"what the machines do by themselves, measured before the first block (sweep --thorough) "
          "or by doctor --measure: one per host, device, kind, precision and number of threads"});
  a.list("replays", r.replays,
         {"of --checks replay: the same work on each device, and its bits: one per rank, work and "
          "precision"});
  a.list("health", r.health,
         {"counters of errors before and after each session (--checks health): one per session, "
          "host, device and counter; counters that cannot be read are absent"});
  a.list("nccl", r.nccl,
         {"of --checks devices and comm --pairs over NCCL: how it carries data, one per host, by "
          "the last session that used it"});
  a.list("collectives", r.collectives, {"of comm: one per run of a collective"});
  a.list("collective_groups", r.collective_groups,
         {"of comm: one per planned point, over its repetitions"});
  a.list("collective_winners", r.collective_winners,
         {"of comm: which backend is the fastest at which size"});
  a.list("collective_fits", r.collective_fits,
         {"of comm: latency and bandwidth of a model of each series over sizes"});
  a.list("links", r.links,
         {"between hosts or ranks: of comm --pairs, and of runs over several nodes"});
  a.list("claims", r.claims, {"of reproduce: published numbers beside what was measured"});
  a("findings", r.findings, {"what a reader of the numbers should know"});
  a("errors", r.errors, {"what went wrong"});
}

template <class A>
constexpr void fields(A& a, typename A::template Field<Report>& r) {
  a.record("report",
           "What one run measured, where and how. Readers ignore fields they do not know. "
           "docs/reference/REPORT.md explains each field, docs/reference/METRICS.md each number.");
  a.constant("schema", kSchema, {"names this format and its version"});
  a("verdict", r.verdict, {"how far to trust the numbers; absent while partial"});
  a.choice(
      "status", r.status,
      {"partial: the run is in progress, or rank 0 was lost; complete: it finished; interrupted: a "
       "signal ended it; failed: see errors"});
  a("exit_code", r.exit_code, {"the program's exit code; absent while partial"});
  a.time("started", r.started, {"when the run began; of a sweep its first session"});
  a.time_if_any("finished", r.finished, {"when the run ended; absent while partial"});
  a("run_id", r.run_id, {"names the launch: the same on all its ranks", Holds::kId});
  a("tool", r.tool, {"the program that wrote the report"});
  a("invocation", r.invocation, {"how the program was started"});
  a.list("scaled_down", r.scaled_down,
         {"what --scale-down changed: the report shows the method, not the number"});
  a("environment", r.environment, {"machines and environment variables"});
  list_fields(a, r);
}

}  // namespace scalemark::reporting
