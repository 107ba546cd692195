// Settings that work but smell: each is allowed, and together they do not do what they are meant
// for. Pure.
#pragma once

#include <optional>

#include "forebay/coordination/cluster_options.hpp"
#include "forebay/doctor/finding.hpp"
#include "forebay/pool/options.hpp"

namespace forebay::doctor {

// The pool's options as they hold for the server, and the cluster's if limits or tokens are shared.
// REQUIRES: the options are completed.
Findings check_settings(const PoolOptions& pool, const std::optional<ClusterOptions>& cluster);

}  // namespace forebay::doctor
