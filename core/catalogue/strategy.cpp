#include "core/catalogue/strategy.h"

#include <algorithm>

#include "core/base/error.h"

namespace scalemark::catalogue {

#define SCALEMARK_STRATEGY(descriptor, engine_part) Strategy descriptor();
#include "core/catalogue/strategy_list.inc"
#undef SCALEMARK_STRATEGY

namespace {

const Strategy& first_that(bool exchanges) {
  const auto found = std::ranges::find(all_strategies(), exchanges, &Strategy::exchanges);
  if (found == all_strategies().end()) throw bug("no strategy serves as a default");
  return *found;
}

std::vector<std::string_view> all_exchange_options() {
  std::vector<std::string_view> all;
  for (const Strategy& strategy : all_strategies()) {
    for (const std::string_view option : strategy.options) {
      if (std::ranges::count(all, option) == 0) all.push_back(option);
    }
  }
  return all;
}

}  // namespace

std::span<const Strategy> all_strategies() {
  static const std::vector<Strategy> strategies{
#define SCALEMARK_STRATEGY(descriptor, engine_part) descriptor(),
#include "core/catalogue/strategy_list.inc"
#undef SCALEMARK_STRATEGY
  };
  return strategies;
}

const Strategy* find_strategy(std::string_view name) {
  const auto strategies = all_strategies();
  const auto found = std::ranges::find(strategies, name, &Strategy::name);
  return found == strategies.end() ? nullptr : &*found;
}

bool exchanges(std::string_view strategy) {
  const Strategy* known = find_strategy(strategy);
  return known == nullptr || known->exchanges;
}

bool exchanges_in_every_step(std::string_view strategy) {
  const Strategy* known = find_strategy(strategy);
  return known == nullptr || (known->exchanges && known->in_every_step);
}

// Where each rank updates everything in every step, it needs the sums of all gradients.
bool sums_everything(std::string_view strategy) {
  const Strategy* known = find_strategy(strategy);
  return known && known->exchanges && known->in_every_step &&
         known->updates == Updates::kEverywhere && known->processes == ProcessCount::kOnePerRank;
}

const std::string& default_strategy(int world_size) { return first_that(world_size > 1).name; }

const std::string& baseline_strategy() { return first_that(false).name; }

std::span<const std::string_view> exchange_options() {
  static const std::vector<std::string_view> options = all_exchange_options();
  return options;
}

std::vector<std::string_view> options_without_meaning(std::string_view strategy) {
  const Strategy* known = find_strategy(strategy);
  if (!known) return {};
  std::vector<std::string_view> without;
  for (const std::string_view option : exchange_options()) {
    if (std::ranges::count(known->options, option) == 0) without.push_back(option);
  }
  return without;
}

namespace {

// The descriptors of strategy_list.inc follow.

constexpr double kFloatBytes = 4;

double nothing(const ExchangeQuestion&) { return 0; }

double one_gradient_copy(const ExchangeQuestion& question) {
  return question.world_size == 1 ? 0 : kFloatBytes * question.parameters;
}

WireBytes nothing_sent(const ExchangeQuestion&) { return {}; }

// A ring exchanges `bytes` per rank: its first half adds up, its second half spreads the sums.
WireBytes ring(double bytes, int ranks) {
  const double each = 2 * bytes * (ranks - 1) / ranks;
  return {.busiest_sent = each, .busiest_received = each, .total = each * ranks};
}

WireBytes ring_of_gradients(const ExchangeQuestion& question) {
  return ring(one_gradient_copy(question), question.world_size);
}

// All gradients once, and this rank's part of the parameters.
double gradients_and_own_part(const ExchangeQuestion& question) {
  return one_gradient_copy(question) * (1 + 1.0 / question.world_size);
}

// Rank 0 hands over its own gradients and, where it is the server, the parameters for every rank.
double server_payload(const ExchangeQuestion& question) {
  if (question.dedicated_server) return kFloatBytes * question.parameters;
  return one_gradient_copy(question) * (1 + question.world_size);
}

// The ranks that send their gradients to the server from other processes.
int remote_ranks(const ExchangeQuestion& question) {
  return question.dedicated_server ? question.world_size : question.world_size - 1;
}

double received_gradients(const ExchangeQuestion& question) {
  return kFloatBytes * question.parameters * remote_ranks(question);
}

// The server holds what the ranks sent, and on a CPU Gloo's own buffer of a gather, with every
// process's part.
double gathered_gradients(const ExchangeQuestion& question) {
  const int processes = question.world_size + (question.dedicated_server ? 1 : 0);
  const int buffers = question.on_cpu ? processes : 0;
  return received_gradients(question) + kFloatBytes * question.parameters * buffers;
}

WireBytes server_wire(const ExchangeQuestion& question) {
  const double each_way = received_gradients(question);
  return {.busiest_sent = each_way, .busiest_received = each_way, .total = 2 * each_way};
}

double one_average(const ExchangeQuestion& question) {
  return one_gradient_copy(question) / static_cast<double>(question.local_steps);
}

WireBytes ring_of_averages(const ExchangeQuestion& question) {
  return ring(one_average(question), question.world_size);
}

// Each micro-step copies parameters to every replica but the first, and gradients back to the
// first.
double copies_and_gradients(const ExchangeQuestion& question) {
  return 2 * one_gradient_copy(question) * (question.world_size - 1) *
         static_cast<double>(question.micro_steps);
}

// On a CPU all replicas share the memory: parameters and gradients of each but the first. On GPUs
// the first one holds the gradients of one other.
double other_replicas(const ExchangeQuestion& question) {
  return one_gradient_copy(question) * (question.on_cpu ? 2 * (question.world_size - 1) : 1);
}

// Buffers for the parts that are sent in another format, and for those received. A backend that
// scatters sums writes them where the gradients are; the other one, Gloo, also has a buffer of its
// own for an all-gather.
double parts_of_all_ranks(const ExchangeQuestion& question) {
  const double all = one_gradient_copy(question);
  const double sent = question.compressed ? all / 2 : 0;
  const double received = question.compressed ? all / 2 : all;
  return sent + (question.all_reduces_to_scatter ? received + all : 0);
}

// The Reducer's buckets lie beside the gradients, unless these are views. After the first step it
// lays them out anew; a CPU's allocator keeps the old ones.
double reducer_buckets(const ExchangeQuestion& question) {
  const int copies = (question.gradient_as_bucket_view ? 0 : 1) + (question.on_cpu ? 1 : 0);
  return kFloatBytes * question.parameters * copies;
}

}  // namespace

Strategy strategy_none() {
  return {.name = "none",
          .summary = "ranks exchange nothing",
          .takes_missing_gradients = true,
          .payload_bytes = nothing,
          .wire_bytes = nothing_sent,
          .extra_memory_bytes = nothing};
}

Strategy strategy_ddp() {
  return {.name = "ddp",
          .summary = "gradients are averaged",
          .exchanges = true,
          .options = {"overlap", "gradient_compression", "bucket_cap_mb", "first_bucket_cap_mb",
                      "broadcast_buffers", "find_unused_parameters", "static_graph",
                      "gradient_as_bucket_view", "communication_cost"},
          .payload_bytes = one_gradient_copy,
          .wire_bytes = ring_of_gradients,
          .extra_memory_bytes = reducer_buckets};
}

// The buffers are the gradients themselves.
Strategy strategy_flat() {
  return {.name = "flat",
          .summary = "gradients are averaged in a few flat buffers, without copies back",
          .exchanges = true,
          .options = {"overlap", "gradient_compression", "bucket_cap_mb", "first_bucket_cap_mb",
                      "communication_cost"},
          .payload_bytes = one_gradient_copy,
          .wire_bytes = ring_of_gradients,
          .extra_memory_bytes = nothing};
}

// Over Gloo the parts of all ranks are received before they are added up.
Strategy strategy_sharded() {
  return {.name = "sharded",
          .summary =
              "each rank updates its part of the parameters, with its part of the "
              "optimizer's state, and sends it to all",
          .exchanges = true,
          .updates = Updates::kShard,
          .options = {"overlap", "gradient_compression", "bucket_cap_mb", "first_bucket_cap_mb",
                      "communication_cost"},
          .payload_bytes = gradients_and_own_part,
          .wire_bytes = ring_of_gradients,
          .extra_memory_bytes = parts_of_all_ranks};
}

Strategy strategy_parameter_server() {
  return {.name = "parameter-server",
          .summary =
              "a server (--server) adds up all gradients, updates the parameters and sends them to "
              "all",
          .exchanges = true,
          .updates = Updates::kServer,
          .not_captured = "the processes of a step do different work",
          .options = {"server", "overlap", "gradient_compression", "bucket_cap_mb",
                      "first_bucket_cap_mb", "communication_cost"},
          .payload_bytes = server_payload,
          .wire_bytes = server_wire,
          .extra_memory_bytes = gathered_gradients};
}

Strategy strategy_local_sgd() {
  return {.name = "local-sgd",
          .summary = "ranks train alone; parameters are averaged every --local-steps steps",
          .exchanges = true,
          .in_every_step = false,
          .not_captured = "its steps are not all alike",
          .options = {"local_steps", "bucket_cap_mb", "first_bucket_cap_mb", "communication_cost"},
          .payload_bytes = one_average,
          .wire_bytes = ring_of_averages,
          .extra_memory_bytes = nothing};
}

Strategy strategy_data_parallel() {
  return {.name = "data-parallel",
          .summary =
              "one process copies the model to all devices for every forward and adds up their "
              "gradients on the first, as torch.nn.DataParallel",
          .exchanges = true,
          .processes = ProcessCount::kOne,
          .takes_missing_gradients = true,
          .not_captured = "a step is the work of several GPUs",
          .options = {"communication_cost"},
          .payload_bytes = copies_and_gradients,
          .wire_bytes = nothing_sent,
          .extra_memory_bytes = other_replicas};
}

}  // namespace scalemark::catalogue
