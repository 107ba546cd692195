#include "forebay/sim/dynamodb/tables.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "forebay/sim/dynamodb/item_size.hpp"

namespace forebay::sim::dynamodb {
namespace {

using aws::Item;

constexpr std::size_t kMostActions = 100;
constexpr std::size_t kLargestPage = 1024 * 1024;

bool is_name_of_table(const std::string& name) {
  const auto is_allowed = [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= '0' && letter <= '9') || letter == '_' || letter == '-' || letter == '.';
  };
  return name.size() >= 3 && name.size() <= 255 && std::ranges::all_of(name, is_allowed);
}

std::size_t size_of(const std::optional<Item>& item) { return item ? dynamodb::size_of(*item) : 0; }

Refusal condition_failed(const WriteAction& action, const std::optional<Item>& before) {
  Refusal refusal("ConditionalCheckFailedException", "The conditional request failed");
  if (action.returns_old_on_failure) refusal.item = before;
  return refusal;
}

CancellationReason reason_of(const Refusal& refusal) {
  CancellationReason reason;
  const bool is_condition = refusal.type == "ConditionalCheckFailedException";
  reason.code = is_condition ? "ConditionalCheckFailed" : "ValidationError";
  reason.message = refusal.message;
  reason.item = refusal.item;
  return reason;
}

Refusal cancelled(std::vector<CancellationReason> reasons) {
  std::string codes;
  for (const CancellationReason& reason : reasons)
    codes.append(codes.empty() ? "" : ", ").append(reason.code);
  Refusal refusal("TransactionCanceledException",
                  fmt::format("Transaction cancelled, please refer cancellation reasons for "
                              "specific reasons [{}]",
                              codes));
  refusal.reasons = std::move(reasons);
  return refusal;
}

bool are_distinct(const std::vector<WriteAction>& actions) {
  std::set<std::pair<std::string, std::string>> seen;
  return std::ranges::all_of(actions, [&seen](const WriteAction& action) {
    return seen.emplace(action.table, action.key).second;
  });
}

}  // namespace

// ---- tables

Answer<void> Tables::create(const std::string& name, Table table, WallTime now) {
  if (!is_name_of_table(name)) {
    return invalid(
        "Invalid table/index name.  Table/index names must be between 3 and 255 characters long, "
        "and may contain only the characters a-z, A-Z, 0-9, '_', '-', and '.'");
  }
  table.created_at = now;
  table.active_at = now + creation_time_;
  if (!tables_.emplace(name, std::move(table)).second)
    return refused("ResourceInUseException", "Table already exists: " + name);
  return {};
}

Answer<const Table*> Tables::describe(const std::string& name) const {
  const auto found = tables_.find(name);
  if (found != tables_.end()) return &found->second;
  return refused("ResourceNotFoundException",
                 fmt::format("Requested resource not found: Table: {} not found", name));
}

Answer<const Table*> Tables::active(const std::string& name, WallTime now) const {
  const auto found = tables_.find(name);
  if (found == tables_.end() || now < found->second.active_at)
    return refused("ResourceNotFoundException", "Requested resource not found");
  return &found->second;
}

// For a request that reads or writes items.
Answer<const Table*> Tables::with_items(const std::string& name, WallTime now) const {
  Answer<const Table*> table = active(name, now);
  if (!table) return table;
  if ((*table)->key == kKey && (*table)->key_type == "S") return table;
  return invalid(
      fmt::format("items of tables whose key is not the text {} are not simulated", kKey));
}

Answer<Table> Tables::remove(const std::string& name, WallTime now) {
  const Answer<const Table*> table = active(name, now);
  if (!table) {
    return refused("ResourceNotFoundException",
                   fmt::format("Requested resource not found: Table: {} not found", name));
  }
  auto gone = tables_.extract(name);
  if (on_change_) {
    for (const auto& [key, item] : gone.mapped().items) on_change_(name, key, &item, nullptr);
  }
  return std::move(gone.mapped());
}

std::vector<std::string> Tables::names() const {
  std::vector<std::string> names;
  names.reserve(tables_.size());
  for (const auto& [name, table] : tables_) names.push_back(name);
  return names;
}

