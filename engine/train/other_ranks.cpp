#include "engine/train/other_ranks.h"

#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/catalogue/strategy.h"
#include "core/settings/processes.h"
#include "core/settings/value.h"
#include "engine/step/parameters.h"

namespace scalemark::running {
namespace {

// The numbers among what must stay, which a damaged file may lack.
struct Numbers {
  std::int64_t ranks = 0, batch = 0, accumulation = 0, global = 0;
  double rate = 0;
  bool scales = false;  // the rate follows the global batch
};

std::optional<Numbers> numbers_in(const Sameness& same) {
  const auto count = [&](const char* name) {
    return settings::parse_count(value_at(same, name)).value_or(0);
  };
  Numbers numbers{.ranks = count("world_size"),
                  .batch = count("batch_size"),
                  .accumulation = count("gradient_accumulation_steps"),
                  .global = count("global_batch_size"),
                  .rate = settings::parse_number(value_at(same, "learning_rate")).value_or(0),
                  .scales = value_at(same, "lr_scaling") == "\"linear\""};
  std::int64_t product = 0;
  const bool fits = numbers.ranks > 0 && numbers.batch > 0 && numbers.accumulation > 0 &&
                    !__builtin_mul_overflow(numbers.batch, numbers.accumulation, &product) &&
                    !__builtin_mul_overflow(product, numbers.ranks, &product);
  if (!fits || numbers.global != product) return std::nullopt;
  return numbers;
}

std::string strategy_of(const Sameness& same) {
  const auto quoted = value_at(same, "strategy");
  return quoted.size() < 2 ? quoted : quoted.substr(1, quoted.size() - 2);
}

// Whether all ranks of the strategy have one model, whose state rank 0 holds, or each a part of it.
bool takes_other_ranks(const std::string& strategy) {
  const catalogue::Strategy* known = catalogue::find_strategy(strategy);
  return catalogue::sums_everything(strategy) ||
         (known && known->updates == catalogue::Updates::kShard);
}

// One rank that exchanges nothing has the state of ranks that share one.
bool has_one_model(const Sameness& same) {
  const std::string strategy = strategy_of(same);
  return takes_other_ranks(strategy) ||
         (value_at(same, "world_size") == "1" && strategy == catalogue::baseline_strategy());
}

bool go_on_from_each_other(const Sameness& before, const Sameness& now) {
  const std::string was = strategy_of(before), is = strategy_of(now);
  if (was == is) return true;
  // Pieces and whole tensors are not turned into each other.
  const auto is_whole = [](const std::string& strategy) {
    return !takes_other_ranks(strategy) || catalogue::sums_everything(strategy);
  };
  return has_one_model(before) && has_one_model(now) && is_whole(was) && is_whole(is) &&
         (value_at(before, "world_size") == "1" || value_at(now, "world_size") == "1");
}

bool is_machine(const std::string& name) { return name.starts_with("machine "); }

std::set<std::string> machines_in(const Sameness& same) {
  std::set<std::string> kinds;
  for (const auto& [name, kind] : same) {
    if (is_machine(name)) kinds.insert(kind);
  }
  return kinds;
}

bool are_close(double a, double b) { return std::abs(a - b) <= 1e-9 * std::abs(b); }

bool have_one_batch(const Numbers& was, const Numbers& is) {
  return (was.batch == is.batch && was.accumulation == is.accumulation) || was.global == is.global;
}

bool have_one_rate(const Numbers& was, const Numbers& is) {
  if (was.scales != is.scales) return false;
  const double share = static_cast<double>(is.global) / static_cast<double>(was.global);
  return are_close(is.rate, was.scales ? was.rate * share : was.rate);
}

}  // namespace

Sameness as_on_other_ranks(const Sameness& before, Sameness now) {
  const auto was = numbers_in(before), is = numbers_in(now);
  if (!was || !is || was->ranks == is->ranks) return now;
  const auto stays = [&](const char* name) {
    const auto kept = before.find(name);
    if (kept != before.end()) now[name] = kept->second;
  };
  if (!has_one_model(before) || !has_one_model(now)) {
    throw configuration("--resume of a training that began with " + counted(was->ranks, "rank") +
                            ", with " + std::to_string(is->ranks),
                        "as many, since ranks with --strategy " + strategy_of(before) +
                            " do not share one model and its optimizer's state",
                        "start as many ranks as before");
  }
  if (go_on_from_each_other(before, now)) stays("strategy");
  if (have_one_rate(*was, *is)) stays("learning_rate");
  if (have_one_batch(*was, *is)) {
    for (const char* name : {"batch_size", "gradient_accumulation_steps", "global_batch_size"}) {
      stays(name);
    }
  }
  if (std::ranges::includes(machines_in(before), machines_in(now))) {
    std::erase_if(now, [](const auto& entry) { return is_machine(entry.first); });
    for (const auto& entry : before) {
      if (is_machine(entry.first)) now.insert(entry);
    }
  }
  stays("threads");  // which are a share of the machine's
  stays("world_size");
  return now;
}

namespace {

// Returns batch size and accumulation on `ranks`.
std::pair<std::int64_t, std::int64_t> sizes_on(const Numbers& was, std::int64_t ranks,
                                               bool may_accumulate) {
  if (may_accumulate && was.global % (was.batch * ranks) == 0) {
    return {was.batch, was.global / (was.batch * ranks)};
  }
  if (was.global % (was.accumulation * ranks) == 0) {
    return {was.global / (was.accumulation * ranks), was.accumulation};
  }
  return {was.batch, was.accumulation};
}

std::string kept_or_not(const std::string& is, const std::string& was) {
  return is == was ? is + " as before" : is + " instead of " + was;
}

}  // namespace

std::string set_sizes(const Sameness& before, settings::Settings& settings) {
  const auto was = numbers_in(before);
  const std::int64_t ranks = settings::world_size_of(settings);
  if (!was || was->ranks == ranks || !has_one_model(before)) return {};
  settings::SizeSettings& size = settings.size;
  std::tie(size.batch_size, size.gradient_accumulation_steps) =
      sizes_on(*was, ranks, !settings.parallel.static_graph);
  size.global_batch_size = size.batch_size * size.gradient_accumulation_steps * ranks;
  const double share =
      static_cast<double>(size.global_batch_size) / static_cast<double>(was->global);
  settings.recipe.learning_rate = was->scales && share != 1 ? was->rate * share : was->rate;
  return "a training that began with " + counted(was->ranks, "rank") + " goes on with " +
         std::to_string(ranks) + ": batch " + std::to_string(size.batch_size) + " per rank" +
         (size.gradient_accumulation_steps > 1
              ? " x accumulation " + std::to_string(size.gradient_accumulation_steps)
              : "") +
         ", global batch " +
         kept_or_not(std::to_string(size.global_batch_size), std::to_string(was->global)) +
         ", learning rate " +
         kept_or_not(settings::to_text(settings.recipe.learning_rate),
                     settings::to_text(was->rate)) +
         (share == 1    ? ""
          : was->scales ? " (--lr-scaling linear)"
                        : " (--lr-scaling none)");
}

namespace {

// The state of a rank while it is put together, file by file.
class Gathered {
 public:
  Gathered(int rank, workloads::NamedTensors state) : rank_(rank), state_(std::move(state)) {
    for (auto& [name, tensor] : state_) {
      if (const auto piece = training::piece_named(name)) {
        holes_[piece->whole] = {.place = *piece, .tensor = tensor};
      } else if (!is_of_generator(name)) {
        missing_.insert(name);
      }
    }
  }

