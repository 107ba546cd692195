// What the metrics of a running process say: is it full, and if not, why. Pure.
#pragma once

#include "forebay/doctor/finding.hpp"
#include "forebay/doctor/instance_pages.hpp"

namespace forebay::doctor {

// One ok if nothing is to be told.
Findings check_instance(const InstancePages& pages);

// Parts of it, of one pool and of all that is shared.
void check_pool(const InstancePages& pages, const Labels& pool, Notebook& notebook);
void check_sharing(const InstancePages& pages, Notebook& notebook);

}  // namespace forebay::doctor
