// What "forebay doctor" shows: each finding with why it matters and what to do. Pure.
#pragma once

#include <string>

#include "forebay/cli/text/styled_line.hpp"
#include "forebay/doctor/doctor.hpp"

namespace forebay::cli {

std::string doctor_text(const doctor::DoctorReport& report, const TextStyle& style);
std::string doctor_json(const doctor::DoctorReport& report);  // one line

}  // namespace forebay::cli