  bool needs(int writer) const {
    return writer == 0 || writer == rank_ || rank_ == 0 || !holes_.empty();
  }

  void take(const workloads::NamedTensors& file, int writer) {
    for (const auto& [name, tensor] : file) {
      const auto piece = training::piece_named(name);
      if (piece) {
        fill(*piece, tensor);
      } else if (writer == (is_of_generator(name) ? rank_ : 0)) {
        put(name, tensor);
      }
    }
    add_measurements(file, writer);
  }

  workloads::NamedTensors all(const std::string& origin) {
    for (const auto& [whole, hole] : holes_) {
      if (hole.filled < hole.tensor.numel() && !whole.ends_with(".filling")) missing_.insert(whole);
    }
    if (!missing_.empty()) throw bad_data(origin + " holds no " + *missing_.begin());
    if (measured_.defined()) state_["epoch"] = measured_;
    return std::move(state_);
  }

 private:
  struct Hole {
    training::Piece place;
    at::Tensor tensor;
    std::int64_t filled = 0;
  };

  static bool is_of_generator(const std::string& name) { return name.starts_with("random."); }

  void put(const std::string& name, const at::Tensor& tensor) {
    const auto place = state_.find(name);
    if (place == state_.end()) return;
    place->second = tensor;
    missing_.erase(name);
  }

  // A counter of steps belongs to each piece, and is the same for all of a parameter.
  void fill(const training::Piece& piece, const at::Tensor& tensor) {
    const auto found = holes_.find(piece.whole);
    if (found == holes_.end()) return;
    auto& [place, into, filled] = found->second;
    const std::int64_t begin = std::max(place.begin, piece.begin),
                       end = std::min(place.end, piece.end);
    if (begin >= end || tensor.dim() != into.dim()) return;
    if (tensor.dim() == 0) {
      into.copy_(tensor);
      filled = 1;
    } else if (tensor.numel() == piece.end - piece.begin) {
      into.narrow(0, begin - place.begin, end - begin)
          .copy_(tensor.narrow(0, begin - piece.begin, end - begin));
      filled += end - begin;
    }
  }

  // A file lacks what equals rank 0's.
  void add_measurements(const workloads::NamedTensors& file, int writer) {
    const auto own = file.find("epoch");
    if (own != file.end() && writer == 0) of_rank_0_ = own->second;
    const at::Tensor& more = own != file.end() ? own->second : of_rank_0_;
    if (!more.defined()) return;
    if (!measured_.defined()) measured_ = at::zeros_like(more);
    if (rank_ == 0 && more.sizes() == measured_.sizes()) measured_.add_(more);
  }

  int rank_;
  workloads::NamedTensors state_;
  std::map<std::string, Hole> holes_;  // by the name of the whole
  std::set<std::string> missing_;
  at::Tensor of_rank_0_, measured_;
};

}  // namespace

workloads::NamedTensors state_of_other_ranks(const FoundCheckpoint& from, int rank,
                                             workloads::NamedTensors state) {
  Gathered gathered(rank, std::move(state));
  const auto writers = static_cast<int>(from.manifest.files.size());
  for (int writer = 0; writer < writers; ++writer) {
    if (gathered.needs(writer)) gathered.take(read_file(from, writer), writer);
  }
  return gathered.all(from.folder.string());
}

}  // namespace scalemark::running
