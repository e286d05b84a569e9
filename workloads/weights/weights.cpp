#include "workloads/weights/weights.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/all.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/isfinite.h>

#include <sstream>
#include <unordered_map>
#include <vector>

#include "core/base/error.h"
#include "core/base/text.h"
#include "workloads/weights/foreign_files.h"
#include "workloads/weights/weights_file.h"

namespace scalemark::workloads {
namespace {

constexpr std::size_t kMostListed = 10, kLongestName = 100;

std::string shape_text(at::IntArrayRef shape) {
  constexpr std::size_t kMostShown = 8;
  if (shape.size() > kMostShown) return "of " + std::to_string(shape.size()) + " dimensions";
  std::ostringstream text;
  text << shape;
  return text.str();
}

// The network's tensor for a name in a file: the tensor of that name, or the one that it is tied
// to.
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

void check_names(const WeightsFile& file, const std::map<std::string, Target>& all) {
  std::vector<std::string> missing, unexpected;
  for (const auto& [name, target] : all) {
    if (name == target.name && !file.tensors.contains(name)) missing.push_back(name);
  }
  for (const auto& [name, place] : file.tensors) {
    if (!all.contains(name))
      unexpected.push_back(name.size() <= kLongestName ? name : in_quotes(name));
  }
  if (missing.empty() && unexpected.empty()) return;
  std::string what = file.path.string() + " does not hold this network's weights";
  if (!file.prefix.empty()) what += " (its names without " + in_quotes(file.prefix) + ")";
  if (!missing.empty()) what += "; missing: " + listed(missing, kMostListed);
  if (!unexpected.empty()) what += "; unexpected: " + listed(unexpected, kMostListed);
  throw bad_data(what, {},
                 "--workload and the class count or vocabulary must be those of the file");
}

// The network's counters are int64 in a file, whatever the dtype of the rest.
bool is_counter(std::string_view name) { return name.ends_with("num_batches_tracked"); }

at::ScalarType file_type(std::string_view name, const at::Tensor& tensor) {
  return is_counter(name) ? at::kLong : tensor.scalar_type();
}

// A model that was converted as a whole has counters in the type of its weights.
bool can_be_read(std::string_view name, at::ScalarType type) {
  return at::isFloatingType(type) || (is_counter(name) && (type == at::kLong || type == at::kInt));
}

void check_forms(const WeightsFile& file, const std::map<std::string, Target>& all) {
  for (const auto& [name, place] : file.tensors) {
    const at::IntArrayRef ours = all.at(name).tensor.sizes(), theirs = place.tensor.shape;
    if (ours == theirs && can_be_read(name, place.tensor.type)) continue;
    throw bad_data(file.path.string() + ": '" + name + "' is " +
                       std::string(name_in_file(place.tensor.type)) + " " + shape_text(theirs),
                   (is_counter(name) ? "I64 " : "F32, BF16, F16 or F64 ") + shape_text(ours));
  }
}

bool is_finite(const at::Tensor& tensor) {
  return !tensor.is_floating_point() || at::isfinite(tensor).all().item<bool>();
}

void check_finite(const NamedTensors& tensors, const std::string& path) {
  std::vector<std::string> bad;
  for (const auto& [name, tensor] : tensors) {
    if (!is_finite(tensor)) bad.push_back(in_quotes(name));
  }
  if (bad.empty()) return;
  throw bad_data(path + " holds a NaN or an infinity in " + listed(bad, kMostListed),
                 "finite weights", "see why the training that wrote it diverged");
}

// Converts to the types of the network's own file. Throws bad_data() for a value that does not fit.
void convert(NamedTensors& tensors, const std::map<std::string, Target>& all,
             const std::string& path) {
  for (auto& [name, tensor] : tensors) {
    const at::ScalarType type = file_type(name, all.at(name).tensor);
    if (tensor.scalar_type() == type) continue;
    const at::Tensor converted = tensor.to(type);
    const bool held = is_counter(name) ? at::equal(converted.to(tensor.scalar_type()), tensor)
                                       : is_finite(converted);
    if (!held) {
      throw bad_data(path + ": '" + name + "' is " +
                     std::string(name_in_file(tensor.scalar_type())) + " and holds a value that " +
                     std::string(name_in_file(type)) + " does not hold");
    }
    tensor = converted;
  }
}

// Names for one tensor of ours (a tied decoder, the batch counters) must have equal values.
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

std::vector<std::string> notes_on_weights(const std::filesystem::path& path) {
  const WeightsFile file = open_weights(path);
  check_finite(read_weights(file), path.string());
  std::vector<std::string> notes;
  if (!file.prefix.empty())
    notes.push_back(path.string() + ": " + in_quotes(file.prefix) +
                    " in front of every name is dropped");
  std::map<std::string_view, std::int64_t> counts;
  for (const auto& [name, place] : file.tensors) {
    const at::ScalarType type = place.tensor.type;
    if (at::isFloatingType(type) && type != at::kFloat) ++counts[name_in_file(type)];
  }
  for (const auto& [type, count] : counts) {
    notes.push_back(path.string() + ": " + counted(count, "tensor") + " of " + std::string(type) +
                    (count == 1 ? " is" : " are") +
                    (type == "F64" ? " rounded to F32" : " converted to F32"));
  }
  return notes;
}

void load_weights(Network& network, const std::filesystem::path& path) {
  const WeightsFile file = open_weights(path);
  const auto all = targets(network);
  check_names(file, all);
  check_forms(file, all);
  NamedTensors tensors = read_weights(file);
  check_finite(tensors, path.string());
  convert(tensors, all, path.string());
  check_aliases(tensors, all, path.string());
  const at::NoGradGuard no_grad;
  for (const auto& [name, tensor] : tensors) at::Tensor(all.at(name).tensor).copy_(tensor);
}

void require_finite(const NamedTensors& tensors, std::string_view prefix) {
  std::vector<std::string> bad;
  for (const auto& [name, tensor] : tensors) {
    if (!name.starts_with(prefix)) continue;
    if (!is_finite(tensor)) bad.push_back(name.substr(prefix.size()));
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
