// The schema sys: jobs and IAM mappings, in SQL that the PostgreSQL behind the stand-in gets before
// its clients come. sys_schema.sql beside this file says what is in it; the judgements of
// StatementRules use it.
#pragma once

#include <vector>

#include "forebay/base/bundled_file.hpp"

namespace forebay {

// One file. Made by the build.
std::vector<BundledFile> standin_schema();

}  // namespace forebay
