// The words of settings that have few values.
#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "forebay/config/setting_value.hpp"

namespace forebay::config {

template <>
struct Words<Authentication> {
  static constexpr std::string_view kType = "password or iam";
  static constexpr auto kWords = std::to_array<std::pair<std::string_view, Authentication>>(
      {{"password", Authentication::password}, {"iam", Authentication::iam}});
};
template <>
struct Words<TakeOrder> {
  static constexpr std::string_view kType = "newest or oldest";
  static constexpr auto kWords = std::to_array<std::pair<std::string_view, TakeOrder>>(
      {{"newest", TakeOrder::newest_first}, {"oldest", TakeOrder::oldest_first}});
};
template <>
struct Words<InitialFailure> {
  static constexpr std::string_view kType = "fail_fast or keep_trying";
  static constexpr auto kWords = std::to_array<std::pair<std::string_view, InitialFailure>>(
      {{"fail_fast", InitialFailure::fail_fast}, {"keep_trying", InitialFailure::keep_trying}});
};
template <>
struct Words<ResetMode> {
  static constexpr std::string_view kType = "smart, always or never";
  static constexpr auto kWords = std::to_array<std::pair<std::string_view, ResetMode>>(
      {{"smart", ResetMode::smart}, {"always", ResetMode::always}, {"never", ResetMode::never}});
};
template <>
struct Words<StatementCaching> {
  static constexpr std::string_view kType = "off, auto or eager";
  static constexpr auto kWords = std::to_array<std::pair<std::string_view, StatementCaching>>(
      {{"off", StatementCaching::off},
       {"auto", StatementCaching::automatic},
       {"eager", StatementCaching::eager}});
};
template <>
struct Words<LeaseLoss> {
  static constexpr std::string_view kType = "keep or fence";
  static constexpr auto kWords = std::to_array<std::pair<std::string_view, LeaseLoss>>(
      {{"keep", LeaseLoss::keep}, {"fence", LeaseLoss::fence}});
};
template <>
struct Words<RateMode> {
  static constexpr std::string_view kType = "window, bucket or auto";
  static constexpr auto kWords = std::to_array<std::pair<std::string_view, RateMode>>(
      {{"window", RateMode::window}, {"bucket", RateMode::bucket}, {"auto", RateMode::automatic}});
};
template <>
struct Words<StoreAbsence> {
  static constexpr std::string_view kType = "hold or local";
  static constexpr auto kWords = std::to_array<std::pair<std::string_view, StoreAbsence>>(
      {{"hold", StoreAbsence::hold}, {"local", StoreAbsence::local}});
};
template <>
struct Words<log::Level> {
  static constexpr std::string_view kType = "debug, info, warning or error";
  static constexpr auto kWords =
      std::to_array<std::pair<std::string_view, log::Level>>({{"debug", log::Level::debug},
                                                              {"info", log::Level::info},
                                                              {"warning", log::Level::warning},
                                                              {"error", log::Level::error}});
};
template <>
struct Words<log::Format> {
  static constexpr std::string_view kType = "text or json";
  static constexpr auto kWords = std::to_array<std::pair<std::string_view, log::Format>>(
      {{"text", log::Format::text}, {"json", log::Format::json}});
};
template <>
struct Words<proxy::Pooling> {
  static constexpr std::string_view kType = "transaction or session";
  static constexpr auto kWords = std::to_array<std::pair<std::string_view, proxy::Pooling>>(
      {{"transaction", proxy::Pooling::transaction}, {"session", proxy::Pooling::session}});
};
template <>
struct Words<proxy::OnSessionState> {
  static constexpr std::string_view kType = "pin, refuse or allow";
  static constexpr auto kWords = std::to_array<std::pair<std::string_view, proxy::OnSessionState>>(
      {{"pin", proxy::OnSessionState::pin},
       {"refuse", proxy::OnSessionState::refuse},
       {"allow", proxy::OnSessionState::allow}});
};

}  // namespace forebay::config
