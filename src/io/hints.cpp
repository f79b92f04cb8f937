// SPDX-License-Identifier: BSD-3-Clause
#include "io/hints.hpp"

#include <algorithm>
#include <vector>

#include "core/names.hpp"

namespace cotangent::io {

namespace {

const std::vector<std::string> known = {
    // MPI: A Message-Passing Interface Standard, version 4.1 (2023), 14.2.8.
    "access_style", "cb_block_size", "cb_buffer_size", "cb_nodes", "chunked", "chunked_item", "chunked_size",
    "collective_buffering", "file_perm", "filename", "io_node_list", "mpi_minimum_memory_alignment",
    "nb_proc", "num_io_nodes", "striping_factor", "striping_unit",
    // ROMIO, as of MPICH 4.2, Intel's MPI and Open MPI's romio321.
    "cb_config_list", "deferred_open", "direct_read", "direct_write", "ind_rd_buffer_size",
    "ind_wr_buffer_size", "romio_aggregator_list", "romio_cb_alltoall", "romio_cb_ds_threshold",
    "romio_cb_fr_alignment", "romio_cb_fr_type", "romio_cb_fr_types", "romio_cb_pfr", "romio_cb_read",
    "romio_cb_write", "romio_ds_read", "romio_ds_write", "romio_filesystem_type",
    "romio_lustre_cb_ds_threshold", "romio_lustre_co_ratio", "romio_lustre_coll_threshold",
    "romio_lustre_ds_in_coll", "romio_min_fdomain_size", "romio_no_indep_rw", "romio_synchronizing_flush",
    "romio_visibility_immediate", "start_iodevice",
    // HPE Cray MPICH.
    "cray_cb_nodes_multiplier", "cray_cb_write_lock_mode", "cray_fileoff_based_aggr",
    "cray_overstriping_count",
    // IBM Spectrum MPI.
    "IBM_io_buffer_size", "IBM_largeblock_io", "IBM_sparse_access", "bg_nodes_pset"};

}  // namespace

std::string doubt_about_hint(const std::string& name) {
  if (std::ranges::find(known, name) != known.end()) return "";
  const std::string near = nearest(name, known);
  return "'" + name + "' is none that MPI-IO is known to have, and may have no effect" +
         (is_likely(name, near) ? "; did you mean '" + near + "'?" : "");
}

}  // namespace cotangent::io
