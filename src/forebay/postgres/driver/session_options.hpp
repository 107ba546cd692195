// The settings that every session starts with, as libpq takes them.
//
// The server reads `options` as words, and then what has a keyword of its own, which so counts
// more: libpq's application_name and client_encoding are set by their keywords. Sent at the start,
// all of them outlive RESET ALL and DISCARD ALL.
#pragma once

#include <string>
#include <string_view>

#include "forebay/pool/session_settings.hpp"
#include "forebay/postgres/driver/conninfo.hpp"

namespace forebay::postgres {

// libpq's keyword for the setting, which is its name in the start-up packet, too; empty: it has
// none.
std::string_view keyword_of(std::string_view name);

// The options, and after them, so that they count more, those settings that have no keyword.
std::string with_settings(std::string options, const SessionSettings& settings);

// Those that have one.
void set_keywords(ConnectionString& target, const SessionSettings& settings);

// Which of them a server, or a pooler before it, has refused; empty: none.
std::string setting_in(const Error& error, const SessionSettings& settings);

}  // namespace forebay::postgres
