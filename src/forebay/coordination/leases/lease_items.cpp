#include "forebay/coordination/leases/lease_items.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>

#include "forebay/coordination/item_values.hpp"

namespace forebay {
namespace {

using aws::AttributeValue;
using aws::Write;

WallTime milliseconds_at(const aws::Item& item, const std::string& name) {
  // Whatever others wrote there, it must fit into nanoseconds.
  constexpr std::int64_t kMost = std::int64_t{9'000'000'000'000};
  const std::int64_t time = aws::integer_at(item, name).value_or(0);
  return WallTime(std::chrono::milliseconds(std::clamp<std::int64_t>(time, 0, kMost)));
}

// The values of a write that may make a lease.
void add_making(Write& write, const std::string& service, Duration reap_after, WallTime now) {
  write.values.emplace(":service", AttributeValue::text(service));
  write.values.emplace(":ttl",
                       number(std::chrono::ceil<std::chrono::milliseconds>(reap_after).count()));
  write.values.emplace(":now", number(milliseconds(now)));
  write.values.emplace(":garbage", garbage_at(now));
}

// A mark is the counter's attributes as they were read, one after the other.
constexpr std::array<std::string_view, 3> kMarked{"active", "updated_ms", "changes"};
constexpr std::string_view kAbsent = "-";

}  // namespace

LeaseItems::LeaseItems(std::string table, const std::string& endpoint)
    : table_(std::move(table)),
      counter_key_("dsqllease_counter#" + endpoint),
      prefix_("dsqllease#" + endpoint + "#") {}

LeaseItems::Lease LeaseItems::read(const aws::Item& item) {
  Lease lease;
  const std::optional<std::int64_t> connections = aws::integer_at(item, "connections");
  if (!connections) return lease;
  lease.is_renewed = true;
  lease.held = std::max(0, small(*connections));
  lease.sequence = static_cast<std::uint64_t>(aws::integer_at(item, "sequence").value_or(0));
  lease.version = static_cast<std::uint64_t>(aws::integer_at(item, "version").value_or(0));
  return lease;
}

LeaseRecord LeaseItems::record(const aws::Item& item) const {
  const std::string key = aws::text_at(item, "pk");
  LeaseRecord record(key.substr(std::min(prefix_.size(), key.size())),
                     aws::text_at(item, "service_name"));
  const Lease lease = read(item);
  record.held = lease.held;
  record.version = lease.version;
  record.is_renewed = lease.is_renewed;
  record.claim.wanted = small(aws::integer_at(item, "wanted").value_or(0));
  record.claim.min_share = small(aws::integer_at(item, "min_share").value_or(0));
  record.reap_after = std::chrono::milliseconds(small(aws::integer_at(item, "ttl_ms").value_or(0)));
  record.created_at = milliseconds_at(item, "created_ms");
  record.renewed_at = lease.is_renewed ? milliseconds_at(item, "renewed_ms") : record.created_at;
  return record;
}

int LeaseItems::active(const std::optional<aws::Item>& counter) {
  return counter ? small(aws::integer_at(*counter, "active").value_or(0)) : 0;
}

std::string LeaseItems::mark(const std::optional<aws::Item>& counter) {
  std::string text;
  for (const std::string_view name : kMarked) {
    if (!text.empty()) text += '/';
    const auto value = counter ? aws::integer_at(*counter, std::string(name)) : std::nullopt;
    text += value ? std::to_string(*value) : std::string(kAbsent);
  }
  return text;
}

Write LeaseItems::update(const std::string& key, std::string expression) const {
  Write write(Write::Kind::update, table_, key);
  write.update = std::move(expression);
  return write;
}

Write LeaseItems::raise(const AcquireRequest& request) const {
  const LeaseChange& change = request.change;
  if (change.sequence == 1) {
    Write write = update(key(change.lease_id),
                         "SET ttl_epoch = :garbage, service_name = :service, created_ms = :now, "
                         "connections = :n, #sequence = :sequence, renewed_ms = :now, "
                         "ttl_ms = :ttl, #version = if_not_exists(#version, :zero) + :one");
    write.condition = "attribute_not_exists(pk) OR #sequence = :zero";
    write.names = {{"#sequence", "sequence"}, {"#version", "version"}};
    write.values = {{":n", number(change.connections)},
                    {":sequence", number(change.sequence)},
                    {":zero", number(0)},
                    {":one", number(1)}};
    add_making(write, request.service, request.reap_after, request.now);
    return write;
  }
  return change_held(change, "connections + :n", "#sequence = :previous", request.now);
}

Write LeaseItems::lower(const ReleaseRequest& request) const {
  return change_held(request.change, "connections - :n",
                     "#sequence = :previous AND connections > :n", request.now);
}

// Each change is a sign of life, too.
Write LeaseItems::change_held(const LeaseChange& change, const std::string& held,
                              std::string condition, WallTime now) const {
  Write write =
      update(key(change.lease_id), "SET connections = " + held +
                                       ", #sequence = :sequence, #version = #version + :one, "
                                       "renewed_ms = :now, ttl_epoch = :garbage");
  write.condition = std::move(condition);
  write.names = {{"#sequence", "sequence"}, {"#version", "version"}};
  write.values = {
      {":n", number(change.connections)},         {":sequence", number(change.sequence)},
      {":previous", number(change.sequence - 1)}, {":one", number(1)},
      {":now", number(milliseconds(now))},        {":garbage", garbage_at(now)}};
  return write;
}

Write LeaseItems::end(const ReleaseRequest& request) const {
  const LeaseChange& change = request.change;
  Write write(Write::Kind::remove, table_, key(change.lease_id));
  write.condition = "#sequence = :previous AND connections = :n";
  write.names = {{"#sequence", "sequence"}};
  write.values = {{":n", number(std::int64_t{change.connections})},
                  {":previous", number(change.sequence - 1)}};
  return write;
}

Write LeaseItems::renew(const RenewRequest& request) const {
  std::string expression =
      "SET #version = if_not_exists(#version, :zero) + :one, renewed_ms = :now, "
      "ttl_epoch = :garbage, wanted = :wanted, min_share = :min_share";
  if (request.makes)
    expression +=
        ", connections = if_not_exists(connections, :zero), service_name = :service, "
        "#sequence = if_not_exists(#sequence, :zero), ttl_ms = :ttl, "
        "created_ms = if_not_exists(created_ms, :now)";
  Write write = update(key(request.lease_id), std::move(expression));
  write.is_repeatable = true;  // twice is as good as once
  write.names = {{"#version", "version"}};
  write.values = {{":zero", number(0)},
                  {":one", number(1)},
                  {":wanted", number(request.claim.wanted)},
                  {":min_share", number(request.claim.min_share)}};
  if (request.makes) {
    write.names.emplace("#sequence", "sequence");
    add_making(write, request.service, request.reap_after, request.now);
    return write;
  }
  write.condition = "attribute_exists(connections)";
  write.values.emplace(":now", number(milliseconds(request.now)));
  write.values.emplace(":garbage", garbage_at(request.now));
  return write;
}

Write LeaseItems::reap(const ReapRequest& request) const {
  Write write(Write::Kind::remove, table_, key(request.lease_id));
  write.names = {{"#version", "version"}};
  if (request.version == 0) {
    write.condition = "attribute_exists(pk) AND attribute_not_exists(#version)";
    return write;
  }
  write.condition = "#version = :version";
  write.values = {{":version", number(request.version)}};
  return write;
}

Write LeaseItems::count_up(const AcquireRequest& request) const {
  const int count = request.change.connections;
  Write write = update(counter_key_,
                       "SET active = if_not_exists(active, :zero) + :n, updated_ms = :now, "
                       "changes = if_not_exists(changes, :zero) + :one");
  write.values = {{":zero", number(std::int64_t{0})},
                  {":one", number(std::int64_t{1})},
                  {":n", number(std::int64_t{count})},
                  {":now", number(milliseconds(request.now))}};
  if (request.limit == kNoLimit) return write;
  const std::int64_t most = std::int64_t{request.limit} - count;
  // A counter that is not there yet is zero, which may be too much already.
  write.condition =
      most < 0 ? "active <= :most" : "attribute_not_exists(active) OR active <= :most";
  write.values.emplace(":most", number(most));
  return write;
}

Write LeaseItems::count_down(int connections, WallTime now) const {
  Write write = update(counter_key_,
                       "SET active = active - :n, updated_ms = :now, "
                       "changes = if_not_exists(changes, :zero) + :one");
  write.condition = "active >= :n";
  write.values = {{":zero", number(std::int64_t{0})},
                  {":one", number(std::int64_t{1})},
                  {":n", number(std::int64_t{connections})},
                  {":now", number(milliseconds(now))}};
  return write;
}

Write LeaseItems::count_none(int connections, WallTime now) const {
  Write write = count_down(connections, now);
  write.update =
      "SET active = :zero, updated_ms = :now, changes = if_not_exists(changes, :zero) + :one";
  write.condition = "attribute_not_exists(active) OR active < :n";
  return write;
}

Write LeaseItems::recount(const RecountRequest& request) const {
  Write write = update(counter_key_,
                       "SET active = :active, updated_ms = :now, "
                       "changes = if_not_exists(changes, :zero) + :one");
  write.values = {{":zero", number(std::int64_t{0})},
                  {":one", number(std::int64_t{1})},
                  {":active", number(std::int64_t{request.active})},
                  {":now", number(milliseconds(request.now))}};
  std::string_view rest = request.mark;
  for (const std::string_view name : kMarked) {
    const std::string_view seen = rest.substr(0, rest.find('/'));
    rest.remove_prefix(std::min(rest.size(), seen.size() + 1));
    if (!write.condition.empty()) write.condition += " AND ";
    if (seen == kAbsent) {
      write.condition += "attribute_not_exists(" + std::string(name) + ")";
      continue;
    }
    const std::string value = ":seen_" + std::string(name);
    write.condition += std::string(name) + " = " + value;
    write.values.emplace(value, AttributeValue::digits(std::string(seen)));
  }
  return write;
}

}  // namespace forebay
