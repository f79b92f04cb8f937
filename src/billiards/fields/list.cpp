// SPDX-License-Identifier: BSD-3-Clause
// The list of the fields that decks can name: a new one is a header here and a word below.
#include "billiards/fields/harmonic.hpp"
#include "billiards/fields/henon_heiles.hpp"
#include "billiards/fields/kepler.hpp"

namespace cotangent::billiards {

std::vector<FieldKind> built_in_fields() {
  return {field_kind_of<Harmonic>(), field_kind_of<HarmonicInSpace>(), field_kind_of<HenonHeilesField>(),
          field_kind_of<Kepler>(), field_kind_of<KeplerInSpace>()};
}

}  // namespace cotangent::billiards
