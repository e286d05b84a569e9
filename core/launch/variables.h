// The environment variables of a process as plain data: which of them belong to launchers, and the
// numbers in them, with the variable that each came from. Knows nothing of what the variables mean.
#pragma once

#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/number_words.h"

namespace scalemark::launching {

using Environment = std::map<std::string, std::string>;

Environment snapshot_environment();

// True for every variable by which a launcher tells a process its place (RANK, SLURM_PROCID, ...)
// or from which a library in the process infers such a launcher. Facts about the job that hold for
// any process in it (SLURM_JOB_ID) are not among them.
bool is_launcher_variable(std::string_view name);

// The environment of a rank of the built-in launcher, which would trust a stale RANK.
Environment without_launcher_variables(Environment environment);

// Whole numbers from text, without wrapping, clamping or trailing rubbish: decimal digits only, so
// no sign and no space; absent when it does not fit.
template <typename Integer = int>
std::optional<Integer> parse_whole(std::string_view text) {
  return text.starts_with('-') ? std::nullopt : whole_number<Integer>(text);
}

// Reads numbers out of an environment and remembers from which variable each came and what was
// wrong with it. Private to the detection.
class FieldReader {
 public:
  FieldReader(const Environment& environment, std::map<std::string, std::string>& detected_from,
              std::vector<ErrorRecord>& problems)
      : environment_(environment), detected_from_(detected_from), problems_(problems) {}

  bool has(const std::string& name) const { return text(name).has_value(); }

  // Returns nullopt also for a variable that is empty.
  std::optional<std::string> text(const std::string& name) const;

  // The first of `names` that is set, as `field`. A value that is no whole number is a problem.
  std::optional<int> number(const std::string& field, std::initializer_list<const char*> names);
  std::optional<std::string> string(const std::string& field,
                                    std::initializer_list<const char*> names);

  // Reads like number(), but a missing value is a problem too; it then returns `otherwise`.
  int required(const std::string& field, std::initializer_list<const char*> names, int otherwise);

  // `field` was not in a variable of its own; `how` says where it comes from.
  void derived(const std::string& field, std::string how) {
    detected_from_[field] = std::move(how);
  }

  // "RANK=7" or "rank 7": how to name a field's value in a message.
  std::string named(const std::string& field, int value) const;

  void refuse(std::string what, std::string expected, std::string hint = {});
  void refuse_usage(std::string what, std::string expected, std::string hint = {});

 private:
  const Environment& environment_;
  std::map<std::string, std::string>& detected_from_;
  std::vector<ErrorRecord>& problems_;
};

}  // namespace scalemark::launching
