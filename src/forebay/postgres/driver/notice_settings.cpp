#include "forebay/postgres/driver/notice_settings.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "forebay/base/ascii_text.hpp"
#include "forebay/detail/base/check.hpp"

namespace forebay::postgres {
namespace {

constexpr std::string_view kCheckInterval = "client_connection_check_interval";
constexpr std::string_view kKeepalives = "tcp_keepalives_";
constexpr std::string_view kUserTimeout = "tcp_user_timeout";

std::int64_t milliseconds(Duration time) {
  return std::chrono::ceil<std::chrono::milliseconds>(time).count();
}

// As the server reads them: "-c tcp-user-timeout=1" and "--tcp-user-timeout=1" are the same.
std::string normalized(std::string_view options) {
  std::string text = lower_case(options);
  std::ranges::replace(text, '-', '_');
  return text;
}

}  // namespace

NoticeSettings::NoticeSettings(const NoticePlan& plan, std::string_view own_options)
    : own_options_(own_options) {
  const std::string own = normalized(own_options);
  const auto add = [&](std::string_view name, std::int64_t value) {
    if (own.contains(name)) {
      is_complete_ = false;
    } else {
      settings_.emplace_back(name, value);
    }
  };
  add(kCheckInterval, milliseconds(plan.check_interval));
  add("tcp_keepalives_idle", plan.keepalive_idle.count());
  add("tcp_keepalives_interval", plan.keepalive_interval.count());
  add("tcp_keepalives_count", plan.keepalive_count);
  add(kUserTimeout, milliseconds(plan.silence()));
}

std::string NoticeSettings::options() const {
  std::string text;
  for (const Setting& setting : settings_)
    text += fmt::format("{}-c {}={}", text.empty() ? "" : " ", setting.name, setting.value);
  if (!own_options_.empty()) text += (text.empty() ? "" : " ") + own_options_;
  return text;
}

std::string NoticeSettings::statement() const {
  std::string values;
  for (const Setting& setting : settings_)
    values +=
        fmt::format("{}('{}', '{}')", values.empty() ? "" : ", ", setting.name, setting.value);
  return fmt::format(
      "SELECT pg_catalog.set_config(known.name, wanted.value, false) FROM (VALUES {}) AS "
      "wanted(name, value) JOIN pg_catalog.pg_settings AS known ON known.name = wanted.name",
      values);
}

void set_notice(ConnectionString& target, const NoticePlan& plan) {
  const auto set = [&target](std::string_view keyword, std::int64_t value) {
    if (!target.get(keyword).empty()) return;
    const Result<void> is_set = target.set(keyword, std::to_string(value));
    FOREBAY_CHECK(is_set.has_value(), fmt::format("libpq has no {}", keyword));
  };
  set("keepalives_idle", plan.keepalive_idle.count());
  set("keepalives_interval", plan.keepalive_interval.count());
  set("keepalives_count", plan.keepalive_count);
  set("tcp_user_timeout", milliseconds(plan.silence()));
}

bool is_refusal_of_settings(const Error& error) {
  if (error.code() == Errc::timed_out || error.code() == Errc::closed) return false;
  const std::string text = lower_case(error.text());
  return std::ranges::any_of(
      std::to_array<std::string_view>(
          {"startup parameter", "command-line options", kCheckInterval, kKeepalives, kUserTimeout}),
      [&text](std::string_view word) { return text.contains(word); });
}

}  // namespace forebay::postgres
