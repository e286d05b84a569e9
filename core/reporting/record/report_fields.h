// The names of every field of report.json, one list per record, in the order they are written.
// `a` is a JsonWriter or a JsonReader. Private to report_json.cpp.
#pragma once

#include <utility>

#include "core/reporting/record/report.h"
#include "core/reporting/record/report_json.h"
#include "core/reporting/record/sweep_fields.h"

namespace scalemark {

template <class A>
void fields(A& a, typename A::template Field<ErrorRecord>& e) {
  using enum ErrorDomain;
  a("code", e.code);
  if constexpr (A::kReading) {
    int code = 0;
    a("exit_code", code);
    e.exit_code = static_cast<ExitCode>(code);
  } else {
    a("exit_code", static_cast<int>(e.exit_code));
  }
  a.choice("domain", e.domain, [](ErrorDomain d) { return to_string(d); },
           {kHardware, kNetwork, kSoftware, kData, kLaunch});
  a("what", e.what);
  a.text("expected", e.expected);
  a.text("suggestion", e.hint);
  a("rank", e.rank);
  a.text("host", e.host);
  a.text("phase", e.phase);
  a.text("point", e.point);
  a("step", e.step);
}

}  // namespace scalemark

namespace scalemark::statistics {

template <class A>
void fields(A& a, typename A::template Field<Summary>& s) {
  a("n", s.n);
  a("mean", s.mean);
  a("p50", s.p50);
  a("p95", s.p95);
  a("p99", s.p99);
  a("min", s.min);
  a("max", s.max);
  a("stdev", s.stdev);
}

}  // namespace scalemark::statistics

namespace scalemark::monitoring {

template <class A>
void fields(A& a, typename A::template Field<Cores>& c) {
  a("physical", c.physical);
  a("logical", c.logical);
  a("usable", c.usable);
}

template <class A>
void fields(A& a, typename A::template Field<CgroupLimits>& c) {
  a("version", c.version);
  a("cpus", c.cpus);
  a("memory_bytes", c.memory_bytes);
}

template <class A>
void fields(A& a, typename A::template Field<Nic>& n) {
  a("name", n.name);
  a("state", n.state);
  a("speed_Mbit_per_s", n.speed_Mbit_per_s);
  a("mtu", n.mtu);
}

template <class A>
void fields(A& a, typename A::template Field<MigInstance>& m) {
  a("name", m.name);
  a.text("uuid", m.uuid);  // absent in a redacted report
  a("memory_bytes", m.memory_bytes);
}

template <class A>
void fields(A& a, typename A::template Field<Gpu>& g) {
  a("index", g.index);
  a("name", g.name);
  a.text("uuid", g.uuid);
  a.text("pci", g.pci);
  a.text("serial", g.serial);
  a("memory_bytes", g.memory_bytes);
  a.text("driver", g.driver);
  a.object("compute_capability", [&](auto& inner) {
    inner("major", g.compute_major);
    inner("minor", g.compute_minor);
  });
  a.object("clocks", [&](auto& inner) {
    inner("max_sm_MHz", g.max_sm_clock_MHz);
    inner("max_memory_MHz", g.max_memory_clock_MHz);
  });
  a("power_limit_W", g.power_limit_W);
  a.object("pcie", [&](auto& inner) {
    inner("generation", g.pcie.generation);
    inner("width", g.pcie.width);
  });
  a("nvlink", g.nvlinks);
  a.list("mig_instances", g.mig_instances);
}

template <class A>
void fields(A& a, typename A::template Field<Host>& h) {
  a("hostname", h.hostname);
  a.text("os", h.os);
  a.text("kernel", h.kernel);
  a.text("cpu", h.cpu);
  a("cores", h.cores);
  a("cpu_flags", h.cpu_flags);
  a("cgroup", h.cgroup);
  a("memory_bytes", h.memory_bytes);
  a("nics", h.nics);
  a("gpus", h.gpus);
  a.list("visible_gpus", h.visible_gpus);
  a.text("gpu_note", h.gpu_note);
}

}  // namespace scalemark::monitoring

