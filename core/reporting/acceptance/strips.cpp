// Pictures of an acceptance: where each part of a class lies between limit and reference, and how
// fast the links between all nodes are.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "core/base/text.h"
#include "core/reporting/acceptance/forms.h"
#include "core/reporting/render/text.h"
#include "core/reporting/table/fingerprint_table.h"

namespace scalemark::acceptance {
namespace {

using reporting::html_escaped;
using Results = std::vector<const CheckResult*>;

constexpr double kWidth = 1060, kHeight = 190, kLeft = 48, kRight = 104, kTop = 14, kBottom = 30;
constexpr double kMostShown = 10;  // times the reference, which a baseline may have as it likes
constexpr std::size_t kMostNodeNames = 12;
constexpr std::ptrdiff_t kMostNames = 6;

std::string number(double value) { return printed("%.1f", value); }

std::string line(const char* kind, double x1, double y1, double x2, double y2) {
  return "<line class=\"" + std::string(kind) + "\" x1=\"" + number(x1) + "\" y1=\"" + number(y1) +
         "\" x2=\"" + number(x2) + "\" y2=\"" + number(y2) + "\"/>";
}

std::string text_at(double x, double y, const char* anchor, const std::string& text,
                    const char* kind = "") {
  return "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" text-anchor=\"" + anchor +
         "\" class=\"" + kind + "\">" + html_escaped(text) + "</text>";
}

std::string tip_of(const CheckResult& result) {
  std::string text = result.part.name();
  if (!result.part.uuid.empty()) text += " " + result.part.uuid;
  text += ": " + std::string(name_of(result.outcome));
  if (result.value) text += ", " + reporting::rate_text(*result.value, result.unit);
  if (result.of_reference)
    text += printed(", %.1f %% of the reference", 100 * *result.of_reference);
  if (!result.why.empty()) text += "; " + result.why;
  return "<title>" + html_escaped(text) + "</title>";
}

class Strip {
 public:
  explicit Strip(Results parts) : parts_(std::move(parts)) {
    std::ranges::stable_sort(
        parts_, {}, [](const CheckResult* one) -> const std::string& { return one->part.host; });
    for (const CheckResult* one : parts_) {
      if (!one->of_reference) continue;
      low_ = std::min(low_, *one->of_reference);
      high_ = std::max(high_, std::min(*one->of_reference, kMostShown));
      limit_ = one->limit.value_or(limit_);
    }
    low_ = std::min(low_, limit_);
    const double room = 0.15 * (high_ - low_) + 0.01;
    low_ = std::max(0.0, low_ - room);
    high_ += room;
    step_ = (kWidth - kLeft - kRight) / static_cast<double>(parts_.size());
  }

  std::string svg() const {
    return "<svg viewBox=\"0 0 " + number(kWidth) + " " + number(kHeight) +
           "\" role=\"img\" aria-label=\"Parts against limit and reference\">" + axis() + nodes() +
           level("reference", 1, "reference") + level("limit", limit_, "limit") + marks() +
           "</svg>";
  }

 private:
  double x(std::size_t place) const { return kLeft + (static_cast<double>(place) + 0.5) * step_; }
  double y(double share) const {
    const double up = (std::clamp(share, low_, high_) - low_) / (high_ - low_);
    return kHeight - kBottom - up * (kHeight - kTop - kBottom);
  }
  static double bottom() { return kHeight - kBottom; }

  std::string level(const char* kind, double share, const std::string& name) const {
    return line(kind, kLeft, y(share), kWidth - kRight, y(share)) +
           text_at(kWidth - kRight + 4, y(share) + 4, "start",
                   name + printed(" %.0f %%", 100 * share));
  }

  std::string axis() const {
    double step = 0.01;
    for (const double wider : {0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0}) {
      if ((high_ - low_) / step > 6) step = wider;
    }
    std::string text;
    for (double share = std::ceil(low_ / step) * step; share < high_; share += step) {
      text += line("axis", kLeft, y(share), kWidth - kRight, y(share)) +
              text_at(kLeft - 6, y(share) + 4, "end", printed("%.0f %%", 100 * share));
    }
    return text;
  }

  // A thin line before each node; with many of them, every few have a name.
  std::string nodes() const {
    std::vector<std::size_t> begins;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      if (i == 0 || parts_[i]->part.host != parts_[i - 1]->part.host) begins.push_back(i);
    }
    const std::size_t every = (begins.size() + kMostNodeNames - 1) / kMostNodeNames;
    std::string text;
    for (std::size_t i = 0; i < begins.size(); ++i) {
      const double left = x(begins[i]) - step_ / 2;
      if (i > 0) text += line("node", left, kTop, left, bottom());
      if (i % every > 0) continue;
      text += text_at(left + 2, kHeight - 10, "start", parts_[begins[i]]->part.host);
    }
    return text;
  }

  std::string marks() const {
    const auto failed = std::ranges::count_if(parts_, [](const CheckResult* one) {
      return one->outcome == Outcome::kFailed && one->of_reference;
    });
    std::string text;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const CheckResult& one = *parts_[i];
      text +=
          "<g class=\"" + std::string(name_of(one.outcome)) + "\">" + tip_of(one) + mark(one, x(i));
      const bool named = one.outcome == Outcome::kFailed && one.of_reference;
      if (named && failed <= kMostNames) text += name_beside(one, x(i));
      text += "</g>";
    }
    return text;
  }

