// Runs one network once on a batch from a safetensors file and writes what it computed, for the
// Python oracles beside this file to compare. Arguments are key=value.
#include <ATen/Context.h>
#include <ATen/autocast_mode.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/scalar_tensor.h>

#include <chrono>
#include <iostream>
#include <map>

#include "core/base/error.h"
#include "tests/workloads/shallow_resnet.h"
#include "tools/programs/commands.h"
#include "workloads/weights/weights.h"

namespace scalemark::workloads {
namespace {

using Arguments = std::map<std::string, std::string>;

Arguments parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string text = argv[i];
    const auto at = text.find('=');
    if (at == std::string::npos) throw usage("'" + text + "' is not key=value");
    arguments[text.substr(0, at)] = text.substr(at + 1);
  }
  return arguments;
}

std::int64_t number(const Arguments& arguments, const std::string& key) {
  const auto found = arguments.find(key);
  return found == arguments.end() ? 0 : std::stoll(found->second);
}

NetworkOptions options(const Arguments& arguments) {
  NetworkOptions options{
      .shape = {.classes = number(arguments, "classes"), .vocab_size = number(arguments, "vocab")}};
  options.zero_init_residual = number(arguments, "zero_init_residual") != 0;
  if (arguments.contains("label_smoothing")) {
    options.label_smoothing = std::stod(arguments.at("label_smoothing"));
  }
  options.checkpointing = number(arguments, "checkpointing") != 0;
  if (arguments.contains("stochastic_depth")) {
    options.stochastic_depth = std::stod(arguments.at("stochastic_depth"));
  }
  if (arguments.contains("fused_layers")) {
    options.fused_layers = number(arguments, "fused_layers") != 0;
  }
  if (arguments.contains("dropout")) options.dropout = std::stod(arguments.at("dropout"));
  if (number(arguments, "channels_last") != 0) {
    options.memory_format = at::MemoryFormat::ChannelsLast;
  }
  return options;
}

data::Batch read_batch(const Arguments& arguments) {
  data::Batch batch;
  for (auto& [name, tensor] : read_safetensors(arguments.at("batch"))) batch.tensors[name] = tensor;
  batch.samples = batch.tensors.begin()->second.size(0);
  const auto ids = batch.tensors.find("input_ids");
  if (ids != batch.tensors.end()) {
    batch.samples = ids->second.size(0);
    batch.non_pad_tokens = batch["attention_mask"].sum().item<std::int64_t>();
  }
  batch.padding = number(arguments, "padding");
  return batch;
}

// One training step without an optimizer: the loss, the gradients that there are, the buffers
// afterwards.
NamedTensors train_once(Network& network, const data::Batch& batch, bool autocast) {
  NamedTensors result;
  if (autocast) {
    at::autocast::set_autocast_enabled(at::kCPU, true);
    at::autocast::set_autocast_dtype(at::kCPU, at::kBFloat16);
  }
  const auto loss = network.loss(batch);
  at::autocast::set_autocast_enabled(at::kCPU, false);
  at::autocast::clear_cache();
  loss.backward();
  result["loss"] = loss.detach();
  for (const auto& item : network.module().named_parameters()) {
    const at::Tensor& gradient = item.value().grad();
    if (gradient.defined()) result["grad." + item.key()] = gradient.detach();
  }
  for (const auto& item : network.module().named_buffers()) {
    result["buffer." + item.key()] = item.value();
  }
  return result;
}

NamedTensors evaluate_once(Network& network, const data::Batch& batch) {
  network.module().eval();
  const at::NoGradGuard no_grad;
  const EvaluationSums sums = network.evaluate(batch);
  return {{"loss", sums.loss}, {"correct", sums.correct}, {"items", sums.items}};
}

void time_steps(Network& network, const data::Batch& batch, std::int64_t steps) {
  using Clock = std::chrono::steady_clock;
  auto start = Clock::now();
  for (std::int64_t step = -3; step < steps; ++step) {
    if (step == 0) start = Clock::now();
    network.loss(batch).backward();
    for (auto& parameter : network.module().parameters()) parameter.mutable_grad().zero_();
  }
  const std::chrono::duration<double> wall = Clock::now() - start;
  std::cout << wall.count() / static_cast<double>(steps) << " s per forward and backward\n";
}

void describe(const Arguments& arguments) {
  const catalogue::Workload& workload = *catalogue::find_workload(arguments.at("workload"));
  const auto shape =
      catalogue::resolved_shape(workload, {.image_size = number(arguments, "image_size"),
                                           .sequence_length = number(arguments, "sequence_length"),
                                           .classes = number(arguments, "classes")});
  std::cout << std::fixed << "{\"flops_per_sample\": " << workload.flops_per_sample(shape)
            << ", \"activation_bytes_per_sample\": "
            << workload.activation_bytes_per_sample(shape, 4) << "}\n";
}

void run(const Arguments& arguments) {
  if (arguments.contains("describe")) return describe(arguments);
  at::globalContext().setDeterministicCuDNN(true);
  at::manual_seed(static_cast<std::uint64_t>(number(arguments, "seed")));
  const auto network = number(arguments, "shallow") != 0
                           ? make_shallow_resnet(options(arguments))
                           : make_network(arguments.at("workload"), options(arguments));
  if (arguments.contains("dtype")) {
    network->module().to(arguments.at("dtype") == "double" ? at::kDouble : at::kFloat);
  }
  if (arguments.contains("weights")) load_weights(*network, arguments.at("weights"));
  if (arguments.contains("names")) {
    for (const auto& item : network->module().named_parameters()) std::cout << item.key() << '\n';
  }
  if (arguments.contains("save")) save_weights(*network, arguments.at("save"));
  if (!arguments.contains("batch")) return;
  const data::Batch batch = read_batch(arguments);
  if (arguments.contains("steps")) {
    return time_steps(*network, batch, number(arguments, "steps"));
  }
  if (arguments.contains("draw_seed")) {
    at::manual_seed(static_cast<std::uint64_t>(number(arguments, "draw_seed")));
  }
  write_safetensors(arguments.at("out"),
                    arguments.contains("evaluate")
                        ? evaluate_once(*network, batch)
                        : train_once(*network, batch, number(arguments, "autocast") != 0));
}

}  // namespace
}  // namespace scalemark::workloads

int scalemark::commands::network(int argc, char** argv) {
  try {
    scalemark::workloads::run(scalemark::workloads::parse(argc, argv));
    return 0;
  } catch (const scalemark::Error& error) {
    std::cerr << scalemark::format_error_line(error.record()) << '\n';
    return static_cast<int>(error.record().exit_code);
  }
}
