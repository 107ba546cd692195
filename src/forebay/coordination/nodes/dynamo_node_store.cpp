#include "forebay/coordination/nodes/dynamo_node_store.hpp"

#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include "forebay/coordination/item_values.hpp"
#include "forebay/ids/node_source.hpp"

namespace forebay {
namespace {

using aws::AttributeValue;
using aws::Write;

constexpr std::string_view kNobody = "-";

std::int64_t ceil_milliseconds(Duration time) {
  return std::chrono::ceil<std::chrono::milliseconds>(time).count();
}

// None: somebody else's item.
std::optional<int> node_number(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number >= 0 && number < kNodeNumbers ? std::optional(number) : std::nullopt;
}

}  // namespace

DynamoNodeStore::DynamoNodeStore(aws::DynamoDb& client, std::string table, const std::string& scope)
    : client_(client), table_(std::move(table)), prefix_("forebay_node#" + scope + "#") {}

Task<Result<std::vector<NodeRecord>>> DynamoNodeStore::list(Instant deadline) {
  const Result<std::vector<aws::Item>> items = co_await client_.scan(table_, prefix_, deadline);
  if (!items) co_return failure(items.error());
  std::vector<NodeRecord> records;
  for (const aws::Item& item : *items) {
    const std::string pk = aws::text_at(item, "pk");
    const std::optional<int> number = node_number(std::string_view(pk).substr(prefix_.size()));
    if (!number) continue;
    NodeRecord& record = records.emplace_back(*number);
    record.holder = aws::text_at(item, "holder");
    if (record.holder == kNobody) record.holder.clear();
    record.version = static_cast<std::uint64_t>(aws::integer_at(item, "version").value_or(0));
    record.ttl = std::chrono::milliseconds(small(aws::integer_at(item, "ttl_ms").value_or(0)));
    record.ids_until = aws::integer_at(item, "ids_until_ms").value_or(0);
  }
  co_return records;
}

// If the condition fails because it was made before, the item has the name of its maker.
Task<Result<NodeReply>> DynamoNodeStore::claim(NodeClaim claim, Instant deadline) {
  Write write = claim_write(claim);
  const Result<aws::WriteReply> done = co_await client_.write(std::move(write), deadline);
  if (!done) co_return failure(done.error());
  co_return NodeReply{done->is_done ||
                      (done->item && aws::text_at(*done->item, "holder") == claim.holder)};
}

Task<Result<NodeReply>> DynamoNodeStore::renew(NodeRenewal renewal, Instant deadline) {
  Write write = update(renewal.number, renewal.now, "ids_until_ms = :until");
  // One that comes late must not take back what a later one has reserved.
  write.condition = "holder = :holder AND ids_until_ms <= :until";
  write.values.emplace(":holder", AttributeValue::text(renewal.holder));
  write.values.emplace(":until", number(renewal.ids_until));
  const Result<aws::WriteReply> done = co_await client_.write(std::move(write), deadline);
  if (!done) co_return failure(done.error());
  co_return NodeReply{done->is_done};
}

Task<Result<NodeReply>> DynamoNodeStore::release(NodeRelease release, Instant deadline) {
  Write write = update(release.number, release.now, "holder = :nobody");
  write.condition = "holder = :holder";
  write.values.emplace(":holder", AttributeValue::text(release.holder));
  write.values.emplace(":nobody", AttributeValue::text(std::string(kNobody)));
  const Result<aws::WriteReply> done = co_await client_.write(std::move(write), deadline);
  if (!done) co_return failure(done.error());
  co_return NodeReply{false};
}

Write DynamoNodeStore::claim_write(const NodeClaim& claim) const {
  if (claim.seen == 0) {
    Write write(Write::Kind::put, table_, key(claim.number));
    write.condition = "attribute_not_exists(pk)";
    write.is_repeatable = true;  // the second finds the name of the first
    write.item.emplace("holder", AttributeValue::text(claim.holder));
    write.item.emplace("service_name", AttributeValue::text(claim.service));
    write.item.emplace("version", number(1));
    write.item.emplace("ids_until_ms", number(claim.ids_until));
    write.item.emplace("ttl_ms", number(ceil_milliseconds(claim.ttl)));
    write.item.emplace("renewed_ms", number(milliseconds(claim.now)));
    return write;
  }
  Write write = update(claim.number, claim.now,
                       "holder = :holder, service_name = :service, ids_until_ms = :until, "
                       "ttl_ms = :ttl");
  write.condition = "#version = :seen AND ids_until_ms <= :until";
  write.values.emplace(":holder", AttributeValue::text(claim.holder));
  write.values.emplace(":service", AttributeValue::text(claim.service));
  write.values.emplace(":until", number(claim.ids_until));
  write.values.emplace(":ttl", number(ceil_milliseconds(claim.ttl)));
  write.values.emplace(":seen", number(claim.seen));
  return write;
}

// Each change is a sign of life, too.
Write DynamoNodeStore::update(int node, WallTime now, std::string changes) const {
  Write write(Write::Kind::update, table_, key(node));
  write.update = "SET " + std::move(changes) + ", #version = #version + :one, renewed_ms = :now";
  write.is_repeatable = true;
  write.names = {{"#version", "version"}};
  write.values = {{":one", number(1)}, {":now", number(milliseconds(now))}};
  return write;
}

}  // namespace forebay
