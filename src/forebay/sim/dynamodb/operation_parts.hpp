// What the operations of the simulated DynamoDB share, and those that have files of their own.
#pragma once

#include <string>

#include <boost/json.hpp>

#include "forebay/sim/dynamodb/reader.hpp"

namespace forebay::sim::dynamodb {

using Reply = Answer<boost::json::object>;

boost::json::object capacity(const std::string& table, double units);
bool wants_capacity(Reader& reader);

Reply batch_get_item(Reader& reader, Tables& tables, WallTime now);
Reply batch_write_item(Reader& reader, Tables& tables, WallTime now);
Reply transact_get_items(Reader& reader, Tables& tables, WallTime now);
Reply query(Reader& reader, Tables& tables, WallTime now);
Reply scan(Reader& reader, Tables& tables, WallTime now);

Reply create_table(Reader& reader, Tables& tables, WallTime now);
Reply delete_table(Reader& reader, Tables& tables, WallTime now);
Reply list_tables(Reader& reader, Tables& tables, WallTime now);
Reply describe_table(Reader& reader, Tables& tables, WallTime now);
Reply describe_time_to_live(Reader& reader, Tables& tables, WallTime now);
Reply update_time_to_live(Reader& reader, Tables& tables, WallTime now);

}  // namespace forebay::sim::dynamodb
