#include "forebay/pool/connection_slot.hpp"

namespace forebay {

LeakReport leak_report(const Slot& slot, Instant now) {
  LeakReport report;
  report.connection_id = slot.id;
  report.taken_from = slot.taken_from;
  report.held = now - slot.taken_at;
  return report;
}

}  // namespace forebay
