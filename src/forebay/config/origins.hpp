// Origins: where each setting of a configuration came from, and which of them were refused.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "forebay/config/setting.hpp"

namespace forebay::config {

class Origins {
 public:
  explicit Origins(std::string file) : file_(std::move(file)) {}

  void from_file(const Setting& setting, int line);
  void from_variable(const Setting& setting);
  void from_option(const Setting& setting, const std::string& option);  // of the command line
  // Of a route: its own, or said by another of its keys.
  void from_route(const Setting& setting, int line, const std::string& path);
  // Its value could not be read: what stands in the settings is an older one.
  void refuse(const Setting& setting) { refused_.insert(setting.key); }
  // Its value does not count: it is as if nobody had given it.
  void forget(const Setting& setting) { sources_.erase(setting.key); }
  void adjust(const Setting& setting) { adjusted_.insert(setting.key); }

  bool is_given(const Setting& setting) const { return sources_.contains(setting.key); }
  bool is_from_variable(const Setting& setting) const;
  bool is_from_file(const Setting& setting) const {
    return is_given(setting) && !is_from_variable(setting);
  }
  bool is_refused(const Setting& setting) const { return refused_.contains(setting.key); }

  // "default", "app.yaml:12", "DB_HOST"; "…, adjusted".
  std::string source(const Setting& setting) const;
  // How a sentence about the setting begins: "DB_HOST", "app.yaml:12: database.host",
  // "database.host (default)".
  std::string place(const Setting& setting) const;

 private:
  struct Source {
    std::string text;
    std::string place;
    bool is_variable = false;
  };

  const std::string file_;
  std::map<std::string_view, Source> sources_;
  std::set<std::string_view> refused_;
  std::set<std::string_view> adjusted_;
};

}  // namespace forebay::config
