#include "forebay/standin/backend.hpp"

#include <algorithm>

#include "forebay/base/ascii_text.hpp"
#include "forebay/wire/auth/base64.hpp"

namespace forebay::standin {
namespace {

// 24 bytes in base64.
std::string make_nonce(Random& random) {
  std::string bytes;
  for (int word = 0; word < 3; ++word) {
    const std::uint64_t number = random.next();
    bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
  }
  return wire::base64_of(bytes);
}

// As words of "options": blanks and backslashes in values are made letters.
std::string option(std::string_view name, std::string_view value) {
  std::string text = "-c ";
  text.append(name).append("=");
  for (const char letter : value) {
    if (letter == ' ' || letter == '\\') text += '\\';
    text += letter;
  }
  return text;
}

// PostgreSQL does not know it.
constexpr std::string_view kOnlyDsql = "disable_sync_create_index";

// A session is told these as they were given.
bool is_told_as_given(std::string_view name) {
  return is_same_name(name, "application_name") || is_same_name(name, "extra_float_digits") ||
         is_same_name(name, "search_path");
}

bool is_utf8(std::string_view name, std::string_view value) {
  return is_same_name(name, "client_encoding") &&
         (is_same_name(value, "utf8") || is_same_name(value, "utf-8"));
}

}  // namespace

proxy::LinkStart Backend::start_of(const ClientStart& client) const {
  std::string options = target_.options;
  for (const auto& [name, value] : settings_)
    options += (options.empty() ? "" : " ") + option(name, value);
  std::vector<std::pair<std::string_view, std::string_view>> parameters{
      {"user", client.user}, {"database", target_.database}, {"options", options}};
  for (const auto& [name, value] : client.settings) {
    if (!is_same_name(name, kOnlyDsql)) parameters.emplace_back(name, value);
  }
  std::string packet;
  wire::write_startup(packet, wire::kVersion30, parameters);

  const proxy::LinkPlace& place = target_.places.front();
  wire::ScramClientOptions scram(make_nonce(env_.secure_random));
  scram.password = place.password;
  proxy::LinkTls tls = target_.tls;
  if (tls == proxy::LinkTls::prefer && env_.tls == nullptr) tls = proxy::LinkTls::disable;
  return proxy::LinkStart(place, tls, std::move(packet),
                          wire::ClientCredentials(client.user, std::move(scram)));
}

std::optional<proxy::Parameters> Backend::greeting_for(const ClientStart& client) const {
  const auto known = greetings_.find(client.user);
  if (known == greetings_.end()) return std::nullopt;
  proxy::Parameters greeting = known->second;
  greeting["application_name"] = "";
  for (const auto& [name, value] : client.settings) {
    if (is_utf8(name, value)) {
      greeting["client_encoding"] = "UTF8";
    } else if (!is_told_as_given(name)) {
      return std::nullopt;
    } else if (is_same_name(name, "application_name")) {
      greeting["application_name"] = value;
    }
  }
  return greeting;
}

void Backend::note_greeting(const ClientStart& client, const proxy::Parameters& reported) {
  const bool is_plain = std::ranges::all_of(client.settings, [](const auto& setting) {
    return is_told_as_given(setting.first) || is_utf8(setting.first, setting.second);
  });
  if (is_plain) greetings_.insert_or_assign(client.user, reported);
}

}  // namespace forebay::standin