Answer<void> Tables::enable_ttl(const std::string& name, const std::string& attribute,
                                WallTime now) {
  const Answer<const Table*> table = active(name, now);
  if (!table) return std::unexpected(table.error());
  if (!(*table)->ttl_attribute.empty()) return invalid("TimeToLive is already enabled");
  tables_.at(name).ttl_attribute = attribute;
  return {};
}

Answer<void> Tables::disable_ttl(const std::string& name, const std::string& attribute,
                                 WallTime now) {
  const Answer<const Table*> table = active(name, now);
  if (!table) return std::unexpected(table.error());
  if ((*table)->ttl_attribute.empty()) return invalid("TimeToLive is already disabled");
  if ((*table)->ttl_attribute != attribute) {
    return invalid(fmt::format(
        "TimeToLive is active on a different AttributeName: current AttributeName is {}",
        (*table)->ttl_attribute));
  }
  tables_.at(name).ttl_attribute.clear();
  return {};
}

int Tables::expire(WallTime now) {
  const auto today = std::chrono::floor<std::chrono::seconds>(now.time_since_epoch()).count();
  int expired = 0;
  for (auto& [name, table] : tables_) {
    if (table.ttl_attribute.empty()) continue;
    for (auto place = table.items.begin(); place != table.items.end();) {
      const auto end = aws::integer_at(place->second, table.ttl_attribute);
      if (!end || *end >= today) {
        ++place;
        continue;
      }
      const auto gone = table.items.extract(place++);
      ++expired;
      if (on_change_) on_change_(name, gone.key(), &gone.mapped(), nullptr);
    }
  }
  return expired;
}

const Item* Tables::find(const std::string& table, const std::string& key) const {
  const auto found = tables_.find(table);
  if (found == tables_.end()) return nullptr;
  const auto item = found->second.items.find(key);
  return item == found->second.items.end() ? nullptr : &item->second;
}

// ---- reading

Answer<std::optional<Item>> Tables::get(const std::string& table, const std::string& key,
                                        WallTime now) const {
  const Answer<const Table*> found = with_items(table, now);
  if (!found) return std::unexpected(found.error());
  const auto item = (*found)->items.find(key);
  if (item == (*found)->items.end()) return std::optional<Item>();
  return std::optional<Item>(item->second);
}

Answer<Page> Tables::scan(const ScanRequest& request, WallTime now) const {
  const Answer<const Table*> table = with_items(request.table, now);
  if (!table) return std::unexpected(table.error());
  const std::size_t limit = request.limit == 0 ? page_limit_ : std::min(request.limit, page_limit_);
  const std::map<std::string, Item>& items = (*table)->items;
  Page page;
  std::size_t size = 0;
  auto place = request.after.empty() ? items.begin() : items.upper_bound(request.after);
  for (; place != items.end() && page.scanned < limit && size < kLargestPage;
       ++place, ++page.scanned) {
    size += dynamodb::size_of(place->second);
    if (!request.filter || request.filter->holds(place->second))
      page.items.push_back(place->second);
  }
  // A full page ends with a key even if nothing comes after it, as the real one's does.
  if (page.scanned == limit || size >= kLargestPage) page.last_key = std::prev(place)->first;
  page.units = read_units(size);
  return page;
}

Answer<Page> Tables::query(const std::string& key, const ScanRequest& request, WallTime now) const {
  const Answer<const Table*> table = with_items(request.table, now);
  if (!table) return std::unexpected(table.error());
  Page page;
  const auto found = (*table)->items.find(key);
  const bool is_behind = !request.after.empty() && request.after >= key;
  if (found == (*table)->items.end() || is_behind) {
    page.units = read_units(0);
    return page;
  }
  page.scanned = 1;
  if (!request.filter || request.filter->holds(found->second)) page.items.push_back(found->second);
  page.units = read_units(dynamodb::size_of(found->second));
  return page;
}

// ---- writing

