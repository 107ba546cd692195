// The tables, in a form that both Aurora DSQL and PostgreSQL take.
#pragma once

#include <string>
#include <vector>

#include <forebay/postgres/postgres_pool.hpp>
#include <forebay/postgres/server_profile.hpp>

namespace workflow {

// One DDL statement each, in this order. Pure.
std::vector<std::string> schema_statements(const forebay::postgres::ServerProfile& profile);

// Creates what is missing. Any number of processes may do so at once.
forebay::Result<void> create_schema(forebay::postgres::PostgresPool& pool,
                                    const forebay::postgres::ServerProfile& profile);

}  // namespace workflow
