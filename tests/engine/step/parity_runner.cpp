// Runs training cases that a Python oracle describes, as one rank: given weights and batches in,
// losses, parameters and what was communicated out. A test harness: float64 is a dtype here.
//
//   parity CASES.json
//
// {"rank", "world_size", "store": FILE, "cases": [{"workload", "shape": {...}, "dtype", "init",
//  "batches", "output", "steps", "recipe": {...}, "parallel": {...}, ...}]}
// Batches: tensors "<number>.<field>", one number per micro-step. Output: safetensors.
#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <torch/nn/module.h>
#include <torch/types.h>

#include <algorithm>
#include <exception>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <torch/csrc/distributed/c10d/FileStore.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <utility>

#include "core/base/error.h"
#include "core/catalogue/strategy.h"
#include "core/catalogue/workload.h"
#include "engine/step/copy_ahead.h"
#include "engine/step/train_step.h"
#include "tests/engine/step/branching_network.h"
#include "tests/workloads/shallow_resnet.h"
#include "tools/programs/commands.h"
#include "workloads/weights/weights.h"

namespace scalemark::training {
namespace {

using nlohmann::json;

settings::GradientCompression compression_of(const std::string& word) {
  return find_word<settings::GradientCompression>(word).value();
}

struct Ignore final : measurement::StepMarker {
  void mark(measurement::Moment) override {}
};

// `file`: one store for all cases. One per case would race: the last to close a FileStore removes
// the file, when the other rank may already have opened it for its next case.
c10::intrusive_ptr<c10d::ProcessGroup> make_group(const json& config,
                                                  const c10::intrusive_ptr<c10d::Store>& file,
                                                  int number) {
  const int rank = config.at("rank"), size = config.at("world_size");
  auto store = c10::make_intrusive<c10d::PrefixStore>(std::to_string(number), file);
  auto options = c10d::ProcessGroupGloo::Options::create();
  options->timeout = std::chrono::seconds(60);
  options->devices.push_back(c10d::ProcessGroupGloo::createDeviceForHostname("127.0.0.1"));
  auto backend = c10::make_intrusive<c10d::ProcessGroupGloo>(store, rank, size, options);
  auto group = c10::make_intrusive<c10d::ProcessGroup>(store, rank, size);
  group->setBackend(c10::kCPU, c10d::ProcessGroup::BackendType::GLOO, backend);
  group->setDefaultBackend(c10d::ProcessGroup::BackendType::GLOO);
  return group;
}

settings::RecipeSettings recipe_of(const json& j) {
  settings::RecipeSettings recipe;
  recipe.optimizer = j.at("optimizer");
  recipe.learning_rate = j.at("learning_rate");
  recipe.momentum = j.value("momentum", 0.0);
  recipe.nesterov = j.value("nesterov", false);
  recipe.weight_decay = j.value("weight_decay", 0.0);
  recipe.decay_norms_and_biases = j.value("decay_norms_and_biases", true);
  recipe.eps = j.value("eps", 1e-8);
  if (j.contains("clip_grad_norm")) recipe.clip_grad_norm = j["clip_grad_norm"].get<double>();
  return recipe;
}

settings::ParallelSettings parallel_of(const json& j) {
  settings::ParallelSettings parallel;
  parallel.strategy = j.value("strategy", "none");
  parallel.overlap = j.value("overlap", true);
  parallel.gradient_compression = compression_of(j.value("gradient_compression", "none"));
  parallel.bucket_cap_mb = j.value("bucket_cap_mb", 25.0);
  parallel.first_bucket_cap_mb = j.value("first_bucket_cap_mb", 1.0);
  parallel.broadcast_buffers = j.value("broadcast_buffers", true);
  parallel.find_unused_parameters = j.value("find_unused_parameters", false);
  parallel.static_graph = j.value("static_graph", false);
  parallel.gradient_as_bucket_view = j.value("gradient_as_bucket_view", false);
  parallel.local_steps = j.value("local_steps", std::int64_t{1});
  if (j.value("server", "rank0") == "dedicated") parallel.server = settings::Server::kDedicated;
  return parallel;
}

std::unique_ptr<workloads::Network> network_of(const json& config) {
  const std::string name = config.at("workload");
  std::unique_ptr<workloads::Network> network;
  if (name == "branching") {
    network = std::make_unique<BranchingNetwork>();
  } else {
    const json shape = config.value("shape", json::object());
    workloads::NetworkOptions options{.dropout = 0.0,
                                      .checkpointing = config.value("checkpointing", false),
                                      .stochastic_depth = config.value("stochastic_depth", 0.0),
                                      .fused_layers = config.value("fused_layers", true),
                                      .memory_format = config.value("channels_last", false)
                                                           ? at::MemoryFormat::ChannelsLast
                                                           : at::MemoryFormat::Contiguous};
    options.shape = catalogue::resolved_shape(
        *catalogue::find_workload(name), {.image_size = shape.value("image_size", 32),
                                          .sequence_length = shape.value("sequence_length", 16),
                                          .classes = shape.value("classes", 0),
                                          .vocab_size = shape.value("vocab_size", 0)});
    network = shape.value("shallow", false) ? workloads::make_shallow_resnet(options)
                                            : workloads::make_network(name, options);
  }
  network->module().to(config.at("dtype") == "float64" ? at::kDouble : at::kFloat);
  workloads::load_weights(*network, config.at("init").get<std::string>());
  return network;
}

class Batches {
 public:
  explicit Batches(const std::string& path) {
    for (auto& [key, tensor] : workloads::read_safetensors(path)) {
      const auto dot = key.find('.');
      batches_[std::stoi(key.substr(0, dot))].tensors[key.substr(dot + 1)] = tensor;
    }
  }
  data::Batch next() {
    data::Batch batch = batches_.at(position_++);
    batch.samples = batch.tensors.begin()->second.size(0);
    return batch;
  }

