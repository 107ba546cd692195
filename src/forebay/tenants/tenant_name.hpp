// The name of a tenant's database, made of its id: by a pattern, {prefix}_ws_{id} unless told
// otherwise, or by a function of the application.
//
// Ids come from requests and may be hostile. Whatever is not plainly a name is refused, with the
// reason, before anything happens. Two ids that a pattern accepts never share a database; what a
// function says is the application's duty, and DatabaseOwners looks after it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "forebay/tenants/tenant_options.hpp"

namespace forebay {

class NamePattern {
 public:
  // Errc::invalid: it cannot work, or cannot keep tenants apart. REQUIRES: is_prefix(prefix).
  static Result<NamePattern> parse(std::string_view pattern, std::string_view prefix);

  // Errc::invalid: the id is empty, does not fit into a name of 63 bytes, or has other characters
  // than letters, digits and '-', or, where it is taken exactly, '_' and '.'.
  Result<std::string> database(std::string_view tenant) const;

 private:
  NamePattern() = default;
  Result<void> read_word(std::string_view word, std::string_view prefix);
  std::string& text() { return has_id_ ? after_ : before_; }

  std::string before_;
  std::string after_;
  bool has_id_ = false;
  bool is_exact_ = false;  // otherwise '-' becomes '_'
};

class TenantNames {
 public:
  // REQUIRES: problems(options) is empty.
  explicit TenantNames(const TenantOptions& options);

  // As the pattern does; of a function, what it says, if that can be the name of a database and
  // the id is text of 1 to 255 bytes. Whatever it throws is Errc::invalid.
  Result<std::string> database(std::string_view tenant) const;
  // Nobody can promise that two ids have two databases.
  bool may_collide() const { return !pattern_; }

 private:
  std::optional<NamePattern> pattern_;
  const TenantOptions::DatabaseOf function_;
};

inline constexpr std::size_t kLongestPrefix = 31;
// 1 to kLongestPrefix letters, digits and '_'.
bool is_prefix(std::string_view prefix);

// Quoted and cut: hostile names must not forge lines of a log.
std::string shown_name(std::string_view name);

}  // namespace forebay
