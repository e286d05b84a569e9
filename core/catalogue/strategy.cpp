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

}  // namespace scalemark::catalogue
