// SPDX-License-Identifier: Apache-2.0
#include "report/html/page.h"

#include <fmt/format.h>

#include <cctype>

#include "report/draw/timeline_style.h"
#include "report/escaped.h"
#include "report/html/page_text.h"

namespace ptxmc::report {

namespace {

constexpr std::string_view kTones[] = {"plain", "good", "bad", "open"};

/// The value of an attribute of the first tag of `html`, as it stands there.
std::string_view attribute(std::string_view html, std::string_view name) {
  const std::string key = fmt::format(" {}=\"", name);
  const std::string_view tag = html.substr(0, html.find('>'));
  const std::size_t at = tag.find(key);
  if (at == std::string_view::npos) return "";
  const std::string_view rest = tag.substr(at + key.size());
  return rest.substr(0, rest.find('"'));
}

}  // namespace

std::string section_id(std::string_view names) {
  std::string out = "t-";
  for (const char c : names) {
    const auto byte = static_cast<unsigned char>(c);
    out += std::isalnum(byte) != 0 ? std::string(1, c) : fmt::format("-{:x}-", byte);
  }
  return out;
}

std::string section(const Entry& entry, std::string_view content) {
  return fmt::format(
      "<section id=\"{}\" data-name=\"{}\" data-answer=\"{}\" data-file=\"{}\">\n<h1>{}</h1>\n{}</section>\n",
      entry.id, escaped(entry.name), escaped(entry.answer), escaped(entry.file), escaped(entry.name),
      content);
}

std::string zoomable(std::string_view svg, std::string_view about) {
  return fmt::format(
      "<figure class=\"picture\"><div class=\"zoom\" hidden=\"\"><button type=\"button\" data-zoom=\"out\" "
      "aria-label=\"smaller\">&#8722;</button><button type=\"button\" data-zoom=\"in\" "
      "aria-label=\"larger\">+</button><button type=\"button\" data-zoom=\"fit\">Fit</button></div>\n"
      "<div class=\"view\" tabindex=\"0\" role=\"img\" aria-label=\"{}\">{}</div></figure>\n",
      escaped(std::string(about)), svg);
}

void Page::add(Entry entry, std::string_view content) {
  sections_ += section(entry, content);
  entry.name = escaped(entry.name);
  entry.answer = escaped(entry.answer);
  entry.file = escaped(entry.file);
  entries_.push_back(std::move(entry));
}

void Page::add_section(std::string_view section, std::string note, Tone tone) {
  sections_ += section;
  entries_.push_back({std::string(attribute(section, "id")), std::string(attribute(section, "data-name")),
                      std::string(attribute(section, "data-answer")), std::move(note), tone,
                      std::string(attribute(section, "data-file"))});
}

std::string Page::index() const {
  if (entries_.size() < 2) return "";
  std::string out = fmt::format(
      "<nav class=\"index\" aria-label=\"Index\"><h1>{} {}</h1>\n"
      "<p class=\"find\" hidden=\"\"><input type=\"search\" placeholder=\"Find\" "
      "aria-label=\"Find\"/></p>\n<ol>\n",
      entries_.size(), things_);
  for (const Entry& entry : entries_) {
    out += fmt::format("<li class=\"{}\"><a href=\"#{}\">{}</a> <b>{}</b>{}{}</li>\n",
                       kTones[static_cast<std::size_t>(entry.tone)], entry.id, entry.name, entry.answer,
                       entry.note.empty() ? "" : fmt::format(" <span>{}</span>", escaped(entry.note)),
                       entry.file.empty() || entry.file == entry.name
                           ? ""
                           : fmt::format(" <span class=\"dim\">{}</span>", entry.file));
  }
  return out + "</ol></nav>\n";
}

std::string Page::print() const {
  const std::string title = entries_.size() == 1 ? entries_.front().name + " - " : "";
  const std::string made = command_.empty()
                               ? ""
                               : fmt::format("<footer class=\"dim\"><code>{}</code><br/>ptxmc {}</footer>\n",
                                             escaped(command_), escaped(version_));
  const std::string style = fmt::format("{}{}{}", kColors, kPageStyle, kTimelineStyle);
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/><meta name=\"viewport\" "
      "content=\"width=device-width, initial-scale=1\"/><title>{}ptxmc {}</title>\n<style>{}</style></head>\n"
      "<body><main>\n{}{}{}{}</main>\n<script>{}</script></body></html>\n",
      title, what_, style, index(), lead_, sections_, made, kPageScript);
}

}  // namespace ptxmc::report
