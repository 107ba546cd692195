// Forebay: connections that are ready before they are needed, and never one too many.
//
// This header is all that most services need. <forebay/asio.hpp> adds Boost.Asio completion tokens.
#pragma once

#include "forebay/base/error.hpp"
#include "forebay/base/log.hpp"
#include "forebay/cluster.hpp"
#include "forebay/core/connect_pacer.hpp"
#include "forebay/env/real/runtime.hpp"
#include "forebay/env/run_blocking.hpp"
#include "forebay/env/sleep.hpp"
#include "forebay/env/task.hpp"
#include "forebay/env/task_group.hpp"
#include "forebay/pool/budget.hpp"
#include "forebay/pool/function_tokens.hpp"
#include "forebay/pool/pool.hpp"
#include "forebay/postgres/postgres_pool.hpp"
