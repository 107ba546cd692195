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

void Origins::from_option(const Setting& setting, const std::string& option) {
  sources_[setting.key] = {option, option, true};
  refused_.erase(setting.key);
}

void Origins::from_route(const Setting& setting, int line, const std::string& path) {
  std::string text = fmt::format("{}:{}", file_, line);
  std::string place = fmt::format("{}: {}", text, path);
  sources_[setting.key] = {std::move(text), std::move(place), false};
  refused_.erase(setting.key);
  adjusted_.erase(setting.key);
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