namespace scalemark::reporting {

template <class A>
void fields(A& a, typename A::template Field<Phases>& p) {
  a("data_wait", p.data_wait);
  a("host_to_device", p.host_to_device);
  a("forward", p.forward);
  a("backward", p.backward);
  a("exposed_communication", p.exposed_communication);
  a("optimizer", p.optimizer);
  a("other", p.other);
}

template <class A>
void fields(A& a, typename A::template Field<SetupTimes>& s) {
  a("rendezvous", s.rendezvous_s);
  a("model", s.model_s);
  a("data", s.data_s);
  a("first_step", s.first_step_s);
}

template <class A>
void fields(A& a, typename A::template Field<SkippedFile>& s) {
  a("name", s.name);
  a("reason", s.reason);
}

template <class A>
void fields(A& a, typename A::template Field<Evaluation>& e) {
  a("epoch", e.epoch);
  a("train_loss", e.train_loss);
  a("loss", e.loss);
  a("metric", e.metric);
  a("value", e.value);
  a("samples", e.samples);
  a("samples_per_sec", e.samples_per_sec);
}

template <class A>
void fields(A& a, typename A::template Field<RankRecord>& r) {
  a("rank", r.rank);
  a("host", r.host);
  a("device", r.device);
  a("samples", r.samples);
  a("wall_s", r.wall_s);
  a("step_s", r.step_s);
  a.object("own_s", [&](auto& inner) {
    inner("mean", r.own_mean_s);
    inner("mean_ln", r.own_mean_ln);
  });
  a("data_wait_s", r.data_wait_s);
  a("exposed_communication_s", r.exposed_communication_s);
  a("phases_s", r.phases_s);
  a("memory_peak_bytes", r.memory_peak_bytes);
}

template <class A>
void fields(A& a, typename A::template Field<OutOfMemory>& o) {
  a("rank", o.rank);
  a("requested_bytes", o.requested_bytes);
}

template <class A, class Point>
void identity_fields(A& a, Point& p) {
  a("id", p.id);
  a("group", p.group);
  a("workload", p.workload);
  a.text("task", p.task);
  a("strategy", p.strategy);
  a("overlap", p.overlap);
  a("gradient_compression", p.gradient_compression);
  a("backend", p.backend);
  a("device", p.device);
  a.text("device_name", p.device_name);
  a("precision", p.precision);
  a("memory_format", p.memory_format);
  a("threads", p.threads);
  a("world_size", p.world_size);
  a("processes", p.processes);
  a("nodes", p.nodes);
  a("members", p.members);
  a("batch_size", p.batch_size);
  a("gradient_accumulation_steps", p.gradient_accumulation_steps);
  a("global_batch_size", p.global_batch_size);
  a("bucket_cap_mb", p.bucket_cap_mb);
  a("image_size", p.image_size);
  a("sequence_length", p.sequence_length);
  a("data", p.data);
  a.text("data_identity", p.data_identity);
  a.list("varying", p.varying);
  a("repetition", p.repetition);
  a("order", p.order);
  a("block", p.block);
  a("session", p.session);
  a("started", p.started);
}

template <class A, class Point>
void throughput_fields(A& a, Point& p) {
  a("iterations", p.iterations);
  a("samples", p.samples);
  a("wall_s", p.wall_s);
  a("steps_per_mark", p.steps_per_mark);
  a("step_mean_over_ranks_s", p.step_mean_over_ranks_s);
  a.object("own_s", [&](auto& inner) {
    inner("mean", p.own_mean_s);
    inner("max_of_rank_means", p.own_max_of_rank_means_s);
    inner("mean_of_step_max", p.own_mean_of_step_max_s);
  });
  a("samples_per_sec", p.samples_per_sec);
  a("samples_per_sec_per_rank", p.samples_per_sec_per_rank);
  a("compute_samples_per_sec", p.compute_samples_per_sec);
  a("tokens_per_sec", p.tokens_per_sec);
  a("non_pad_share", p.non_pad_share);
  a.pair("within_run_ci95", p.within_run_ci95_low, p.within_run_ci95_high);
  a("step_s", p.step_s);
  a("step_samples_s", p.step_samples_s);
  a("phases_s", p.phases_s);
}

template <class A, class Point>
void other_measurement_fields(A& a, Point& p) {
  a.object("loss", [&](auto& inner) {
    inner("first", p.loss_first);
    inner("last", p.loss_last);
  });
  a("attention_backend", p.attention_backend);
  a.list("evaluation", p.evaluation);
  a("memory_peak_bytes", p.memory_peak_bytes);
  a("energy_J", p.energy_J);
  a("noop_step_s", p.noop_step_s);
  a("break_even_steps", p.break_even_steps);
  a.object("model", [&](auto& inner) {
    inner("parameters", p.parameters);
    inner("flops_per_sample", p.flops_per_sample);
  });
  a("mfu", p.mfu);
  a("mfu_peak_source", p.mfu_peak_source);
  a.object("warmup", [&](auto& inner) {
    inner("iterations", p.warmup_iterations);
    inner("steady", p.steady);
    inner.text("steady_reason", p.steady_reason);
    inner.text("method", p.warmup_method);
  });
  a.object("communication", [&](auto& inner) {
    inner("payload_bytes_per_step", p.payload_bytes_per_step);
    inner("cost_s", p.communication_cost_s);
    inner("buckets", p.bucket_bytes);
  });
  a.object("data_loading", [&](auto& inner) {
    inner("padded", p.padded);
    inner("skipped", p.skipped);
  });
  a("ranks", p.ranks);
}

template <class A>
void fields(A& a, typename A::template Field<PointRecord>& p) {
  using enum PointStatus;
  identity_fields(a, p);
  a.choice("status", p.status, [](PointStatus s) { return to_string(s); },
           {kOk, kOom, kFailed, kSkipped});
  a.text("reason", p.reason);
  a("outside_window_s", p.outside_window_s);
  a("oom", p.oom);
  a("memory_estimate_bytes", p.memory_estimate_bytes);
  if (p.status != kOk) return;
  a("setup_s", p.setup_s);
  throughput_fields(a, p);
  other_measurement_fields(a, p);
}

template <class A>
void fields(A& a, typename A::template Field<Finding>& f) {
  a("code", f.code);
  a("severity", f.severity);
  a.text("point", f.point);
  a("text", f.text);
}

template <class A>
void fields(A& a, typename A::template Field<LibraryVersion>& l) {
  a("built_with", l.built_with);
  a("running_with", l.running_with);
}

template <class A>
void fields(A& a, typename A::template Field<Tool>& t) {
  a("version", t.version);
  a("git_commit", t.git_commit);
  a("git_dirty", t.git_dirty);
  a("build_type", t.build_type);
  a("compiler", t.compiler);
  a("libraries", t.libraries);
}

template <class A>
void fields(A& a, typename A::template Field<Invocation>& i) {
  a("command", i.command);
  a.text("command_line", i.command_line);
  a("launcher", i.launcher);
  a.embedded("settings", i.settings_json);
  a("origins", i.origins);
}

template <class A>
void fields(A& a, typename A::template Field<Environment>& e) {
  a("hosts", e.hosts);
  a("variables", e.variables);
}

template <class A>
void fields(A& a, typename A::template Field<Report>& r) {
  using enum ReportStatus;
  a.choice("status", r.status, [](ReportStatus s) { return to_string(s); },
           {kPartial, kComplete, kInterrupted, kFailed});
  a("exit_code", r.exit_code);
  a("started", r.started);
  a.text("finished", r.finished);
  a("run_id", r.run_id);
  a("tool", r.tool);
  a("invocation", r.invocation);
  a("environment", r.environment);
  a("points", r.points);
  a.list("groups", r.groups);
  a.list("scaling", r.scaling);
  a.list("stragglers", r.stragglers);
  a.list("data_gaps", r.data_gaps);
  a("drift", r.drift);
  a.list("sessions", r.sessions);
  a.list("predictions", r.predictions);
  a("findings", r.findings);
  a("errors", r.errors);
}

}  // namespace scalemark::reporting
