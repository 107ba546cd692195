// SimOptions: what "forebay sim" was told, and the way there from the words of the command line.
//
// read() finds everything that is wrong at once: with the words, with the scenario, with the places
// of the output files. It only looks; nothing is left behind.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "forebay/sim/scenario/scenario.hpp"

namespace forebay::cli {

// What is run when nothing is named, as by poolsim.
inline constexpr const char* kDefaultScenario = "local";

// As typed.
struct SimArguments {
  std::optional<std::string> file;  // none: kDefaultScenario
  std::optional<std::string> seed;
  std::optional<std::string> seeds;
  std::optional<std::string> duration;
  std::optional<std::string> jobs;
  std::optional<std::string> out;
  std::optional<std::string> report;
  bool is_json = false;
  bool is_quiet = false;
  bool is_list = false;
};

// Both ends belong to it.
struct SeedRange {
  std::uint64_t from = 1;
  std::uint64_t to = 1;

  std::uint64_t count() const { return to - from + 1; }
};

struct SimOptions {
  std::string file;  // as typed, or the default
  sim::Scenario scenario;
  std::optional<SeedRange> seeds;
  std::optional<Duration> duration;  // instead of the scenario's, which has it already
  int jobs = 1;                      // worlds at once
  std::optional<std::string> out;
  std::optional<std::string> report;
  bool is_json = false;
  bool is_quiet = false;
  bool is_list = false;

  // What to type to see one seed again.
  std::string replay(std::uint64_t seed) const;
  // What to say if the program crashes in it.
  std::string crash_note(std::uint64_t seed) const;
};

// Appends what is wrong to problems; the options are to be used only if that is nothing.
SimOptions read(const SimArguments& arguments, std::vector<std::string>& problems);

}  // namespace forebay::cli
