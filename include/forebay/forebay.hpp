// Forebay: connections that are ready before they are needed, and never one too many.
//
// This header is all that most services need. <forebay/asio.hpp> adds Boost.Asio completion tokens,
// <forebay/json.hpp> values of Boost.JSON, <forebay/pqxx.hpp> a libpqxx connection.
#pragma once

#include "forebay/base/error.hpp"
#include "forebay/base/log.hpp"
#include "forebay/cluster.hpp"
#include "forebay/configuration.hpp"
#include "forebay/configured_tenants.hpp"
#include "forebay/core/connect_pacer.hpp"
#include "forebay/env/real/runtime.hpp"
#include "forebay/env/run_blocking.hpp"
#include "forebay/env/sleep.hpp"
#include "forebay/env/task.hpp"
#include "forebay/env/task_group.hpp"
#include "forebay/ids/snowflake.hpp"
#include "forebay/ids/timestamp.hpp"
#include "forebay/ids/uuid.hpp"
#include "forebay/pool/budget.hpp"
#include "forebay/pool/function_tokens.hpp"
#include "forebay/pool/pool.hpp"
#include "forebay/postgres/driver/server_profile.hpp"
#include "forebay/postgres/listener.hpp"
#include "forebay/postgres/postgres_pool.hpp"
#include "forebay/postgres/postgres_tenants.hpp"
#include "forebay/postgres/sql/copy_text.hpp"
#include "forebay/postgres/sql/sql_types.hpp"
#include "forebay/postgres/tenant_sessions.hpp"
#include "forebay/postgres/transaction/fenced_update.hpp"
#include "forebay/postgres/transaction/run_transaction.hpp"
#include "forebay/retry/transaction_metrics.hpp"
