#include "workloads/weights.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/all.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/isfinite.h>

#include <sstream>
#include <unordered_map>
#include <vector>

#include "core/base/error.h"
#include "core/base/text.h"

namespace scalemark::workloads {
namespace {

constexpr std::size_t kMostListed = 10;

std::string shape_and_type(const at::Tensor& tensor) {
  std::ostringstream text;
  text << c10::toString(tensor.scalar_type()) << ' ' << tensor.sizes();
  return text.str();
}

// What a name in a file stands for in the network: itself, or the tensor that it is tied to.
struct Target {
  std::string name;
  at::Tensor tensor;
};

std::map<std::string, Target> targets(Network& network) {
  std::map<std::string, Target> all;
  const NamedTensors state = named_state(network);
  for (const auto& [name, tensor] : state) all[name] = {name, tensor};
  for (const auto& [alias, name] : network.tied_names()) all[alias] = {name, state.at(name)};
  return all;
}

void check_names(const NamedTensors& file, const std::map<std::string, Target>& all,
                 const std::string& path) {
  std::vector<std::string> missing, unexpected;
  for (const auto& [name, target] : all) {
    if (name == target.name && !file.contains(name)) missing.push_back(name);
  }
  for (const auto& [name, tensor] : file) {
    if (!all.contains(name)) unexpected.push_back(name);
  }
  if (missing.empty() && unexpected.empty()) return;
  std::string what = path + " does not hold this network's weights";
  if (!missing.empty()) what += "; missing: " + listed(missing, kMostListed);
  if (!unexpected.empty()) what += "; unexpected: " + listed(unexpected, kMostListed);
  throw bad_data(what, {},
                 "--workload and the class count or vocabulary must be those of the file");
}

// The network's counters are int64 in a file, whatever dtype the rest was converted to.
bool is_counter(std::string_view name) { return name.ends_with("num_batches_tracked"); }

at::ScalarType file_type(std::string_view name, const at::Tensor& tensor) {
  return is_counter(name) ? at::kLong : tensor.scalar_type();
}

void check_forms(const NamedTensors& file, const std::map<std::string, Target>& all,
                 const std::string& path) {
  for (const auto& [name, tensor] : file) {
    const at::Tensor& ours = all.at(name).tensor;
    if (tensor.sizes() != ours.sizes() || tensor.scalar_type() != file_type(name, ours)) {
      throw bad_data(path + ": '" + name + "' is " + shape_and_type(tensor),
                     shape_and_type(ours.to(file_type(name, ours))));
    }
  }
}

// Names that end in one tensor of ours (a tied decoder, the batch counters) must agree.
void check_aliases(const NamedTensors& file, const std::map<std::string, Target>& all,
                   const std::string& path) {
  std::unordered_map<const void*, const std::string*> seen;
  for (const auto& [name, tensor] : file) {
    const auto [first, fresh] = seen.emplace(all.at(name).tensor.unsafeGetTensorImpl(), &name);
    if (!fresh && !at::equal(file.at(*first->second), tensor)) {
      throw bad_data(path + ": '" + *first->second + "' and '" + name +
                         "' are one tensor in this network and differ in the file",
                     "equal values");
    }
  }
}

}  // namespace

NamedTensors named_state(Network& network) {
  NamedTensors state;
  for (const auto& item : network.module().named_parameters()) state[item.key()] = item.value();
  for (const auto& item : network.module().named_buffers()) state[item.key()] = item.value();
  return state;
}

void load_weights(Network& network, const std::filesystem::path& path) {
  const NamedTensors file = read_safetensors(path);
  const auto all = targets(network);
  check_names(file, all, path.string());
  check_forms(file, all, path.string());
  check_aliases(file, all, path.string());
  const at::NoGradGuard no_grad;
  for (const auto& [name, tensor] : file) at::Tensor(all.at(name).tensor).copy_(tensor);
}

void require_finite(const NamedTensors& tensors, std::string_view prefix) {
  std::vector<std::string> bad;
  for (const auto& [name, tensor] : tensors) {
    if (!name.starts_with(prefix) || !tensor.is_floating_point()) continue;
    if (!at::isfinite(tensor).all().item<bool>()) bad.push_back(name.substr(prefix.size()));
  }
  if (bad.empty()) return;
  throw Error(
      ErrorRecord{.code = "E_NUMERICS",
                  .exit_code = ExitCode::kNumerics,
                  .what = "weights to be saved are NaN or infinite: " + listed(bad, kMostListed),
                  .expected = "finite weights; nothing was written",
                  .hint = "lower --learning-rate, or see why the training diverged"});
}

void save_weights(Network& network, const std::filesystem::path& path) {
  NamedTensors state = named_state(network);
  for (auto& [name, tensor] : state) tensor = tensor.detach().to(at::kCPU, file_type(name, tensor));
  require_finite(state);
  write_safetensors(path, state);
}

}  // namespace scalemark::workloads
