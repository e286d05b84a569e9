// The one list that ties option names to fields of Settings: reading, writing and comparing
// settings all walk it, so that no field is forgotten by one of them.
#pragma once

#include "core/settings/settings.h"

namespace scalemark::settings {

// Calls visit(name, field) for each field of `s` (Settings, or const Settings); a pair of fields
// under one name (adam_betas) as visit(name, first, second), the timeouts as
// visit.timeouts(name, every, by_phase), the memory limits alike, a field with the opposite sense
// as visit.inverted(name, field).
template <class SettingsType, class Visitor>
void visit_fields(SettingsType& s, Visitor&& visit) {
  visit("workload", s.what.workload);
  visit("task", s.what.task);
  visit("data", s.what.data);
  visit("vocab", s.what.vocab);
  visit("cased", s.what.cased);
  visit("image_size", s.what.image_size);
  visit("sequence_length", s.what.sequence_length);

  visit("batch_size", s.size.batch_size);
  visit("gradient_accumulation_steps", s.size.gradient_accumulation_steps);
  visit("global_batch_size", s.size.global_batch_size);

  visit("optimizer", s.recipe.optimizer);
  visit("learning_rate", s.recipe.learning_rate);
  visit("lr_schedule", s.recipe.lr_schedule);
  visit("lr_warmup_steps", s.recipe.lr_warmup_steps);
  visit("lr_warmup_share", s.recipe.lr_warmup_share);
  visit("lr_scaling", s.recipe.lr_scaling);
  visit("momentum", s.recipe.momentum);
  visit("nesterov", s.recipe.nesterov);
  visit("weight_decay", s.recipe.weight_decay);
  visit("decay_norms_and_biases", s.recipe.decay_norms_and_biases);
  visit("adam_betas", s.recipe.adam_beta1, s.recipe.adam_beta2);
  visit("eps", s.recipe.eps);
  visit("clip_grad_norm", s.recipe.clip_grad_norm);
  visit("label_smoothing", s.recipe.label_smoothing);
  visit("zero_init_residual", s.recipe.zero_init_residual);
  visit("seed", s.recipe.seed);
  visit("deterministic", s.recipe.deterministic);
  visit("init_from", s.recipe.init_from);
  visit("save", s.recipe.save);

  visit("strategy", s.parallel.strategy);
  visit("overlap", s.parallel.overlap);
  visit("gradient_compression", s.parallel.gradient_compression);
  visit("bucket_cap_mb", s.parallel.bucket_cap_mb);
  visit("first_bucket_cap_mb", s.parallel.first_bucket_cap_mb);
  visit("broadcast_buffers", s.parallel.broadcast_buffers);
  visit("find_unused_parameters", s.parallel.find_unused_parameters);
  visit("static_graph", s.parallel.static_graph);
  visit("gradient_as_bucket_view", s.parallel.gradient_as_bucket_view);
  visit("precision", s.parallel.precision);
  visit("memory_format", s.parallel.memory_format);
  visit("backend", s.parallel.backend);
  visit("device", s.parallel.device);
  visit("threads", s.parallel.threads);
  visit.memory_limits("memory_limit", s.parallel.memory_limit_bytes,
                      s.parallel.memory_limit_of_rank_bytes);

  visit("workers", s.loading.workers);
  visit("pin_memory", s.loading.pin_memory);
  visit("drop_last", s.loading.drop_last);
  visit("on_bad_sample", s.loading.on_bad_sample);

  visit("iters", s.measuring.iters);
  visit("warmup_iters", s.measuring.warmup_iters);
  visit("epochs", s.measuring.epochs);
  visit("min_time", s.measuring.min_time_s);
  visit("communication_cost", s.measuring.communication_cost);

  visit("checkpoint_every", s.checkpoints.every);
  visit("checkpoint_keep", s.checkpoints.keep);
  visit("resume", s.checkpoints.resume);

  visit("nproc_per_node", s.launch.nproc_per_node);
  visit("nnodes", s.launch.nnodes);
  visit("node_rank", s.launch.node_rank);
  visit("local_rank", s.launch.local_rank);
  visit("rendezvous", s.launch.rendezvous);
  visit("launcher", s.launch.launcher);
  visit("standalone", s.launch.standalone);
  visit("run_id", s.launch.run_id);
  visit.timeouts("timeout", s.launch.timeout_s, s.launch.phase_timeout_s);

  visit("output", s.general.output);
  visit("overwrite", s.general.overwrite);
  visit("dry_run", s.general.dry_run);
  visit("quiet", s.general.quiet);
  visit("verbose", s.general.verbose);
  visit.inverted("no_progress", s.general.progress);
  visit("log_format", s.general.log_format);
  visit("torch", s.general.torch);
}

}  // namespace scalemark::settings
