// Processors: where a thread runs. A hint and nothing else: the answer may be wrong by the time
// that it is used.
#pragma once

namespace forebay {

// As many as the system may ever show, at least 1; beyond 64, several count as one.
int processors();
// The one on which this thread runs now: from 0 to less than processors().
int processor_here();

}  // namespace forebay