 private:
  std::map<int, data::Batch> batches_;
  int position_ = 0;
};

// Makes replicas whose weights training must replace.
std::function<std::unique_ptr<workloads::Network>(c10::Device)> replica_maker(const json& config) {
  return [&config](c10::Device) {
    auto network = network_of(config);
    const at::NoGradGuard no_grad;
    for (const auto& [name, tensor] : workloads::named_state(*network)) tensor.fill_(7);
    network->module().train();
    return network;
  };
}

settings::Precision precision_of(const json& config) {
  return find_word<settings::Precision>(config.value("precision", "fp32")).value();
}

// The gradient scaler's, of the state.
struct ScaleFinder final : StateVisitor {
  at::Tensor scale;
  void visit(const std::string& name, at::Tensor& tensor) override {
    if (name == "scaler.scale") scale = tensor.clone();
  }
  void visit(const std::string&, std::int64_t&) override {}
};

// Returns the payload that the strategy's descriptor computes for float32.
double payload_by_formula(const json& config, const settings::ParallelSettings& parallel,
                          const std::vector<NamedParameter>& parameters, int processes,
                          int replicas) {
  double numbers = 0;
  for (const auto& parameter : parameters) {
    numbers += static_cast<double>(parameter.tensor.numel());
  }
  const bool dedicated = parallel.server == settings::Server::kDedicated;
  return catalogue::find_strategy(parallel.strategy)
      ->payload_bytes({.parameters = numbers,
                       .world_size = std::max(replicas, processes - (dedicated ? 1 : 0)),
                       .dedicated_server = dedicated,
                       .local_steps = parallel.local_steps,
                       .micro_steps = config.value("accumulation", 1)});
}

data::Batch next_of(Batches& batches, int replicas) {
  std::vector<data::Batch> parts;
  for (int i = 0; i < replicas; ++i) parts.push_back(batches.next());
  return join(std::move(parts), /*pinned=*/false);
}

void run_case(const json& config, c10::intrusive_ptr<c10d::ProcessGroup> group) {
  auto network = network_of(config);
  auto parameters = trainable_parameters(network->module());
  const auto recipe = recipe_of(config.at("recipe"));
  const auto parallel = parallel_of(config.value("parallel", json::object()));
  const int replicas = config.value("replicas", 1);
  const int processes = group ? group->getSize() : 1;
  auto strategy = make_strategy({parameters, buffers_of(network->module()), std::move(group),
                                 parallel, replicas, replica_maker(config)});
  if (config.value("without_communication", false)) strategy->set_exchange(Exchange::kNone);
  const json lr = config.value("schedule", json::object());
  auto optimizer =
      make_optimizer(strategy->optimizer_parameters(), recipe, strategy->whole_norms());
  TrainStep step(*network, parameters, std::move(optimizer), std::move(strategy),
                 {.body = {.micro_steps = config.value("accumulation", 1),
                           .clip_grad_norm = recipe.clip_grad_norm,
                           .precision = precision_of(config)},
                  .schedule = {.kind = lr.value("kind", "constant"),
                               .rate = recipe.learning_rate,
                               .warmup_steps = lr.value("warmup_steps", 0),
                               .total_steps = lr.value("total_steps", 0)}});
  network->module().train();
  if (config.contains("draw_seed")) at::manual_seed(config["draw_seed"].get<std::uint64_t>());
  Batches batches(config.at("batches"));
  Ignore marker;
  std::vector<at::Tensor> losses;
  for (int i = 0; i < config.at("steps").get<int>(); ++i) {
    losses.push_back(step.run([&] { return next_of(batches, replicas); }, marker));
  }
  auto result = workloads::named_state(*network);
  result["loss"] = at::stack(losses);
  const Communication sent = step.strategy().communication();
  result["payload_bytes"] = torch::tensor({sent.payload_bytes_per_step}, at::kLong);
  result["payload_formula_bytes"] = at::full(
      {1}, payload_by_formula(config, parallel, parameters, processes, replicas), at::kDouble);
  ScaleFinder state;
  step.visit_state(state);
  if (state.scale.defined()) result["scale"] = state.scale;
  if (!sent.bucket_bytes.empty()) {
    result["bucket_bytes"] = torch::tensor(at::ArrayRef<std::int64_t>(sent.bucket_bytes));
  }
  workloads::write_safetensors(config.at("output").get<std::string>(), result);
}

void run(const char* path) {
  const json config = json::parse(std::ifstream(path));
  at::set_num_threads(1);
  c10::intrusive_ptr<c10d::Store> file;
  if (config.contains("store")) {
    file = c10::make_intrusive<c10d::FileStore>(config.at("store").get<std::string>(),
                                                config.at("world_size").get<int>());
  }
  int number = 0;
  for (const json& one : config.at("cases")) {
    const auto strategy = one.value("parallel", json::object()).value("strategy", "none");
    const bool alone = strategy == "none" || strategy == "data-parallel";
    run_case(one, alone ? nullptr : make_group(config, file, number));
    ++number;
  }
}

}  // namespace
}  // namespace scalemark::training

int scalemark::commands::parity(int argc, char** argv) {
  try {
    if (argc != 2) throw scalemark::usage("parity CASES.json");
    scalemark::training::run(argv[1]);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "parity: " << error.what() << "\n";
    return 1;
  }
}