// What the write would do, or why it must not.
Answer<Written> Tables::prepared(const WriteAction& action, const Table& table) const {
  Written written;
  const auto found = table.items.find(action.key);
  if (found != table.items.end()) written.before = found->second;
  const Item before = written.before.value_or(Item());
  if (action.condition && !action.condition->holds(before))
    return std::unexpected(condition_failed(action, written.before));
  written.after = written.before;
  if (action.kind == WriteAction::Kind::put) written.after = action.item;
  if (action.kind == WriteAction::Kind::remove) written.after.reset();
  if (action.kind == WriteAction::Kind::update) {
    Item base = before;
    base.insert_or_assign(kKey, aws::AttributeValue::text(action.key));
    Answer<Item> after = action.update ? action.update->applied_to(base) : base;
    if (!after) return std::unexpected(std::move(after).error());
    written.after = std::move(*after);
  }
  if (size_of(written.after) > kLargestItem)
    return invalid("Item size has exceeded the maximum allowed size");
  written.units = dynamodb::write_units(std::max(size_of(written.before), size_of(written.after)));
  return written;
}

void Tables::store(const WriteAction& action, const Written& written) {
  std::map<std::string, Item>& items = tables_.at(action.table).items;
  if (written.before == written.after) return;
  if (written.after) {
    items.insert_or_assign(action.key, *written.after);
  } else {
    items.erase(action.key);
  }
  if (!on_change_) return;
  on_change_(action.table, action.key, written.before ? &*written.before : nullptr,
             written.after ? &*written.after : nullptr);
}

Answer<Written> Tables::write(const WriteAction& action, WallTime now) {
  const Answer<const Table*> table = with_items(action.table, now);
  if (!table) return std::unexpected(table.error());
  Answer<Written> written = prepared(action, **table);
  if (!written) {
    const Item* standing = find(action.table, action.key);
    write_units_ += dynamodb::write_units(standing == nullptr ? 0 : dynamodb::size_of(*standing));
    return written;
  }
  store(action, *written);
  write_units_ += written->units;
  return written;
}

// Every condition is looked at, all against the state before.
Answer<Transacted> Tables::transact(const std::vector<WriteAction>& actions,
                                    const TransactionToken& token, WallTime now) {
  if (actions.size() > kMostActions)
    return invalid("Member must have length less than or equal to 100");
  if (!are_distinct(actions))
    return invalid("Transaction request cannot include multiple operations on one item");
  for (const WriteAction& action : actions) {
    const Answer<const Table*> table = with_items(action.table, now);
    if (!table) return std::unexpected(table.error());
  }
  forget_tokens(now);
  const auto known = token.token.empty() ? done_.end() : done_.find(token.token);
  if (known != done_.end()) {
    if (known->second == token.fingerprint) return repeated(actions);
    return refused("IdempotentParameterMismatchException",
                   "The request uses the same client token as a previous, but non-identical "
                   "request. Do not reuse a client token with different requests");
  }

  std::vector<Written> all;
  std::vector<CancellationReason> reasons(actions.size());
  bool is_cancelled = false;
  for (std::size_t i = 0; i < actions.size(); ++i) {
    Answer<Written> written = prepared(actions[i], tables_.at(actions[i].table));
    if (!written) reasons[i] = reason_of(written.error());
    is_cancelled |= !written;
    const Item* standing = find(actions[i].table, actions[i].key);
    const std::size_t size = standing == nullptr ? 0 : dynamodb::size_of(*standing);
    all.push_back(written.value_or(Written{{}, {}, dynamodb::write_units(size)}));
    write_units_ += 2 * all.back().units;  // prepared and committed
  }
  if (is_cancelled) return std::unexpected(cancelled(std::move(reasons)));

  Transacted result;
  for (std::size_t i = 0; i < actions.size(); ++i) {
    store(actions[i], all[i]);
    result.units[actions[i].table] += 2 * all[i].units;
  }
  if (!token.token.empty()) {
    done_.emplace(token.token, token.fingerprint);
    tokens_.emplace_back(now, token.token);
  }
  return result;
}

Answer<Transacted> Tables::repeated(const std::vector<WriteAction>& actions) {
  Transacted result;
  result.is_repeated = true;
  for (const WriteAction& action : actions) {
    const Item* item = find(action.table, action.key);
    const std::size_t size = item == nullptr ? 0 : dynamodb::size_of(*item);
    result.units[action.table] += 2 * read_units(size);
  }
  return result;
}

void Tables::forget_tokens(WallTime now) {
  while (!tokens_.empty() && now - tokens_.front().first > kTokenMemory) {
    done_.erase(tokens_.front().second);
    tokens_.pop_front();
  }
}

}  // namespace forebay::sim::dynamodb
