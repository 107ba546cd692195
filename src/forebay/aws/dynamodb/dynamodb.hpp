// DynamoDb: the few operations of Amazon DynamoDB that coordination needs, over the HTTP seam.
//
// All tables have one key, the text "pk". Reads are strongly consistent. Throttling, conflicts
// between transactions, server errors and lost connections are tried again, with jitter, until the
// deadline. A transaction that is tried again carries the same idempotency token. A write alone has
// none: when nobody knows whether it was done, the caller decides, with timed_out.
//
// Errors: timed_out (nobody knows whether it was done), connect_failed (DynamoDB is away),
// limit_reached (throttled until the deadline), refused (permissions, signature, clock, no such
// table: trying again is no use), invalid. Each text is one sentence with what to do, and no
// secret. Confined to its scheduler.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "forebay/aws/credentials/credentials_provider.hpp"
#include "forebay/aws/dynamodb/attribute_value.hpp"
#include "forebay/aws/dynamodb/server_clock.hpp"
#include "forebay/aws/usage.hpp"
#include "forebay/env/env.hpp"
#include "forebay/env/http.hpp"

namespace forebay::aws {

class DynamoDbChannel;

struct DynamoDbOptions {
  std::string region;
  std::string endpoint_url;  // empty: that of the region
};

// A write of one item, alone or in a transaction. Has constructors because coroutines take it by
// value.
class Write {
 public:
  enum class Kind : std::uint8_t { put, update, remove, check };

  Write(Kind what, std::string table_name, std::string key_text)
      : kind(what), table(std::move(table_name)), key(std::move(key_text)) {}

  Kind kind;
  std::string table;
  std::string key;
  Item item;                                 // put: what to write, without the key
  std::string update;                        // update: the UpdateExpression
  std::string condition;                     // the ConditionExpression; empty: none
  Item values;                               // by their names in the expressions, ":n"
  std::map<std::string, std::string> names;  // of attributes, "#count"; only where needed
  // Alone: whether making it twice is as good as once, so that it is also tried again when nobody
  // knows whether it was done. A transaction always may be, thanks to its token.
  bool is_repeatable = false;
};

// What came of a write. The item: of an update that was made, as it left it; of a write whose
// condition failed, the one that stood in the way, if there is one.
class WriteReply {
 public:
  bool is_done = false;  // false: the condition failed, nothing was written
  std::optional<Item> item;
};

class TransactionReply {
 public:
  bool is_done = false;  // false: some condition failed, nothing was written
  // Otherwise one for each write, in order: whether its own condition held, and if not, the item.
  std::vector<WriteReply> writes;
};

struct TableState {
  bool exists = false;
  bool is_active = false;  // false: being created, or deleted
  bool has_right_key = false;
  std::string key;           // what it has, for people
  std::string billing_mode;  // "PAY_PER_REQUEST" or "PROVISIONED"
};

struct TtlState {
  bool is_enabled = false;  // or being enabled
  std::string attribute;
};

class DynamoDb {
 public:
  DynamoDb(Env env, HttpTransport& http, CredentialsProvider& credentials, DynamoDbOptions options);
  ~DynamoDb();

  Task<Result<std::optional<Item>>> get(std::string table, std::string key, Instant deadline);
  // Those that exist, in no order. REQUIRES: at most 100 keys.
  Task<Result<std::vector<Item>>> get_all(std::string table, std::vector<std::string> keys,
                                          Instant deadline);
  // All items whose key begins so, page by page.
  Task<Result<std::vector<Item>>> scan(std::string table, std::string key_prefix, Instant deadline);
  Task<Result<WriteReply>> write(Write write, Instant deadline);
  // REQUIRES: at most 100 writes, each of another item.
  Task<Result<TransactionReply>> transact(std::vector<Write> writes, Instant deadline);

  Task<Result<TableState>> describe_table(std::string table, Instant deadline);
  // On-demand billing, key "pk". Ends when it is being created, not when it is active.
  Task<Result<void>> create_table(std::string table, Instant deadline);
  Task<Result<TtlState>> describe_ttl(std::string table, Instant deadline);
  Task<Result<void>> enable_ttl(std::string table, std::string attribute, Instant deadline);

  const DynamoDbUsage& usage() const;
  const ServerClock& clock() const;  // DynamoDB's, by its answers

 private:
  std::unique_ptr<DynamoDbChannel> channel_;
};

}  // namespace forebay::aws
