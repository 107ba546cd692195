// What "forebay doctor" was told, and the way there from the words of the command line. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "forebay/doctor/doctor.hpp"

namespace forebay::cli {

// As typed.
struct DoctorArguments {
  std::string config;
  std::optional<std::string> metrics;
  std::string watch = "3s";
  std::string timeout = "10s";
  std::optional<std::string> processes;
  bool is_json = false;
};

// The variable is kMetricsUrlVariable: it counts if --metrics is not given. Appends what is wrong
// to problems; the options are to be used only if that is nothing.
doctor::DoctorOptions read(const DoctorArguments& arguments,
                           const std::optional<std::string>& metrics_url_variable,
                           std::vector<std::string>& problems);

}  // namespace forebay::cli
