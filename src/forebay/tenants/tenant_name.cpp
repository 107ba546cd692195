#include "forebay/tenants/tenant_name.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "forebay/base/json_text.hpp"

namespace forebay {
namespace {

constexpr std::string_view kMiddle = "_ws_";
constexpr std::size_t kLongestName = 63;    // PostgreSQL cuts off what is longer
constexpr std::size_t kLongestPrefix = 31;  // which leaves 28 or more for the id
constexpr std::size_t kShownOfId = 40;      // of an id that is refused

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// Hostile ids must not forge lines of a log.
std::string shown(std::string_view id) {
  std::string text = json_quoted(id.substr(0, kShownOfId));
  if (id.size() > kShownOfId) text += fmt::format("... ({} bytes)", id.size());
  return text;
}

}  // namespace

Result<std::string> tenant_database(std::string_view prefix, std::string_view tenant) {
  if (tenant.empty()) return failure(Errc::invalid, "the tenant id is empty: give one");
  const std::size_t longest = kLongestName - kMiddle.size() - prefix.size();
  if (tenant.size() > longest) {
    return failure(Errc::invalid,
                   fmt::format("tenant id {} is too long: with the prefix {} at most {} characters "
                               "fit into the name of a database",
                               shown(tenant), prefix, longest));
  }
  const auto wrong =
      std::ranges::find_if_not(tenant, [](char c) { return is_plain(c) || c == '-'; });
  if (wrong != tenant.end()) {
    const char* const why =
        *wrong == '_' ? " ('_' is refused because a_b and a-b would share a database)" : "";
    return failure(Errc::invalid,
                   fmt::format("tenant id {} cannot be used: only letters, digits and '-' can{}",
                               shown(tenant), why));
  }
  std::string name = fmt::format("{}{}{}", prefix, kMiddle, tenant);
  std::ranges::replace(name, '-', '_');
  return name;
}

Result<void> check_prefix(std::string_view prefix) {
  const bool is_fine = !prefix.empty() && prefix.size() <= kLongestPrefix &&
                       std::ranges::all_of(prefix, [](char c) { return is_plain(c) || c == '_'; });
  if (is_fine) return {};
  return failure(Errc::invalid,
                 fmt::format("prefix is {}: it must be 1 to {} letters, digits and '_'",
                             shown(prefix), kLongestPrefix));
}

}  // namespace forebay
