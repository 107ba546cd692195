#include "forebay/tenants/tenant_name.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include <fmt/format.h>

#include "forebay/base/json_text.hpp"
#include "forebay/base/misuse.hpp"

namespace forebay {
namespace {

constexpr std::size_t kLongestName = 63;  // PostgreSQL cuts off what is longer
constexpr std::size_t kFewestForId = 8;   // of a name: a pattern that leaves less is a mistake
constexpr std::size_t kLongestId = 255;   // where a function makes the name
constexpr std::size_t kShownOfId = 40;    // of an id that is refused

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}
bool is_exact(char c) { return is_plain(c) || c == '-' || c == '_' || c == '.'; }
bool is_control(char c) { return (c >= 0 && c < ' ') || c == 0x7f; }

std::unexpected<Error> invalid(std::string text) { return failure(Errc::invalid, std::move(text)); }

}  // namespace

std::string shown_name(std::string_view name) {
  std::string text = json_quoted(name.substr(0, kShownOfId));
  if (name.size() > kShownOfId) text += fmt::format("... ({} bytes)", name.size());
  return text;
}

bool is_prefix(std::string_view prefix) {
  return !prefix.empty() && prefix.size() <= kLongestPrefix &&
         std::ranges::all_of(prefix, [](char c) { return is_plain(c) || c == '_'; });
}

// ---- patterns

// Text before the id, and after it, are the same for all tenants. So names differ where ids do, if
// the id is there once and no two of them are written alike.
Result<NamePattern> NamePattern::parse(std::string_view pattern, std::string_view prefix) {
  NamePattern made;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    if (pattern[at] != '{') {
      if (!is_exact(pattern[at]))
        return invalid("beside what is in braces it may have letters, digits, '_', '-' and '.'");
      made.text() += pattern[at];
      continue;
    }
    const std::size_t end = pattern.find('}', at);
    if (end == std::string_view::npos) return invalid("a brace is open: write {id}");
    const Result<void> read = made.read_word(pattern.substr(at + 1, end - at - 1), prefix);
    if (!read) return failure(read.error());
    at = end;
  }
  if (!made.has_id_)
    return invalid("it must have {id} or {exact_id}: without, all tenants would share a database");
  const std::size_t fixed = made.before_.size() + made.after_.size();
  if (fixed + kFewestForId > kLongestName) {
    return invalid(
        fmt::format("it may have {} characters beside the id, and has {}: names have {} "
                    "at most",
                    kLongestName - kFewestForId, fixed, kLongestName));
  }
  return made;
}

Result<void> NamePattern::read_word(std::string_view word, std::string_view prefix) {
  if (word == "prefix") {
    text() += prefix;
    return {};
  }
  if (word != "id" && word != "exact_id") {
    return invalid(fmt::format("{} means nothing: there are {{prefix}}, {{id}} and {{exact_id}}",
                               shown_name(word)));
  }
  if (has_id_) return invalid("it must have the id once");
  has_id_ = true;
  is_exact_ = word == "exact_id";
  return {};
}

Result<std::string> NamePattern::database(std::string_view tenant) const {
  if (tenant.empty()) return invalid("the tenant id is empty: give one");
  const std::size_t longest = kLongestName - before_.size() - after_.size();
  if (tenant.size() > longest) {
    return invalid(
        fmt::format("tenant id {} is too long: in {}{{id}}{} at most {} characters fit "
                    "into the name of a database",
                    shown_name(tenant), before_, after_, longest));
  }
  const auto wrong = std::ranges::find_if_not(
      tenant, [this](char c) { return is_exact_ ? is_exact(c) : is_plain(c) || c == '-'; });
  if (wrong != tenant.end() && is_exact_) {
    return invalid(
        fmt::format("tenant id {} cannot be used: only letters, digits, '-', '_' and '.' can",
                    shown_name(tenant)));
  }
  if (wrong != tenant.end()) {
    const char* const why = *wrong == '_'
                                ? " ('_' is refused because a_b and a-b would share a database; "
                                  "with {exact_id} in the pattern both can be used)"
                                : "";
    return invalid(fmt::format("tenant id {} cannot be used: only letters, digits and '-' can{}",
                               shown_name(tenant), why));
  }
  std::string id(tenant);
  if (!is_exact_) std::ranges::replace(id, '-', '_');
  return before_ + id + after_;
}

// ---- whichever it is

namespace {

// What the application throws is an error of this attempt.
Result<std::string> ask(const TenantOptions::DatabaseOf& function, std::string_view tenant) {
  try {
    return function(tenant);
  } catch (...) {
    return invalid(fmt::format("the application's function database_of threw an exception: {}",
                               text_of(std::current_exception())));
  }
}

Result<std::string> name_by(const TenantOptions::DatabaseOf& function, std::string_view tenant) {
  if (tenant.empty()) return invalid("the tenant id is empty: give one");
  if (tenant.size() > kLongestId || std::ranges::any_of(tenant, is_control)) {
    return invalid(
        fmt::format("tenant id {} cannot be used: it must have at most {} bytes, and no "
                    "control characters",
                    shown_name(tenant), kLongestId));
  }
  Result<std::string> name = ask(function, tenant);
  if (!name) return name;
  if (name->empty() || name->size() > kLongestName || std::ranges::any_of(*name, is_control)) {
    return invalid(
        fmt::format("the application's function database_of says {} for tenant {}: the "
                    "name of a database has 1 to {} bytes and no control characters",
                    shown_name(*name), shown_name(tenant), kLongestName));
  }
  return name;
}

std::optional<NamePattern> pattern_of(const TenantOptions& options) {
  if (options.database_of) return std::nullopt;
  return *NamePattern::parse(options.database, options.prefix);
}

}  // namespace

TenantNames::TenantNames(const TenantOptions& options)
    : pattern_(pattern_of(options)), function_(options.database_of) {}

Result<std::string> TenantNames::database(std::string_view tenant) const {
  return pattern_ ? pattern_->database(tenant) : name_by(function_, tenant);
}

}  // namespace forebay
