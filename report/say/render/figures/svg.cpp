// Draws a plot as SVG. Lengths are in points (1/72 inch); text is 7 points high, which journals
// ask for.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/base/number_words.h"
#include "report/say/render/figures/plot.h"
#include "report/say/render/text.h"

namespace scalemark::reporting {
namespace {

constexpr double kText = 7, kLine = 10, kGap = 3, kRowHeight = 11, kTop = 6;
constexpr double kSwatch = 12, kMost = 190;
constexpr double kTurned = 0.71;  // height of a label at 45 degrees, relative to its width
constexpr double kPointsPerMm = 72 / 25.4;

// Colours that print well, and that most colour-blind people can distinguish (Okabe and Ito, 2008).
constexpr auto kInks =
    std::to_array<std::pair<std::string_view, std::string_view>>({{"c1", "#0072b2"},
                                                                  {"c2", "#d55e00"},
                                                                  {"c3", "#009e73"},
                                                                  {"c4", "#a0568c"},
                                                                  {"c5", "#c79a00"},
                                                                  {"c6", "#3a9bdc"},
                                                                  {"c7", "#7a7a7a"},
                                                                  {"c8", "#8a5a44"},
                                                                  {"accent", "#0067b1"},
                                                                  {"good", "#1a7f4b"},
                                                                  {"bad", "#c0392b"},
                                                                  {"faint", "#5d6878"},
                                                                  {"line", "#dde2e9"},
                                                                  {"ink", "#1b2330"}});

std::string_view ink_of(std::string_view color) {
  for (const auto& [name, ink] : kInks) {
    if (name == color) return ink;
  }
  return "#000000";
}

std::string number(double value) { return significant(std::round(value * 100) / 100, 7); }

std::size_t letters(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

// Fonts differ: 0.54 of the height is the mean width of letters in Helvetica.
double width_of(std::string_view text) { return 0.54 * kText * static_cast<double>(letters(text)); }

// Returns the letters that fit, with an ellipsis where some do not.
std::string cut_to(const std::string& text, double width) {
  const auto fit = static_cast<std::size_t>(std::max(4.0, width / (0.54 * kText)));
  if (letters(text) <= fit) return text;
  std::size_t end = 0, seen = 0;
  for (; end < text.size(); ++end) {
    if ((static_cast<unsigned char>(text[end]) & 0xC0) != 0x80 && ++seen == fit) break;
  }
  return text.substr(0, end) + "\u2026";
}

double widest(const std::vector<std::string>& texts) {
  double width = 0;
  for (const std::string& text : texts) width = std::max(width, width_of(text));
  return width;
}

std::string stroke(std::string_view color, double width, std::string_view more = "") {
  return " class=\"stroke " + std::string(color) + "\" fill=\"none\" stroke=\"" +
         std::string(ink_of(color)) + "\" stroke-width=\"" + number(width) + "\"" +
         std::string(more);
}

std::string filled(std::string_view color) {
  return " class=\"fill " + std::string(color) + "\" fill=\"" + std::string(ink_of(color)) + "\"";
}

struct Spot {
  double x = 0, y = 0;
};

std::string line(Spot a, Spot b, const std::string& how) {
  return "<line x1=\"" + number(a.x) + "\" y1=\"" + number(a.y) + "\" x2=\"" + number(b.x) +
         "\" y2=\"" + number(b.y) + "\"" + how + "/>";
}

// `whole` is shown on hover where `text` is cut.
std::string text_at(Spot at, std::string_view anchor, const std::string& text, double turned = 0,
                    const std::string& whole = "") {
  const std::string turn = turned == 0 ? ""
                                       : " transform=\"rotate(" + number(turned) + " " +
                                             number(at.x) + " " + number(at.y) + ")\"";
  const std::string tip =
      whole.empty() || whole == text ? "" : "<title>" + xml_escaped(whole) + "</title>";
  return "<text x=\"" + number(at.x) + "\" y=\"" + number(at.y) + "\" text-anchor=\"" +
         std::string(anchor) + "\"" + filled("ink") + turn + ">" + xml_escaped(text) + tip +
         "</text>";
}

std::string triangle(Spot at, double size, const std::string& how) {
  return "<path d=\"M" + number(at.x - size) + " " + number(at.y + 0.8 * size) + "h" +
         number(2 * size) + "l" + number(-size) + " " + number(-1.7 * size) + "z\"" + how + "/>";
}

// Writes "ddp, 4 ranks: 3.61 (3.55 to 3.66)".
std::string tip_of(const Plot& plot, const PlotSeries& series, const PlotMark& mark) {
  if (!mark.tip.empty()) return mark.tip;
  std::string text = series.name.empty() ? "" : series.name + ", ";
  const bool has_unit = plot.at.names.empty() && !plot.at.title.empty();
  text += place_text(plot, mark.at) + (has_unit ? " " + plot.at.title : "") + ": " +
          readable(*mark.value);
  if (series.drawn == Drawn::kBars || !mark.low || !mark.high) return text;
  return text + " (" + readable(*mark.low) + " to " + readable(*mark.high) + ")";
}

class Drawing {
 public:
  Drawing(const Plot& plot, double width)
      : plot_(plot), at_(at_scale(plot)), value_(value_scale(plot)), width_(width) {
    lay_out();
  }

  std::string svg() const {
    const double mm = 1 / kPointsPerMm;
    std::string text = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + number(width_ * mm) +
                       "mm\" height=\"" + number(height_ * mm) + "mm\" viewBox=\"0 0 " +
                       number(width_) + " " + number(height_) +
                       "\" role=\"img\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"" +
                       number(kText) + "\"><title>" + xml_escaped(plot_.title) + "</title>";
    text += axes() + guides();
    for (const PlotSeries& series : plot_.series) text += drawn(series);
    return text + legend() + foot() + "</svg>\n";
  }

 private:
  // The plot's direction decides which axis is horizontal and which vertical.
  const Scale& across() const { return plot_.in_rows ? value_ : at_; }
  const Scale& upward() const { return plot_.in_rows ? at_ : value_; }
  const PlotAxis& across_axis() const { return plot_.in_rows ? plot_.value : plot_.at; }
  const PlotAxis& upward_axis() const { return plot_.in_rows ? plot_.at : plot_.value; }

  void lay_out() {
    // The longest name of a part of lost efficiency fits into a figure of one column.
    const double most = 0.52 * width_;
    for (const std::string& name : upward().names) upward_names_.push_back(cut_to(name, most));
    const bool has_title = !upward_axis().title.empty();
    left_ = kGap + (has_title ? kLine : 0) + widest(upward_names_) + 5;
    const auto& names = across().names;
    const bool ends_at_edge = !across_axis().ticks.empty() && !names.empty();
    right_ = width_ - std::max(8.0, ends_at_edge ? width_of(names.back()) / 2 + 1 : 0);
    double needed = 0;
    for (const std::string& name : names) needed += width_of(name) + 4;
    turned_ = !across_axis().names.empty() && needed > right_ - left_;
    for (const std::string& name : names)
      across_names_.push_back(turned_ ? cut_to(name, 80) : name);
    if (turned_) {  // the first label reaches beyond the left end
      left_ = std::max(left_, kTurned * width_of(across_names_.front()) -
                                  (right_ - left_) / static_cast<double>(2 * names.size()));
    }
    const double labels = turned_ ? kTurned * widest(across_names_) + kText : kLine;
    const double plain =
        plot_.in_rows
            ? kRowHeight * static_cast<double>(std::max<std::size_t>(upward_names_.size(), 2))
            : std::min(0.55 * width_, kMost);
    bottom_ = kTop + plain;
    below_ = bottom_ + labels + (across_axis().title.empty() ? 0 : kLine) + kGap;
    height_ = below_;
    for (const PlotSeries& series : plot_.series) {
      if (!series.name.empty()) legend_.push_back(&series);
    }
    if (legend_.size() < plot_.legend_from) legend_.clear();
    place_legend();
  }

  void place_legend() {
    double x = left_, y = below_ + kText;
    for (const PlotSeries* series : legend_) {
      const double wide = kSwatch + 3 + width_of(legend_name(*series)) + 8;
      if (x > left_ && x + wide > right_ + 8) x = left_, y += kLine;
      places_.push_back({x, y});
      x += wide;
    }
    if (!places_.empty()) height_ = places_.back().y + kGap + 1;
    if (!plot_.standing.empty()) height_ += kLine;
  }

  std::string legend_name(const PlotSeries& series) const {
    return cut_to(series.name, right_ - left_ - kSwatch);
  }

  double x_of(double place) const { return left_ + across().share(place) * (right_ - left_); }
  double y_of(double place) const {
    const double share = upward().share(place);
    return plot_.in_rows ? kTop + share * (bottom_ - kTop) : bottom_ - share * (bottom_ - kTop);
  }
  Spot spot(double at, double value) const {
    return plot_.in_rows ? Spot{x_of(value), y_of(at)} : Spot{x_of(at), y_of(value)};
  }

  std::string axes() const {
    std::string text;
    for (std::size_t i = 0; i < upward().ticks.size(); ++i) {
      const double y = y_of(upward().ticks[i]);
      if (!plot_.in_rows) text += line({left_, y}, {right_, y}, stroke("line", 0.5));
      text += text_at({left_ - 4, y + 2.5}, "end", upward_names_[i], 0, upward().names[i]);
    }
    double free_from = 0;
    for (std::size_t i = 0; i < across().ticks.size(); ++i) {
      const double x = x_of(across().ticks[i]);
      if (plot_.in_rows) text += line({x, kTop}, {x, bottom_}, stroke("line", 0.5));
      const std::string& name = across_names_[i];
      if (turned_) {
        if (x < free_from) continue;
        free_from = x + kLine;
        text += text_at({x + 2, bottom_ + 8}, "end", name, -45, across().names[i]);
        continue;
      }
      text += line({x, bottom_}, {x, bottom_ + 2}, stroke("faint", 0.5));
      if (x - width_of(name) / 2 < free_from) continue;  // the label would touch its neighbour
      free_from = x + width_of(name) / 2 + 3;
      text += text_at({x, bottom_ + kLine}, "middle", name);
    }
    text += line({left_, bottom_}, {right_, bottom_}, stroke("faint", 0.5)) +
            line({left_, kTop}, {left_, bottom_}, stroke("faint", 0.5));
    const std::string below = cut_to(across_axis().title, width_);
    const std::string beside = cut_to(upward_axis().title, below_);
    if (!below.empty()) {
      text += text_at({between(left_, right_, below, width_), below_ - kGap}, "middle", below);
    }
    if (!beside.empty()) {
      text += text_at({kGap + kText - 1, between(kTop, bottom_, beside, below_)}, "middle", beside,
                      -90);
    }
    return text;
  }

  // Returns the middle of an axis, or for a longer title the nearest place where it fits.
  static double between(double from, double to, const std::string& title, double most) {
    const double half = width_of(title) / 2;
    return std::max(half, std::min((from + to) / 2, most - half));
  }

  std::string guides() const {
    std::string text;
    for (const double guide : plot_.guides) {
      if (guide < value_.low || guide > value_.high) continue;
      const auto how =
          stroke("faint", 0.6, guide == plot_.guides.front() ? "" : " stroke-dasharray=\"2 2\"");
      text += line(spot(at_.low, guide), spot(at_.high, guide), how);
    }
    return text;
  }

  std::string drawn(const PlotSeries& series) const {
    std::string text;
    if (series.drawn == Drawn::kLine || series.drawn == Drawn::kDashes) text += path(series);
    for (const PlotMark& mark : series.marks) {
      if (!mark.value) continue;
      if (series.drawn == Drawn::kBars) {
        text += bar(series, mark);
      } else {
        text += interval(series, mark) + dot(series, mark);
      }
    }
    return text;
  }

  std::string path(const PlotSeries& series) const {
    std::string way;
    bool on = false;
    for (const PlotMark& mark : series.marks) {
      if (mark.value) {
        const Spot at = spot(mark.at, value_.clamped(*mark.value));
        way += (on ? "L" : "M") + number(at.x) + " " + number(at.y);
      }
      on = mark.value.has_value();
    }
    const bool dashes = series.drawn == Drawn::kDashes;
    return "<path d=\"" + way + "\"" +
           stroke(series.color, dashes ? 0.8 : 1.2, dashes ? " stroke-dasharray=\"3 2\"" : "") +
           "/>";
  }

  // Draws a stroke with caps. An arrow shows that it continues above the axis.
  std::string interval(const PlotSeries& series, const PlotMark& mark) const {
    if (!mark.low || !mark.high || *mark.low > value_.high || *mark.high < value_.low) return "";
    const Spot a = spot(mark.at, value_.clamped(*mark.low)),
               b = spot(mark.at, value_.clamped(*mark.high));
    const auto how = stroke(series.color, 0.8);
    std::string text = line(a, b, how);
    const double cap = 2;
    const auto capped = [&](Spot end) {
      return plot_.in_rows ? line({end.x, end.y - cap}, {end.x, end.y + cap}, how)
                           : line({end.x - cap, end.y}, {end.x + cap, end.y}, how);
    };
    if (*mark.low >= value_.low) text += capped(a);
    if (*mark.high <= value_.high) return text + capped(b);
    return text + (plot_.in_rows ? "" : triangle({b.x, b.y + 2}, 2, filled(series.color)));
  }

  std::string dot(const PlotSeries& series, const PlotMark& mark) const {
    if (*mark.value > value_.high || *mark.value < value_.low) return "";
    const Spot at = spot(mark.at, *mark.value);
    std::string shape;
    if (series.drawn == Drawn::kTriangles) {
      shape = triangle(at, 2.4, stroke(series.color, 0.9));
    } else if (series.drawn == Drawn::kLine || series.drawn == Drawn::kDots) {
      shape = "<circle cx=\"" + number(at.x) + "\" cy=\"" + number(at.y) + "\" r=\"1.8\"" +
              filled(series.color) + "/>";
    }
    // A larger, invisible circle is easier to point at.
    return "<g><title>" + xml_escaped(tip_of(plot_, series, mark)) + "</title>" + shape +
           "<circle cx=\"" + number(at.x) + "\" cy=\"" + number(at.y) +
           "\" r=\"4\" fill=\"none\" pointer-events=\"all\"/></g>";
  }

  std::string bar(const PlotSeries& series, const PlotMark& mark) const {
    const double half = 0.36;
    const Spot a = spot(mark.at - half, value_.clamped(*mark.low)),
               b = spot(mark.at + half, value_.clamped(*mark.high));
    const double least = *mark.value == 0 ? 0 : 0.6;  // a small loss stays visible
    const double wide = std::max(std::abs(b.x - a.x), least),
                 high = std::max(std::abs(b.y - a.y), least);
    return "<rect x=\"" + number(std::min(a.x, b.x)) + "\" y=\"" + number(std::min(a.y, b.y)) +
           "\" width=\"" + number(wide) + "\" height=\"" + number(high) + "\"" +
           filled(series.color) + "><title>" + xml_escaped(tip_of(plot_, series, mark)) +
           "</title></rect>";
  }

  std::string legend() const {
    std::string text;
    for (std::size_t i = 0; i < legend_.size(); ++i) {
      const PlotSeries& series = *legend_[i];
      const Spot at = places_[i];
      const Spot middle{at.x + kSwatch / 2, at.y - 2.5};
      switch (series.drawn) {
        case Drawn::kBars:
          text += "<rect x=\"" + number(at.x) + "\" y=\"" + number(at.y - 5.5) + "\" width=\"" +
                  number(kSwatch) + "\" height=\"6\"" + filled(series.color) + "/>";
          break;
        case Drawn::kTriangles:
          text += triangle(middle, 2.4, stroke(series.color, 0.9));
          break;
        case Drawn::kDots:
          text += "<circle cx=\"" + number(middle.x) + "\" cy=\"" + number(middle.y) +
                  "\" r=\"1.8\"" + filled(series.color) + "/>";
          break;
        case Drawn::kLine:
        case Drawn::kDashes:
        case Drawn::kIntervals:
          text += line({at.x, middle.y}, {at.x + kSwatch, middle.y},
                       stroke(series.color, 1.2,
                              series.drawn == Drawn::kDashes ? " stroke-dasharray=\"3 2\"" : ""));
      }
      text += text_at({at.x + kSwatch + 3, at.y}, "start", legend_name(series));
    }
    return text;
  }

  // A figure travels without its report, and says by itself whether it may be quoted.
  std::string foot() const {
    if (plot_.standing.empty()) return "";
    return text_at({width_ - kGap, height_ - kGap}, "end", plot_.standing);
  }

  const Plot& plot_;
  Scale at_, value_;
  double width_, left_ = 0, right_ = 0, bottom_ = 0, below_ = 0, height_ = 0;
  bool turned_ = false;
  std::vector<std::string> upward_names_, across_names_;
  std::vector<const PlotSeries*> legend_;
  std::vector<Spot> places_;
};

}  // namespace

std::string svg_of(const Plot& plot, double width_mm) {
  return Drawing(plot, width_mm * kPointsPerMm).svg();
}

}  // namespace scalemark::reporting
