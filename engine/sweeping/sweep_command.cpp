#include "engine/sweeping/sweep_command.h"

#include "core/base/error.h"
#include "core/settings/value.h"
#include "engine/distributed/wire.h"

namespace scalemark::sweeping {
namespace {

using distributed::Facts;

std::int64_t number(const Facts& facts, const char* key) { return std::stoll(facts.at(key)); }

planning::Task task_in(const Facts& facts) {
  planning::Task task;
  task.kind =
      facts.at("kind") == "trial" ? planning::Task::Kind::kTrial : planning::Task::Kind::kRun;
  task.run.id = facts.at("id");
  task.run.point = static_cast<std::size_t>(number(facts, "point"));
  task.run.repetition = static_cast<int>(number(facts, "repetition"));
  task.run.block = static_cast<int>(number(facts, "block"));
  task.run.order = static_cast<int>(number(facts, "order"));
  task.search = static_cast<std::size_t>(number(facts, "search"));
  task.batch_size = number(facts, "batch_size");
  task.attempt = static_cast<int>(number(facts, "attempt"));
  if (facts.contains("cut_window_s")) {
    task.cut = planning::TimeCut{.warmup_s = std::stod(facts.at("cut_warmup_s")),
                                 .window_s = std::stod(facts.at("cut_window_s"))};
  }
  return task;
}

}  // namespace

std::string encode(const SweepCommand& command) {
  if (command.quiet_check) return distributed::encode(Facts{{"quiet_check", "1"}});
  if (command.fingerprint != FingerprintPart::kNone) {
    const bool machine = command.fingerprint == FingerprintPart::kMachine;
    return distributed::encode(Facts{{"fingerprint", machine ? "machine" : "exchange"}});
  }
  const planning::Task& task = command.task.value();
  Facts facts{{"kind", task.kind == planning::Task::Kind::kTrial ? "trial" : "run"},
              {"id", task.run.id},
              {"point", std::to_string(task.run.point)},
              {"repetition", std::to_string(task.run.repetition)},
              {"block", std::to_string(task.run.block)},
              {"order", std::to_string(task.run.order)},
              {"search", std::to_string(task.search)},
              {"batch_size", std::to_string(task.batch_size)},
              {"attempt", std::to_string(task.attempt)}};
  if (task.cut) {
    facts["cut_warmup_s"] = settings::to_text(task.cut->warmup_s);
    facts["cut_window_s"] = settings::to_text(task.cut->window_s);
  }
  return distributed::encode(facts);
}

SweepCommand decode_sweep_command(std::string_view text) {
  const auto facts = distributed::decode_facts(text);
  if (!facts) throw bug("a command that cannot be read");
  if (facts->contains("quiet_check")) return {.task = {}, .quiet_check = true};
  if (facts->contains("fingerprint")) {
    const bool machine = facts->at("fingerprint") == "machine";
    return {.task = {},
            .fingerprint = machine ? FingerprintPart::kMachine : FingerprintPart::kExchange};
  }
  return {.task = task_in(*facts)};
}

}  // namespace scalemark::sweeping
