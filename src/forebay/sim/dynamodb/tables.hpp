// Tables: what the simulated DynamoDB keeps, and what its operations do to it. Every table has one
// key, the text "pk".
//
// Each call is atomic. Time is passed in. Confined.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "forebay/env/time.hpp"
#include "forebay/sim/dynamodb/expression.hpp"

namespace forebay::sim::dynamodb {

inline constexpr const char* kKey = "pk";

// One write of one item. Items have their key in them.
struct WriteAction {
  enum class Kind : std::uint8_t { put, update, remove, check };

  Kind kind = Kind::put;
  std::string table;
  std::string key;
  aws::Item item;  // put
  std::optional<UpdateExpression> update;
  std::optional<ConditionExpression> condition;
  bool returns_old_on_failure = false;
};

struct Written {
  std::optional<aws::Item> before;
  std::optional<aws::Item> after;
  double units = 0;
};

struct TransactionToken {
  std::string token;        // empty: none
  std::string fingerprint;  // of the request, to be compared
};

struct Transacted {
  std::map<std::string, double> units;  // by table
  bool is_repeated = false;             // it was made before; the units are of reads
};

struct ScanRequest {
  std::string table;
  std::string after;  // a key; empty: from the start
  std::optional<ConditionExpression> filter;
  std::size_t limit = 0;  // 0: none
};

struct Page {
  std::vector<aws::Item> items;
  std::size_t scanned = 0;
  std::string last_key;  // empty: there are no more
  double units = 0;
};

// Items are for those whose key is the text "pk". Others can be made, described and deleted.
struct Table {
  std::string key = kKey;
  std::string key_type = "S";
  std::string billing_mode = "PAY_PER_REQUEST";
  WallTime created_at{};
  WallTime active_at{};
  std::string ttl_attribute;  // empty: items do not expire
  std::map<std::string, aws::Item> items;
};

class Tables {
 public:
  // For how long the token of a transaction is remembered.
  static constexpr Duration kTokenMemory = std::chrono::minutes(10);

  // A change of an item: null means that there is none.
  using Observer = std::function<void(const std::string& table, const std::string& key,
                                      const aws::Item* before, const aws::Item* after)>;

  void set_on_change(Observer observer) { on_change_ = std::move(observer); }
  // Items that a scan looks at for one page, whatever its caller says. It also stops at 1 MB.
  void set_page_limit(std::size_t items) { page_limit_ = items; }
  // How long a table is being created.
  void set_creation_time(Duration time) { creation_time_ = time; }

  Answer<void> create(const std::string& name, Table table, WallTime now);
  Answer<const Table*> describe(const std::string& name) const;
  Answer<Table> remove(const std::string& name, WallTime now);
  std::vector<std::string> names() const;
  Answer<void> enable_ttl(const std::string& name, const std::string& attribute, WallTime now);
  Answer<void> disable_ttl(const std::string& name, const std::string& attribute, WallTime now);
  // What time to live does some time after it has passed: items whose time is over go.
  int expire(WallTime now);

  Answer<std::optional<aws::Item>> get(const std::string& table, const std::string& key,
                                       WallTime now) const;
  // Like a scan that looks at the item with that key only.
  Answer<Page> query(const std::string& key, const ScanRequest& request, WallTime now) const;
  Answer<Page> scan(const ScanRequest& request, WallTime now) const;
  Answer<Written> write(const WriteAction& action, WallTime now);
  Answer<Transacted> transact(const std::vector<WriteAction>& actions,
                              const TransactionToken& token, WallTime now);

  // For checks. Null: there is none.
  const aws::Item* find(const std::string& table, const std::string& key) const;
  // As DynamoDB counts them, those of failed conditions included.
  double write_units() const { return write_units_; }

 private:
  Answer<const Table*> active(const std::string& name, WallTime now) const;
  Answer<const Table*> with_items(const std::string& name, WallTime now) const;
  Answer<Written> prepared(const WriteAction& action, const Table& table) const;
  void store(const WriteAction& action, const Written& written);
  Answer<Transacted> repeated(const std::vector<WriteAction>& actions);
  void forget_tokens(WallTime now);

  std::map<std::string, Table> tables_;
  std::map<std::string, std::string> done_;              // transactions: token to fingerprint
  std::deque<std::pair<WallTime, std::string>> tokens_;  // of them, oldest first
  Observer on_change_;
  std::size_t page_limit_ = std::numeric_limits<std::size_t>::max();
  Duration creation_time_{};
  double write_units_ = 0;
};

}  // namespace forebay::sim::dynamodb
