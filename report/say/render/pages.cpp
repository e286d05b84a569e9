// Writes all that a report has to say to people: on a console, as Markdown, and as one HTML page.

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "core/base/page/whole_page.h"
#include "core/base/record_json.h"
#include "core/base/terminal.h"
#include "core/base/text.h"
#include "report/record/report_json.h"
#include "report/record/verdict.h"
#include "report/say/explain/explain.h"
#include "report/say/render/answer/answer.h"
#include "report/say/render/figures/plot.h"
#include "report/say/render/render.h"
#include "report/say/render/sections/sweep_sections.h"
#include "report/say/render/text.h"
#include "report/say/table/table.h"
#include "report/say/words/words.h"

namespace scalemark::reporting {
namespace {

// Says why a step is as long as it is, where the report is about one run.
std::vector<Section> sections_of_run(const Report& report) {
  if (is_sweep(report) || report.points.size() != 1) return {};
  return step_sections(report, report.points.front());
}

std::string console_sweep_text(const Report& report, const Terminal& terminal) {
  const std::size_t width = text_width(terminal);
  std::string text;
  for (const auto& sentence : summary_in_words(report)) text += list_item(sentence, width);
  for (const Section& section : sweep_sections(report)) {
    text += "\n" + section_text(section, terminal);
  }
  const std::string cost = telemetry_cost(std::span(&report, 1));
  if (!cost.empty()) text += "\n" + list_item(cost, width);
  return text;
}

}  // namespace

std::span<const OurWord> our_words() {
  static constexpr OurWord kWords[] = {
#define SCALEMARK_WORD(word, meaning) {word, meaning},
#include "report/say/words/word_list.inc"
  };
  return kWords;
}

std::string render_console(std::span<const Report> reports, Withheld withheld,
                           const Terminal& terminal) {
  return sweeps_then_runs(
      for_people(reports, withheld),
      [&](const Report& report) { return console_sweep_text(report, terminal); },
      [&](std::span<const Report> runs) {
        std::string text = render_table(runs, TableFormat::kText, terminal);
        for (const Report& run : runs) {
          for (const Section& section : sections_of_run(run))
            text += "\n" + section_text(section, terminal);
        }
        return text;
      });
}

namespace {

std::string environment_text(const Report& report) {
  std::string text = "\n## Where it ran\n\n";
  for (const auto& host : report.environment.hosts) {
    std::string line = host.hostname + ": " + (host.cpu.empty() ? "unknown CPU" : host.cpu) + ", " +
                       std::to_string(host.cores.usable) + " usable cores";
    if (!host.gpus.empty()) {
      line += ", " + std::to_string(host.gpus.size()) + " x " + host.gpus.front().name;
    }
    text += "- " + markdown_text(line) + "\n";
  }
  text += "- " +
          markdown_text(program_line(report) + ", " + report.started + ", run " + report.run_id) +
          "\n";
  return text;
}

std::string sweep_text(const Report& report) {
  std::string text = measures_collectives(report) ? "# Collectives\n\n" : "# Sweep report\n\n";
  if (!report.invocation.about.empty()) {
    text += markdown_text(report.invocation.about) + "\n\n";
  }
  for (const auto& sentence : summary_in_words(report))
    text += "- " + markdown_text(sentence) + "\n";
  for (const Section& section : sweep_sections(report)) text += section_markdown(section);
  for (const Section& section : machine_sections(report)) text += section_markdown(section);
  return text + environment_text(report);
}

}  // namespace

std::string render_markdown(std::span<const Report> reports) {
  return sweeps_then_runs(reports, sweep_text, [](std::span<const Report> runs) {
    std::string text = render_table(runs, TableFormat::kMarkdown);
    for (const Report& run : runs) {
      for (const Section& section : sections_of_run(run)) text += section_markdown(section);
      for (const Section& section : machine_sections(run)) {
        if (section.title != kFingerprintTitle) text += section_markdown(section);  // shown above
      }
    }
    return text;
  });
}

namespace {

using Json = nlohmann::ordered_json;

// Curves have no more points than a screen can show. The page mentions it.
constexpr std::size_t kStepsOfOneRun = 800;
constexpr std::size_t kRunsWithSteps = 300;

double to_five_digits(double value) { return std::strtod(significant(value, 5).c_str(), nullptr); }

// Numbers that every record has are 0 where for_people() has left them out. They must not be shown.
void drop_left_out(Json& record) {
  if (record.value("standing", "") != kWithheld) return;
  if (record.value("samples_per_sec", 1.0) == 0) {
    for (const char* key : {"samples_per_sec", "samples_per_sec_per_rank", "wall_s", "step_s",
                            "step_mean_over_ranks_s", "step_samples_s"}) {
      record.erase(key);
    }
  }
  if (!record.contains("in_words")) record.erase("ratio");  // an effect's ratio goes with its words
}

// Keeps evenly spaced steps of a run, so that a long one does not make the page heavy.
void thin_steps(Json& point) {
  const auto found = point.find("step_samples_s");
  if (found == point.end()) return;
  const std::size_t stride = (found->size() + kStepsOfOneRun - 1) / kStepsOfOneRun;
  Json kept = Json::array();
  for (std::size_t i = 0; i < found->size(); i += std::max<std::size_t>(stride, 1)) {
    kept.push_back(to_five_digits((*found)[i].get<double>()));
  }
  point["step_samples_s"] = std::move(kept);
  if (stride > 1) point["step_stride"] = stride;
}

// In a script element, no part of JSON may look like markup.
std::string for_script(const std::string& json) {
  std::string text;
  for (const char c : json) {
    if (c == '<') {
      text += "\\u003c";
    } else if (c == '>') {
      text += "\\u003e";
    } else if (c == '&') {
      text += "\\u0026";
    } else {
      text += c;
    }
  }
  return text;
}

Json columns_json(const std::vector<Column>& columns) {
  Json json = Json::array();
  for (const Column& column : columns) {
    json.push_back({{"head", joined(column.head, " ")},
                    {"left", column.left},
                    {"may_go", column.may_go},
                    {"cells", column.cells}});
  }
  return json;
}

// These are the tables that the console and Markdown show, cell by cell.
Json sections_json(const std::vector<Section>& sections) {
  Json json = Json::array();
  for (const Section& section : sections) {
    json.push_back({{"title", section.title},
                    {"columns", columns_json(section.columns)},
                    {"lines", section.lines}});
  }
  return json;
}

// `facts` says where and when the numbers were measured.
Json answer_json(const Answer& answer, const std::vector<std::string>& facts) {
  Json json = {{"parts", answer.parts},    {"what", answer.what},
               {"effort", answer.effort},  {"found", answer.found},
               {"notes", answer.notes},    {"facts", facts},
               {"figures", Json::array()}, {"table", columns_json(answer.table)}};
  for (const Figure& figure : answer.figures) {
    json["figures"].push_back({{"value", figure.value}, {"label", figure.label}});
  }
  return json;
}

Json answer_json(const Report& report) {
  std::vector<std::string> facts{
      machine_line(report),        "status " + std::string(name_of(report.status)),
      "started " + report.started, report.finished.empty() ? "" : "finished " + report.finished,
      "run " + report.run_id,      program_line(report)};
  std::erase(facts, "");
  Json json = answer_json(answer_of(report, ""), facts);
  json["about"] = report.invocation.about;
  if (const auto& verdict = report.verdict) json["verdict"] = name_of(verdict->level);
  return json;
}

Json figures_json(const std::vector<Plot>& plots) {
  Json json = Json::array();
  for (const Plot& plot : plots) {
    json.push_back({{"name", plot.name},
                    {"title", plot.title},
                    {"caption", plot.caption},
                    {"choice", plot.choice},
                    {"chosen", plot.chosen},
                    {"file", plot.file},
                    {"svg", svg_of(plot, kColumn_mm)},
                    {"wide", svg_of(plot, kPage_mm)},
                    {"csv", csv_of(plot)}});
  }
  return json;
}

// The page shows them as plain text.
Json words_json() {
  Json json = Json::array();
  for (const OurWord& one : our_words()) {
    std::string meaning = one.meaning;
    std::erase_if(meaning, [](char c) { return c == '*' || c == '`'; });
    json.push_back({{"word", one.word}, {"meaning", meaning}});
  }
  return json;
}

Json data_of(std::span<const Report> reports) {
  Json data = {{"reports", Json::array()}};
  std::size_t with_steps = 0;
  for (const Report& report : reports) {
    Json json = Json::parse(to_json(report));
    for (Json& point : json["points"]) {
      drop_left_out(point);
      if (++with_steps > kRunsWithSteps) point.erase("step_samples_s");
      thin_steps(point);
    }
    if (json.contains("effects")) {
      for (Json& effect : json["effects"]) drop_left_out(effect);
    }
    if (json.contains("scaling")) {
      for (Json& table : json["scaling"]) {
        for (Json& row : table["rows"]) drop_left_out(row);
      }
    }
    json["answer"] = answer_json(report);
    std::vector<Section> sections = sweep_sections(report);
    std::ranges::move(sections_of_run(report), std::back_inserter(sections));
    std::ranges::move(machine_sections(report), std::back_inserter(sections));
    json["sections"] = sections_json(sections);
    json["figures"] = figures_json(plots_of(report));
    data["reports"].push_back(std::move(json));
  }
  return data;
}

// `text` is what a browser without scripts shows.
std::string page_of(Json data, const std::string& text) {
  data["words"] = words_json();
  std::string page = page::whole_page(kPageFrame, kPageScript);
  // Replaces placeholders from the end to the beginning, so that text of the report is never
  // searched for them.
  const std::size_t data_at = page.find("@DATA@"), text_at = page.find("@TEXT@");
  page.replace(data_at, std::string_view("@DATA@").size(), for_script(dumped(data)));
  page.replace(text_at, std::string_view("@TEXT@").size(), html_escaped(text));
  return page;
}

}  // namespace

std::string render_html(std::span<const Report> reports) {
  return page_of(data_of(reports), render_markdown(reports));
}

std::string render_page(const AnswerPage& page) {
  Json answer = answer_json(page.answer, page.facts);
  answer["verdict"] = page.verdict;
  return page_of({{"reports",
                   {{{"title", page.title},
                     {"answer", std::move(answer)},
                     {"sections", sections_json(page.sections)},
                     {"figures", figures_json(page.figures)}}}}},
                 page.text);
}

}  // namespace scalemark::reporting
