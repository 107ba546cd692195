// libpq parses; this file adds the checks that keep mistyped passwords out of messages.
#include "forebay/postgres/driver/conninfo.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <memory>

#include <fmt/format.h>
#include <libpq-fe.h>

#include "forebay/base/secret_text.hpp"
#include "forebay/postgres/driver/conninfo_text.hpp"
#include "forebay/postgres/driver/libpq_env.hpp"

namespace forebay::postgres {
namespace {

struct FreeOptions {
  void operator()(PQconninfoOption* options) const { PQconninfoFree(options); }
};
using Options = std::unique_ptr<PQconninfoOption, FreeOptions>;

std::unexpected<Error> invalid(std::string_view what) {
  return failure(Errc::invalid, fmt::format("connection string: {}", what));
}

// All keywords that libpq knows, with no values: parsing nothing reads no environment.
const Options& known_options() {
  static const Options options(PQconninfoParse("", nullptr));
  return options;
}

const PQconninfoOption* known_option(std::string_view keyword) {
  if (!known_options()) return nullptr;
  for (const PQconninfoOption* option = known_options().get(); option->keyword != nullptr;
       ++option) {
    if (keyword == option->keyword) return option;
  }
  return nullptr;
}

bool is_secret(std::string_view keyword) {
  const PQconninfoOption* option = known_option(keyword);
  return option != nullptr && option->dispchar[0] == '*';  // libpq's own mark for passwords
}

// The unknown word itself may be a piece of an unquoted password, so only the keyword it was
// probably meant to be is shown.
std::string unknown_keyword(std::string_view word) {
  const PQconninfoOption* nearest = nullptr;
  std::size_t longest = 2;  // fewer equal letters are chance
  for (const PQconninfoOption* option = known_options().get(); option->keyword != nullptr;
       ++option) {
    const std::string_view keyword = option->keyword;
    const auto [end, unused] =
        std::mismatch(keyword.begin(), keyword.end(), word.begin(), word.end());
    const auto common = static_cast<std::size_t>(end - keyword.begin());
    if (common > longest) {
      longest = common;
      nearest = option;
    }
  }
  if (nearest == nullptr) return "unknown keyword";
  return fmt::format("unknown keyword; did you mean \"{}\"?", nearest->keyword);
}

std::string_view quoted_part(std::string_view message) {
  const std::size_t open = message.find('"');
  const std::size_t close = message.rfind('"');
  return open < close ? message.substr(open + 1, close - open - 1) : std::string_view();
}

// libpq's messages quote the text they complain about, secrets and all; ours never do.
std::string explain(std::string_view libpq_message) {
  struct Explanation {
    std::string_view fragment;
    std::string_view meaning;
  };
  static constexpr std::array<Explanation, 8> kExplanations{{
      {"missing \"=\"", "neither a postgresql:// URL nor key=value pairs (a word without \"=\")"},
      {"unterminated quoted string", "a quoted value does not end"},
      {"looking for matching \"]\"", "the IPv6 address in the URL lacks its \"]\""},
      {"IPv6 host address may not be empty", "the IPv6 address in the URL is empty"},
      {"percent-encoded", "a percent sign in the URL is not followed by two hexadecimal digits"},
      {"%00", "the URL contains a zero byte (%00)"},
      {"key/value separator", "a query parameter of the URL is not of the form key=value"},
      {"unexpected character", "the URL has an unexpected character after its host"},
  }};
  if (libpq_message.contains("invalid connection option") ||
      libpq_message.contains("invalid URI query parameter")) {
    return unknown_keyword(quoted_part(libpq_message));
  }
  for (const Explanation& known : kExplanations) {
    if (libpq_message.contains(known.fragment)) return std::string(known.meaning);
  }
  return "cannot be parsed";
}

// A raw "@" or "/" in a password moves its rest into host, port or database, and from
// there into logs.
bool has_misplaced_at(std::string_view text) {
  const std::size_t scheme = text.find("://");
  if (!text.starts_with("postgres") || scheme == std::string_view::npos) return false;
  const std::string_view rest = text.substr(scheme + 3);
  const std::string_view place = rest.substr(0, rest.find('?'));
  const std::size_t at = place.find('@');
  if (at == std::string_view::npos) return false;
  return place.find('@', at + 1) != std::string_view::npos || place.find('/') < at;
}

bool is_valid_port(std::string_view text) {
  std::uint32_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc() && end == text.data() + text.size() && port >= 1 && port <= 65535;
}

// A comma-separated list, one port a host; an empty place means the default.
bool are_valid_ports(std::string_view ports) {
  for (;;) {
    const std::size_t comma = ports.find(',');
    const std::string_view port = ports.substr(0, comma);
    if (!port.empty() && !is_valid_port(port)) return false;
    if (comma == std::string_view::npos) return true;
    ports.remove_prefix(comma + 1);
  }
}

std::string quoted(std::string_view value) {
  const bool is_plain =
      !value.empty() && value.find_first_of(" '\\\t\n\r") == std::string_view::npos;
  return is_plain ? std::string(value) : conninfo_quoted(value);
}

}  // namespace

Result<ConnectionString> ConnectionString::parse(std::string text) {
  if (text.contains('\0')) return invalid("contains a zero byte");
  if (has_misplaced_at(text)) {
    return invalid("misplaced \"@\"; write \"@\" and \"/\" inside a password as %40 and %2F");
  }
  char* message = nullptr;
  const Options options(PQconninfoParse(text.c_str(), &message));
  const LibpqText message_owner(message);
  if (!options) return invalid(explain(message != nullptr ? message : ""));

  ConnectionString parsed;
  for (const PQconninfoOption* option = options.get(); option->keyword != nullptr; ++option) {
    if (option->val == nullptr) continue;
    Result<void> accepted = parsed.set(option->keyword, option->val);
    if (!accepted) return failure(accepted.error());
  }
  return parsed;
}

Result<void> ConnectionString::set(std::string_view keyword, std::string value) {
  if (known_option(keyword) == nullptr) return invalid(unknown_keyword(keyword));
  if (value.contains('\0')) return invalid(fmt::format("{} contains a zero byte", keyword));
  // libpq would take it for a database's name, and the server would repeat it in its answer.
  if (keyword == "dbname" && value.contains("://")) {
    return invalid("dbname holds a whole URL; give the URL itself instead");
  }
  if (keyword == "port" && !are_valid_ports(value)) {
    return invalid("the port is not a number from 1 to 65535");
  }
  const auto place = std::ranges::find(settings_, keyword, &Setting::keyword);
  if (place != settings_.end()) {
    place->value = std::move(value);
  } else {
    settings_.emplace_back(std::string(keyword), std::move(value));
  }
  return {};
}

std::string_view ConnectionString::get(std::string_view keyword) const {
  const auto place = std::ranges::find(settings_, keyword, &Setting::keyword);
  return place != settings_.end() ? std::string_view(place->value) : std::string_view();
}

std::string ConnectionString::in_force(std::string_view keyword) const {
  if (const std::string_view given = get(keyword); !given.empty()) return std::string(given);
  const Options defaults(PQconndefaults());
  for (const PQconninfoOption* option = defaults.get(); option && option->keyword; ++option) {
    if (option->keyword == keyword && option->val != nullptr) return option->val;
  }
  return "";
}

std::string ConnectionString::database_in_force() const {
  std::string database = in_force("dbname");
  return database.empty() ? in_force("user") : database;
}

std::string ConnectionString::text(bool has_secrets) const {
  std::string text;
  for (const Setting& setting : settings_) {
    if (!text.empty()) text += ' ';
    const bool is_hidden = !has_secrets && is_secret(setting.keyword);
    text += fmt::format("{}={}", setting.keyword, is_hidden ? "***" : quoted(setting.value));
  }
  return text;
}

std::string ConnectionString::redacted() const { return text(false); }
std::string ConnectionString::text_with_secrets() const { return text(true); }

std::string ConnectionString::scrubbed(std::string text) const {
  // Blotting out the name of a user whose password is the same word would tell more than it hides.
  const auto is_shown_anyway = [this](std::string_view value) {
    return std::ranges::any_of(settings_, [value](const Setting& setting) {
      return !is_secret(setting.keyword) && setting.value == value;
    });
  };
  for (const Setting& setting : settings_) {
    if (is_secret(setting.keyword) && !is_shown_anyway(setting.value))
      text = without_secret(std::move(text), setting.value);
  }
  return text;
}

KeywordArrays ConnectionString::arrays() const {
  KeywordArrays arrays;
  for (const Setting& setting : settings_) {
    arrays.keywords.push_back(setting.keyword.c_str());
    arrays.values.push_back(setting.value.c_str());
  }
  // The fallback yields to application_name and to PGAPPNAME, as people expect of libpq.
  if (get("fallback_application_name").empty()) {
    arrays.keywords.push_back("fallback_application_name");
    arrays.values.push_back("forebay");
  }
  arrays.keywords.push_back(nullptr);
  arrays.values.push_back(nullptr);
  return arrays;
}

int libpq_version() { return PQlibVersion(); }

std::string system_root_certificates(int version) {
  constexpr int kKnowsSystem = 160000;
  return version >= kKnowsSystem ? "system" : "/etc/ssl/certs/ca-certificates.crt";
}

}  // namespace forebay::postgres
