// The raw values of `comm`, sorted into the lists that it measures and what its processes need.
#include <algorithm>
#include <array>

#include "core/base/words.h"
#include "core/settings/axes.h"
#include "core/settings/comm_settings.h"
#include "core/settings/defaults.h"
#include "core/settings/sweep_settings.h"
#include "core/settings/tool_values.h"
#include "core/settings/value.h"

namespace scalemark::settings {
namespace {

constexpr int kDefaultRepetitions = 5;
constexpr int kDefaultPasses = 11;  // of --pairs: medians stand although others hold up a few

bool is_of_comm(const Option& option) {
  constexpr std::array<std::string_view, 6> kOfOtherGroups{
      "backend", "world_sizes", "placement", "repetitions", "retries", "checks"};
  return option.group == Group::kCollectives || std::ranges::count(kOfOtherGroups, option.name) > 0;
}

template <class E>
std::vector<E> words_in(const std::vector<std::string>& texts) {
  std::vector<E> values;
  for (const std::string& text : texts) values.push_back(*find_word<E>(text));
  return values;
}

class CommReader {
 public:
  explicit CommReader(const RawSettings& given) : given_(given) {}

  CommRequest run() {
    for (const auto& [name, value] : given_) {
      const Option* option = find_option(name);
      (is_of_comm(*option) ? out_.own : out_.common)[name] = value;
    }
    fill_in_defaults();
    read_exchange();
    read_manner();
    read_ranks();
    read_links();
    read_checks();
    return std::move(out_);
  }

 private:
  void fill_in_defaults() {
    for (const auto& [name, value] : default_values(kComm)) {
      if (is_of_comm(*find_option(name))) out_.own.try_emplace(name, value);
    }
    if (!given_.contains("sizes") && !given_.contains("sizes_of")) {
      out_.own["sizes"] = {kDefaultMessageSizes, "default"};
    }
    out_.own.try_emplace("repetitions", RawValue{std::to_string(kDefaultRepetitions), "default"});
  }

  void read_exchange() {
    CommSettings& comm = out_.comm;
    comm.collectives = words_in<collectives::Collective>(list("collectives"));
    for (const std::string& text : list("sizes")) {
      comm.sizes.push_back(*collectives::parse_message_size(text));
    }
    comm.sizes_of = list("sizes_of");
    comm.dtypes = words_in<collectives::DataType>(list("dtypes"));
    comm.backends = list("backend");
    const bool all = std::ranges::count(comm.backends, "auto") > 0;
    if (all && comm.backends.size() > 1) {
      problem("backend", "auto", "auto stands for every backend that serves the device, and alone",
              "leave auto out, or the others");
    }
    if (all) comm.backends.clear();
  }

  void read_manner() {
    out_.comm.vias = words_in<collectives::Via>(list("via"));
    out_.comm.in_place = switches("in_place");
    out_.comm.overlap_compute = switches("overlap_compute");
    out_.comm.congestion = switches("congestion");
  }

  void read_ranks() {
    CommSettings& comm = out_.comm;
    comm.placements = words_in<Placement>(list("placement"));
    for (const std::string& size : list("world_sizes")) {
      if (size == "all") continue;  // as without the option
      comm.world_sizes.push_back(static_cast<int>(*parse_count(size)));
    }
    std::ranges::sort(comm.world_sizes);
    read_count("repetitions", comm.repetitions);
    read_count("retries", comm.retries);
  }

  void read_count(const char* name, int& count) {
    if (is_good(name)) count = static_cast<int>(*parse_count(out_.own[name].text));
  }

  void read_links() {
    const auto pairs = parse_switch(out_.own["pairs"].text);
    if (!pairs) problem("pairs", out_.own["pairs"].text, "on or off", "");
    out_.comm.pairs = pairs.value_or(false);
    if (out_.comm.pairs && !given_.contains("repetitions")) {
      out_.own["repetitions"] = {std::to_string(kDefaultPasses), "default"};
      out_.comm.repetitions = kDefaultPasses;
    }
    if (!out_.comm.pairs && given_.contains("pair_by")) {
      problem("pair_by", out_.own["pair_by"].text, "goes with --pairs only", "add --pairs");
    }
    if (!out_.comm.pairs) return;
    if (is_good("pair_by")) out_.comm.pair_by = *find_word<PairBy>(out_.own["pair_by"].text);
    for (const char* name : {"collectives", "sizes", "sizes_of", "dtypes", "via", "in_place",
                             "overlap_compute", "congestion"}) {
      if (!given_.contains(name)) continue;
      problem(name, out_.own[name].text, "cannot be combined with --pairs",
              "measure collectives in a run of their own");
    }
  }

  void read_checks() {
    if (!out_.own.contains("checks") || !is_good("checks")) return;
    out_.comm.checks = out_.own["checks"].text;
    for (const Word<Check>& check : words_of(Check())) {
      if (check.value == Check::kHealth || !asks_for(out_.comm.checks, check.value)) continue;
      problem("checks", std::string(check.name), "comm has health only",
              "devices are measured by `scalemark sweep --checks " + std::string(check.name) + "`");
    }
  }

  // Its problem, if it has one, is noted.
  bool is_good(const char* name) {
    for (Problem& bad : bad_values({{name, out_.own[name]}})) {
      out_.problems.push_back(std::move(bad));
      return false;
    }
    return true;
  }

  // The good values; the others are problems by now.
  std::vector<std::string> list(const char* name) {
    const auto value = out_.own.find(name);
    if (value == out_.own.end()) return {};
    ValueList list = expand_list(*find_option(name), value->second.text);
    for (BadElement& bad : list.bad) {
      problem(name, std::move(bad.found), std::move(bad.allowed), std::move(bad.hint));
    }
    for (const std::string& twice : list.twice) {
      out_.notes.push_back(option_flag(name) + " names " + twice +
                           " more than once; it is measured once per block");
    }
    return std::move(list.values);
  }

  std::vector<bool> switches(const char* name) {
    std::vector<bool> values;
    for (const std::string& text : list(name)) {
      const bool value = *parse_switch(text);
      if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
    }
    return values;
  }

  void problem(const char* name, std::string found, std::string allowed, std::string hint) {
    out_.problems.push_back(
        {name, std::move(found), std::move(allowed), out_.own[name].origin, std::move(hint)});
  }

  const RawSettings& given_;
  CommRequest out_;
};

}  // namespace

CommRequest read_comm(const RawSettings& given) { return CommReader(given).run(); }

}  // namespace scalemark::settings
