#include "core/settings/read_fields.h"

#include <algorithm>
#include <limits>

#include "core/base/error.h"
#include "core/settings/fields.h"
#include "core/settings/option.h"
#include "core/settings/value.h"

namespace scalemark::settings {
namespace {

class FieldReader {
 public:
  explicit FieldReader(const RawSettings& raw) : raw_(raw) {}

  void operator()(std::string_view name, std::string& field) const {
    if (const std::string* text = find(name)) field = *text;
  }
  void operator()(std::string_view name, bool& field) const {
    if (const std::string* text = find(name)) field = need(parse_switch(*text), name, *text);
  }
  void operator()(std::string_view name, std::int64_t& field) const { read_whole(name, field); }
  void operator()(std::string_view name, std::uint64_t& field) const { read_whole(name, field); }
  void operator()(std::string_view name, int& field) const { read_whole(name, field); }
  void operator()(std::string_view name, double& field) const {
    if (const std::string* text = find(name)) field = number(name, *text);
  }
  template <class T>
  void operator()(std::string_view name, std::optional<T>& field) const {
    const std::string* text = find(name);
    if (!text) return;
    field.reset();
    const Option* option = find_option(name);
    if (option && std::ranges::count(option->words, *text) > 0) return;  // "auto", "none"
    (*this)(name, field.emplace());
  }
  void operator()(std::string_view name, double& first, double& second) const {
    const std::string* text = find(name);
    if (text) std::tie(first, second) = need(parse_betas(*text), name, *text);
  }
  void timeouts(std::string_view name, double& every,
                std::map<std::string, double>& by_phase) const {
    const std::string* text = find(name);
    if (!text) return;
    Timeouts timeouts = need(parse_timeouts(*text), name, *text);
    every = timeouts.every_s.value_or(every);
    by_phase = std::move(timeouts.phase_s);
  }
  void memory_limits(std::string_view name, std::optional<std::int64_t>& every,
                     std::map<int, std::int64_t>& by_rank) const {
    const std::string* text = find(name);
    if (!text || *text == "auto") return;
    MemoryLimits limits = need(parse_memory_limits(*text), name, *text);
    every = limits.every_bytes;
    by_rank = std::move(limits.bytes_of_rank);
  }
  void inverted(std::string_view name, bool& field) const {
    bool opposite = !field;
    (*this)(name, opposite);
    field = !opposite;
  }

 private:
  const std::string* find(std::string_view name) const {
    const auto found = raw_.find(name);
    return found == raw_.end() ? nullptr : &found->second.text;
  }
  template <class T>
  static T need(std::optional<T> value, std::string_view name, const std::string& text) {
    if (!value) throw bug("unchecked value '" + text + "' of " + std::string(name));
    return *std::move(value);
  }
  static double number(std::string_view name, const std::string& text) {
    const Option* option = find_option(name);
    const bool seconds = option && option->kind == Kind::kSeconds;
    return need(seconds ? parse_seconds(text) : parse_number(text), name, text);
  }
  template <class T>
  void read_whole(std::string_view name, T& field) const {
    const std::string* text = find(name);
    if (!text) return;
    const std::int64_t value = need(parse_count(*text), name, *text);
    if (!std::in_range<T>(value)) throw bug("the range of " + std::string(name) + " is too wide");
    field = static_cast<T>(value);
  }

  const RawSettings& raw_;
};

}  // namespace

void read_fields(const RawSettings& raw, Settings& settings) {
  visit_fields(settings, FieldReader(raw));
}

}  // namespace scalemark::settings
