// SPDX-License-Identifier: BSD-3-Clause
#include "parallel/agreement.hpp"

#include <mpi.h>

#include "parallel/mpi.hpp"

namespace cotangent::parallel {

struct Agreement::Request {
  MPI_Request handle = MPI_REQUEST_NULL;
};

Agreement::Agreement() : request_(std::make_unique<Request>()) {}

Agreement::~Agreement() {
  if (pending_) MPI_Wait(&request_->handle, MPI_STATUS_IGNORE);
}

void Agreement::propose(std::int64_t first, std::int64_t second) {
  mine_ = largest_ = {first, second};
  pending_ = true;
  if (size() == 1) return;
  check(MPI_Iallreduce(mine_.data(), largest_.data(), 2, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD,
                       &request_->handle),
        "MPI_Iallreduce");
}

std::optional<std::array<std::int64_t, 2>> Agreement::reached() {
  if (!pending_) return std::nullopt;
  int done = 1;
  if (size() > 1) check(MPI_Test(&request_->handle, &done, MPI_STATUS_IGNORE), "MPI_Test");
  if (!done) return std::nullopt;
  pending_ = false;
  return largest_;
}

}  // namespace cotangent::parallel
