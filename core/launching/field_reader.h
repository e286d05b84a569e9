// Reads numbers out of an environment and remembers from which variable each came and what was
// wrong with it. Private to the detection.
#pragma once

#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/launching/environment.h"

namespace scalemark::launching {

class FieldReader {
 public:
  FieldReader(const Environment& environment, std::map<std::string, std::string>& detected_from,
              std::vector<ErrorRecord>& problems)
      : environment_(environment), detected_from_(detected_from), problems_(problems) {}

  bool has(const std::string& name) const { return text(name).has_value(); }

  // Absent also when the variable is empty.
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