  // Outcomes differ in shape, too: a dot, a hollow square, a diamond.
  std::string mark(const CheckResult& one, double at) const {
    if (!one.of_reference) return cross(at);
    const double size = std::clamp(0.35 * step_, 1.5, 4.0), up = y(*one.of_reference);
    std::string text;
    if (one.low && one.high) text += line("interval", at, y(*one.low), at, y(*one.high));
    const std::string centre = number(at) + "\" cy=\"" + number(up);
    if (one.outcome == Outcome::kPassed) {
      return text + "<circle class=\"mark\" cx=\"" + centre + "\" r=\"" + number(size) + "\"/>";
    }
    const double side = one.outcome == Outcome::kFailed ? 1.5 * size : size;
    const std::string turned =
        one.outcome == Outcome::kFailed
            ? " transform=\"rotate(45 " + number(at) + " " + number(up) + ")\""
            : "";
    return text + "<rect class=\"mark\" x=\"" + number(at - side) + "\" y=\"" + number(up - side) +
           "\" width=\"" + number(2 * side) + "\" height=\"" + number(2 * side) + "\"" + turned +
           "/>";
  }

  static std::string cross(double at) {
    const double size = 4;
    return line("cross", at - size, bottom() - size, at + size, bottom() + size) +
           line("cross", at - size, bottom() + size, at + size, bottom() - size);
  }

  std::string name_beside(const CheckResult& one, double at) const {
    const bool right = at > kWidth / 2;
    return text_at(right ? at - 9 : at + 9, y(*one.of_reference) + 4, right ? "end" : "start",
                   one.part.name(), "name");
  }

  Results parts_;
  double low_ = 1, high_ = 1, limit_ = 1, step_ = 1;
};

struct Matrix {
  std::vector<std::string> nodes;
  double cell = 0, left = 0;

  double at(std::size_t place) const { return left + cell * static_cast<double>(place); }
};

Matrix matrix_of(const Results& links) {
  constexpr double kSide = 600, kWidestCell = 24, kLetter = 7;
  std::set<std::string> names;
  for (const CheckResult* link : links) names.insert({link->part.host, link->part.other});
  Matrix matrix{.nodes = {names.begin(), names.end()}};
  matrix.cell = std::min(kWidestCell, kSide / static_cast<double>(names.size()));
  const auto longest =
      std::ranges::max_element(names, {}, [](const std::string& name) { return name.size(); });
  matrix.left = kLetter * static_cast<double>(longest->size()) + 6;
  return matrix;
}

// A link that failed has a cross, whatever its shade.
std::string cell_of(const Matrix& matrix, const CheckResult& link, double fastest, std::size_t row,
                    std::size_t column) {
  const double x = matrix.at(column), y = matrix.cell * static_cast<double>(row);
  const double side = matrix.cell - 1, share = link.value.value_or(0) / fastest;
  const std::string square = "x=\"" + number(x) + "\" y=\"" + number(y) + "\" width=\"" +
                             number(side) + "\" height=\"" + number(side) + "\"";
  std::string text = "<g class=\"" + std::string(name_of(link.outcome)) + "\">" + tip_of(link) +
                     "<rect class=\"link\" " + square + " fill-opacity=\"" +
                     printed("%.2f", 0.08 + 0.92 * share * share) + "\"/>";
  if (link.outcome == Outcome::kFailed) {
    text += line("cross", x, y, x + side, y + side) + line("cross", x, y + side, x + side, y);
  }
  return text + "</g>";
}

// Two nodes have one square: where their ranks are linked, it shows the slowest of their links.
std::vector<const CheckResult*> slowest_of_pairs(const std::vector<const CheckResult*>& links) {
  std::map<std::pair<std::string, std::string>, const CheckResult*> slowest;
  for (const CheckResult* link : links) {
    const auto [known, is_new] = slowest.try_emplace({link->part.host, link->part.other}, link);
    if (!is_new && link->value.value_or(0) < known->second->value.value_or(0)) known->second = link;
  }
  std::vector<const CheckResult*> kept;
  for (const auto& [pair, link] : slowest) kept.push_back(link);
  return kept;
}

}  // namespace

std::string strip_svg(const std::vector<const CheckResult*>& parts) {
  const bool any = std::ranges::any_of(
      parts, [](const CheckResult* one) { return one->of_reference.has_value(); });
  return any ? Strip(parts).svg() : "";
}

std::string links_svg(const std::vector<const CheckResult*>& links) {
  double fastest = 0;
  for (const CheckResult* link : links) fastest = std::max(fastest, link->value.value_or(0));
  if (!(fastest > 0)) return "";
  const Matrix matrix = matrix_of(links);
  const auto place = [&](const std::string& name) {
    return static_cast<std::size_t>(std::ranges::find(matrix.nodes, name) - matrix.nodes.begin());
  };
  const double side = matrix.cell * static_cast<double>(matrix.nodes.size());
  std::string text = "<svg class=\"links\" width=\"" + number(matrix.left + side) +
                     "\" viewBox=\"0 0 " + number(matrix.left + side) + " " + number(side) +
                     "\" role=\"img\" aria-label=\"Links between nodes\">";
  const std::size_t every = matrix.cell < 11 ? 4 : 1;
  for (std::size_t i = 0; i < matrix.nodes.size(); i += every) {
    text += text_at(matrix.left - 5, matrix.cell * (static_cast<double>(i) + 0.5) + 4, "end",
                    matrix.nodes[i]);
  }
  for (const CheckResult* link : slowest_of_pairs(links)) {
    const std::size_t a = place(link->part.host), b = place(link->part.other);
    text += cell_of(matrix, *link, fastest, a, b) + cell_of(matrix, *link, fastest, b, a);
  }
  return text + "</svg>";
}

}  // namespace scalemark::acceptance
