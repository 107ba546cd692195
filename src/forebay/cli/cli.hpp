// The command "forebay": reads the command line and does what it says.
#pragma once

namespace forebay::cli {

// Returns the exit code: 0 done, 1 failed, 2 the command line makes no sense and nothing was
// started. Overwrites words that may hold a password, so that the process list does not show them.
int run(int count, char** words);

}  // namespace forebay::cli
