// NoticeSettings: what a session says at its start, so that the server misses it soon.
//
// PostgreSQL 14 and later knows all of these, and any user may set them. They are sent with the
// start of the session, before what the user has given as `options`, so that the user's word
// counts. Sent so, they outlive RESET ALL and DISCARD ALL. Some poolers refuse `options`, and older
// servers some of the settings: then a statement sets what there is, anew after each reset.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/core/notice.hpp"
#include "forebay/postgres/driver/conninfo.hpp"

namespace forebay::postgres {

class NoticeSettings {
 public:
  // The user's own options: those of the connection string, or PGOPTIONS.
  NoticeSettings(const NoticePlan& plan, std::string_view own_options);

  // For the keyword `options` of a connection string.
  std::string options() const;
  // Sets those that the server knows, and answers with a row for each.
  std::string statement() const;
  int count() const { return static_cast<int>(settings_.size()); }
  // False: the user has settings of its own, and nobody here knows what they mean.
  bool is_complete() const { return is_complete_; }

 private:
  struct Setting {
    Setting(std::string_view n, std::int64_t v) : name(n), value(v) {}
    std::string_view name;
    std::int64_t value;
  };

  std::string own_options_;
  std::vector<Setting> settings_;
  bool is_complete_ = true;
};

// The same for our own sockets, by libpq's keywords, where the connection string says nothing.
void set_notice(ConnectionString& target, const NoticePlan& plan);

// True: a refused connect was probably refused for the sake of these settings.
bool is_refusal_of_settings(const Error& error);

}  // namespace forebay::postgres
