#include "core/settings/comm_settings.h"

#include <algorithm>

#include "core/settings/layers.h"
#include "core/settings/reader.h"
#include "core/settings/sweep_settings.h"

namespace scalemark::settings {
namespace {

constexpr int kDefaultRepetitions = 5;
constexpr int kDefaultPasses = 11;  // --pairs: medians hold although a few passes are held up

class CommReader {
 public:
  explicit CommReader(const RawSettings& given) : given_(given) {}

  CommRequest run() {
    for (const auto& [name, value] : given_) {
      (field_of<CommSettings>(*find_option(name)) ? out_.own : out_.common)[name] = value;
    }
    fill_in_defaults();
    if (!is_on(out_.own, "pairs") && given_.contains("pair_by")) {
      problem("pair_by", out_.own["pair_by"].text, "goes with --pairs only", "add --pairs");
      out_.own.erase("pair_by");
    }
    out_.add(read_fields(out_.own, out_.comm));
    std::ranges::sort(out_.comm.world_sizes);
    check_backends();
    check_links();
    check_checks();
    return std::move(out_);
  }

 private:
  void fill_in_defaults() {
    for (const auto& [name, value] : default_values(kComm)) {
      if (field_of<CommSettings>(*find_option(name))) out_.own.try_emplace(name, value);
    }
    if (!given_.contains("sizes") && !given_.contains("sizes_of")) {
      out_.own["sizes"] = {kDefaultMessageSizes, "default"};
    }
    const int repetitions = is_on(out_.own, "pairs") ? kDefaultPasses : kDefaultRepetitions;
    out_.own.try_emplace("repetitions", RawValue{std::to_string(repetitions), "default"});
  }

  void check_backends() {
    std::vector<std::string>& backends = out_.comm.backends;
    if (std::ranges::count(backends, "auto") == 0) return;
    if (backends.size() > 1) {
      problem("backend", "auto", "auto stands for every backend that serves the device, and alone",
              "leave auto out, or the others");
    }
    backends.clear();
  }

  void check_links() {
    if (!out_.comm.pairs) return;
    for (const char* name : {"collectives", "sizes", "sizes_of", "dtypes", "via", "in_place",
                             "overlap_compute", "congestion"}) {
      if (!given_.contains(name)) continue;
      problem(name, out_.own[name].text, "cannot be combined with --pairs",
              "measure collectives in a run of their own");
    }
  }

  void check_checks() {
    for (const Word<Check>& check : words_of(Check())) {
      if (check.value == Check::kHealth || !asks_for(out_.comm.checks, check.value)) continue;
      problem("checks", std::string(check.name), "comm has health only",
              "devices are measured by `scalemark sweep --checks " + std::string(check.name) + "`");
    }
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
