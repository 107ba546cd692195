// FairShare: what a process may hold while the cluster's connections are fewer than all want.
//
// Each process wants a number, and as a rule some of it before others (min_share). A level is
// found so that all have what they want up to it, or up to their min_share if that is more, and
// the limit still holds: that is a process's share. Where all want more it is the limit, divided
// by the processes. While a process has less than its share, those that have more give up as many
// as are missing, those with most first, and nobody goes beyond.
//
// Everybody finds the same from the same listing, so nobody has to ask. Nothing is given up for
// those who have their share, whatever else they want: shares that are met stay as they are. Pure.
#pragma once

#include "forebay/coordination/leases/lease_store.hpp"

namespace forebay {

struct FairShare {
  int share = 0;       // what it may have in any case, if it wants that many
  int cap = kNoLimit;  // what it may have at most while somebody has less than its share
};

// Of the process that has the lease `own`, or would have it, and makes this claim. Leases of the
// older kind share nothing: what they hold is not there to be shared.
FairShare fair_share(int limit, const LeaseListing& listing, const std::string& own,
                     LeaseClaim claim);

}  // namespace forebay
