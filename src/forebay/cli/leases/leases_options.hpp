// LeasesOptions: what "forebay leases" was told, and the way there from the words of the command
// line. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "forebay/env/time.hpp"

namespace forebay::cli {

enum class LeasesAction : std::uint8_t { setup, show, watch, reap };

// As typed.
struct LeasesArguments {
  std::optional<std::string> action;
  std::optional<std::string> table;
  std::optional<std::string> endpoint;
  std::optional<std::string> region;
  std::optional<std::string> limit;
  std::string timeout = "10s";
  std::string every = "2s";
  std::optional<std::string> count;
  std::string ttl = "3m";
  bool is_recount = false;
  bool is_json = false;
};

struct LeasesOptions {
  LeasesAction action = LeasesAction::show;
  std::string table;
  std::string endpoint;  // of the cluster; empty for setup
  std::string region;    // empty: to be found
  std::optional<int> limit;
  Duration timeout = std::chrono::seconds(10);
  Duration every = std::chrono::seconds(2);
  std::optional<int> count;  // watch: end after this many
  Duration ttl = std::chrono::minutes(3);
  bool is_recount = false;
  bool is_json = false;
};

// Appends what is wrong to problems; the options are to be used only if that is nothing.
LeasesOptions read(const LeasesArguments& arguments, std::vector<std::string>& problems);

// What is wrong with the name of a DynamoDB table, or of a cluster's host; nothing if nothing is.
std::optional<std::string> problem_with_table(std::string_view name);
std::optional<std::string> problem_with_host(std::string_view host);

}  // namespace forebay::cli
