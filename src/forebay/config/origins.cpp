#include "forebay/config/origins.hpp"

#include <fmt/format.h>

namespace forebay::config {

void Origins::from_file(const Setting& setting, int line) {
  std::string text = fmt::format("{}:{}", file_, line);
  std::string place = fmt::format("{}: {}", text, setting.key);
  sources_[setting.key] = {std::move(text), std::move(place), false};
}

void Origins::from_variable(const Setting& setting) {
  sources_[setting.key] = {std::string(setting.variable), std::string(setting.variable), true};
}

bool Origins::is_from_variable(const Setting& setting) const {
  const auto found = sources_.find(setting.key);
  return found != sources_.end() && found->second.is_variable;
}

std::string Origins::source(const Setting& setting) const {
  const auto found = sources_.find(setting.key);
  const std::string text = found == sources_.end() ? "default" : found->second.text;
  return adjusted_.contains(setting.key) ? text + ", adjusted" : text;
}

std::string Origins::place(const Setting& setting) const {
  const auto found = sources_.find(setting.key);
  return found == sources_.end() ? fmt::format("{} (default)", setting.key) : found->second.place;
}

}  // namespace forebay::config
