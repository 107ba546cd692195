// The tables of schema.sql, in a form that the server takes, Aurora DSQL or PostgreSQL.
#pragma once

#include <string>
#include <vector>

#include <forebay/postgres/driver/server_profile.hpp>
#include <forebay/postgres/postgres_pool.hpp>

namespace workflow {

// One DDL statement each, in this order. Pure.
std::vector<std::string> schema_statements(const forebay::postgres::ServerProfile& profile);

// Creates what is missing. Any number of processes may do so at once.
forebay::Result<void> create_schema(forebay::postgres::PostgresPool& pool,
                                    const forebay::postgres::ServerProfile& profile);

}  // namespace workflow
