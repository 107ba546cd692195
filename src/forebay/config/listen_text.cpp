#include "forebay/config/listen_text.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "forebay/base/number_text.hpp"
#include "forebay/base/suggestion.hpp"

namespace forebay::config {
namespace {

bool is_loopback(std::string_view host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

std::string text_of(const StreamAddress& place) {
  return place.is_unix_socket() ? place.path() : place.text();
}

std::unexpected<std::string> no_place(std::string_view word) {
  return std::unexpected(
      fmt::format("{} is no place to listen at; write a port (6432), an address and a port "
                  "(127.0.0.1:6432, [::1]:6432) or the path of a Unix socket "
                  "(/run/forebay/.s.PGSQL.6432)",
                  shown(word)));
}

ReadValue<StreamAddress> place_value(const std::string& word) {
  if (word.starts_with('/')) return StreamAddress::unix_socket(word);
  std::string host = "127.0.0.1";
  std::string_view port = word;
  if (const std::size_t colon = word.rfind(':'); colon != std::string::npos) {
    host = word.substr(0, colon);
    port = std::string_view(word).substr(colon + 1);
    const bool is_in_brackets = host.starts_with('[') && host.ends_with(']');
    if (is_in_brackets) host = host.substr(1, host.size() - 2);
    if (host.empty() || (!is_in_brackets && host.contains(':'))) return no_place(word);
  }
  const std::optional<int> number = parse_number<int>(port);
  if (!number || *number < 0 || *number > 65'535) return no_place(word);
  if (!is_loopback(host)) {
    return std::unexpected(
        fmt::format("{} is open to other machines: clients are not asked who they are yet, so it "
                    "must be an address of this machine alone (127.0.0.1:6432, [::1]:6432) or the "
                    "path of a Unix socket",
                    shown(word)));
  }
  return StreamAddress::tcp(std::move(host), static_cast<std::uint16_t>(*number));
}

}  // namespace

ReadValue<std::vector<StreamAddress>> listen_value(std::string_view text) {
  const ReadValue<std::vector<std::string>> words = names_value(text);
  if (!words || words->empty()) return no_place(text);
  std::vector<StreamAddress> places;
  for (const std::string& word : *words) {
    ReadValue<StreamAddress> place = place_value(word);
    if (!place) return std::unexpected(std::move(place.error()));
    const bool is_known = std::ranges::find(places, text_of(*place), &text_of) != places.end();
    if (is_known && (place->is_unix_socket() || place->port() != 0))
      return std::unexpected(fmt::format("{} is given twice; keep one", shown(word)));
    places.push_back(std::move(*place));
  }
  return places;
}

std::string listen_text(const std::vector<StreamAddress>& places) {
  std::string text;
  for (const StreamAddress& place : places) text += (text.empty() ? "" : ", ") + text_of(place);
  return text;
}

}  // namespace forebay::config
