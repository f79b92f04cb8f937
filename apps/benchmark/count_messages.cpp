// SPDX-License-Identifier: BSD-3-Clause
// Counts what a program sends, loaded in front of it: LD_PRELOAD=.../libcount_messages.so
// MESSAGE_COUNTS=FOLDER mpirun -n 8 cotangent DECK. At MPI_Finalize every rank writes FOLDER/rank.N, a line
// for each kind and size:
//   message CALLS BYTES                     point to point
//   to RANK CALLS                           the same, by whom they went to
//   NAME of BYTES CALLS                     a collective call, by the bytes that this rank gives to it
//   NAME CALLS BYTES                        writes to files, one-sided operations
// It stands on MPI's profiling interface. Of Fortran's interface, which MUMPS uses, it knows what MUMPS sends
// with. What MPI-IO sends within a collective write isn't seen. Ranks that wait sleep, so that far more of
// them than processors come to an end.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <mpi.h>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace {

struct Tally {
  long long calls = 0, bytes = 0;
  void add(long long more) {
    ++calls;
    bytes += more;
  }
};
Tally sent;
std::map<int, long long> sent_to;
std::map<std::pair<std::string, long long>, long long> collectives;
std::map<std::string, Tally> others;
std::map<MPI_Comm, std::vector<int>> world_ranks;
struct Repeated {
  long long bytes = 0;
  int to = 0;
};
std::map<MPI_Request, Repeated> repeated;
std::mutex counting;  // PT-Scotch, which overland flow's direct solvers order by, sends from several threads

long long bytes_of(long long count, MPI_Datatype type) {
  int size = 0;
  PMPI_Type_size(type, &size);
  return count * size;
}

int world_rank(MPI_Comm comm, int rank) {
  auto found = world_ranks.find(comm);
  if (found == world_ranks.end()) {
    int size = 0;
    PMPI_Comm_size(comm, &size);
    std::vector<int> all(static_cast<std::size_t>(size)), in_world(all.size());
    for (int k = 0; k < size; ++k) all[static_cast<std::size_t>(k)] = k;
    MPI_Group group{}, world{};
    PMPI_Comm_group(comm, &group);
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Group_translate_ranks(group, size, all.data(), world, in_world.data());
    PMPI_Group_free(&group);
    PMPI_Group_free(&world);
    found = world_ranks.emplace(comm, in_world).first;
  }
  return found->second[static_cast<std::size_t>(rank)];
}

void send(long long bytes, int to, MPI_Comm comm) {
  if (to == MPI_PROC_NULL) return;
  const std::lock_guard lock(counting);
  sent.add(bytes);
  ++sent_to[world_rank(comm, to)];
}

void start(MPI_Request request) {
  const std::lock_guard lock(counting);
  const auto found = repeated.find(request);
  if (found == repeated.end()) return;
  sent.add(found->second.bytes);
  ++sent_to[found->second.to];
}

void other(const char* name, long long bytes) {
  const std::lock_guard lock(counting);
  others[name].add(bytes);
}

/// Of one rank alone a collective call costs nothing.
void collective(const char* name, long long bytes, MPI_Comm comm) {
  int size = 0;
  PMPI_Comm_size(comm, &size);
  const std::lock_guard lock(counting);
  if (size > 1) ++collectives[{name, bytes}];
}

long long total(const int* counts, MPI_Datatype type, MPI_Comm comm) {
  int size = 0;
  PMPI_Comm_size(comm, &size);
  long long items = 0;
  for (int k = 0; k < size; ++k) items += counts[k];
  return bytes_of(items, type);
}

/// A sum over messages: each counts that isn't empty.
long long all_of(int count, MPI_Datatype type, MPI_Comm comm) {
  int size = 0;
  PMPI_Comm_size(comm, &size);
  return bytes_of(static_cast<long long>(count) * size, type);
}

void report() {
  const char* folder = std::getenv("MESSAGE_COUNTS");
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::FILE* file = folder == nullptr
                        ? stderr
                        : std::fopen((std::string(folder) + "/rank." + std::to_string(rank)).c_str(), "w");
  if (file == nullptr) return;
  std::fprintf(file, "message %lld %lld\n", sent.calls, sent.bytes);
  for (const auto& [to, calls] : sent_to) std::fprintf(file, "to %d %lld\n", to, calls);
  for (const auto& [key, calls] : collectives)
    std::fprintf(file, "%s of %lld %lld\n", key.first.c_str(), key.second, calls);
  for (const auto& [name, tally] : others)
    std::fprintf(file, "%s %lld %lld\n", name.c_str(), tally.calls, tally.bytes);
  if (file != stderr) std::fclose(file);
}

}  // namespace

// NOLINTBEGIN: MPI's own names.
extern "C" {

// What Open MPI calls between two looks at what has arrived (mpi_yield_when_idle).
int sched_yield() noexcept {
  const timespec moment{0, 20000};
  return nanosleep(&moment, nullptr);
}

int MPI_Finalize() {
  report();
  return PMPI_Finalize();
}

#define SENDS(name)                                                                                \
  int MPI_##name(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) { \
    send(bytes_of(count, type), to, comm);                                                         \
    return PMPI_##name(data, count, type, to, tag, comm);                                          \
  }
SENDS(Send)
SENDS(Ssend)
SENDS(Rsend)
SENDS(Bsend)
#define SENDS_LATER(name)                                                                        \
  int MPI_##name(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, \
                 MPI_Request* request) {                                                         \
    send(bytes_of(count, type), to, comm);                                                       \
    return PMPI_##name(data, count, type, to, tag, comm, request);                               \
  }
SENDS_LATER(Isend)
SENDS_LATER(Issend)
SENDS_LATER(Irsend)
SENDS_LATER(Ibsend)

int MPI_Sendrecv(const void* data, int count, MPI_Datatype type, int to, int tag, void* in, int in_count,
                 MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm, MPI_Status* status) {
  send(bytes_of(count, type), to, comm);
  return PMPI_Sendrecv(data, count, type, to, tag, in, in_count, in_type, from, in_tag, comm, status);
}

int MPI_Send_init(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                  MPI_Request* request) {
  const int code = PMPI_Send_init(data, count, type, to, tag, comm, request);
  const std::lock_guard lock(counting);
  if (to != MPI_PROC_NULL) repeated[*request] = {bytes_of(count, type), world_rank(comm, to)};
  return code;
}

int MPI_Startall(int count, MPI_Request* requests) {
  for (int k = 0; k < count; ++k) start(requests[k]);
  return PMPI_Startall(count, requests);
}

int MPI_Start(MPI_Request* request) {
  start(*request);
  return PMPI_Start(request);
}

int MPI_Request_free(MPI_Request* request) {
  {
    const std::lock_guard lock(counting);
    repeated.erase(*request);
  }
  return PMPI_Request_free(request);
}

int MPI_Comm_free(MPI_Comm* comm) {
  {
    const std::lock_guard lock(counting);
    world_ranks.erase(*comm);
  }
  return PMPI_Comm_free(comm);
}

#define REDUCES(name)                                                                                   \
  int MPI_##name(const void* data, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) { \
    collective(#name, bytes_of(count, type), comm);                                                     \
    return PMPI_##name(data, out, count, type, op, comm);                                               \
  }
REDUCES(Allreduce)
REDUCES(Scan)
REDUCES(Exscan)
int MPI_Iallreduce(const void* data, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                   MPI_Request* request) {
  collective("Iallreduce", bytes_of(count, type), comm);
  return PMPI_Iallreduce(data, out, count, type, op, comm, request);
}
int MPI_Reduce(const void* data, void* out, int count, MPI_Datatype type, MPI_Op op, int root,
               MPI_Comm comm) {
  collective("Reduce", bytes_of(count, type), comm);
  return PMPI_Reduce(data, out, count, type, op, root, comm);
}
int MPI_Reduce_scatter(const void* data, void* out, const int* counts, MPI_Datatype type, MPI_Op op,
                       MPI_Comm comm) {
  collective("Reduce_scatter", total(counts, type, comm), comm);
  return PMPI_Reduce_scatter(data, out, counts, type, op, comm);
}
int MPI_Reduce_scatter_block(const void* data, void* out, int count, MPI_Datatype type, MPI_Op op,
                             MPI_Comm comm) {
  collective("Reduce_scatter_block", all_of(count, type, comm), comm);
  return PMPI_Reduce_scatter_block(data, out, count, type, op, comm);
}
int MPI_Bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  collective("Bcast", bytes_of(count, type), comm);
  return PMPI_Bcast(data, count, type, root, comm);
}
int MPI_Barrier(MPI_Comm comm) {
  collective("Barrier", 0, comm);
  return PMPI_Barrier(comm);
}
int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
  collective("Ibarrier", 0, comm);
  return PMPI_Ibarrier(comm, request);
}
int MPI_Allgather(const void* data, int count, MPI_Datatype type, void* out, int out_count,
                  MPI_Datatype out_type, MPI_Comm comm) {
  collective("Allgather", bytes_of(out_count, out_type), comm);
  return PMPI_Allgather(data, count, type, out, out_count, out_type, comm);
}
int MPI_Allgatherv(const void* data, int count, MPI_Datatype type, void* out, const int* counts,
                   const int* places, MPI_Datatype out_type, MPI_Comm comm) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  collective("Allgatherv", bytes_of(counts[rank], out_type), comm);
  return PMPI_Allgatherv(data, count, type, out, counts, places, out_type, comm);
}
int MPI_Gather(const void* data, int count, MPI_Datatype type, void* out, int out_count,
               MPI_Datatype out_type, int root, MPI_Comm comm) {
  collective("Gather", data == MPI_IN_PLACE ? bytes_of(out_count, out_type) : bytes_of(count, type), comm);
  return PMPI_Gather(data, count, type, out, out_count, out_type, root, comm);
}
int MPI_Gatherv(const void* data, int count, MPI_Datatype type, void* out, const int* counts,
                const int* places, MPI_Datatype out_type, int root, MPI_Comm comm) {
  collective("Gatherv", data == MPI_IN_PLACE ? 0 : bytes_of(count, type), comm);
  return PMPI_Gatherv(data, count, type, out, counts, places, out_type, root, comm);
}
int MPI_Scatter(const void* data, int count, MPI_Datatype type, void* out, int out_count,
                MPI_Datatype out_type, int root, MPI_Comm comm) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  collective("Scatter", rank == root ? all_of(count, type, comm) : 0, comm);
  return PMPI_Scatter(data, count, type, out, out_count, out_type, root, comm);
}
int MPI_Scatterv(const void* data, const int* counts, const int* places, MPI_Datatype type, void* out,
                 int out_count, MPI_Datatype out_type, int root, MPI_Comm comm) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  collective("Scatterv", rank == root ? total(counts, type, comm) : 0, comm);
  return PMPI_Scatterv(data, counts, places, type, out, out_count, out_type, root, comm);
}
int MPI_Alltoall(const void* data, int count, MPI_Datatype type, void* out, int out_count,
                 MPI_Datatype out_type, MPI_Comm comm) {
  collective("Alltoall", all_of(out_count, out_type, comm), comm);
  return PMPI_Alltoall(data, count, type, out, out_count, out_type, comm);
}
int MPI_Alltoallv(const void* data, const int* counts, const int* places, MPI_Datatype type, void* out,
                  const int* out_counts, const int* out_places, MPI_Datatype out_type, MPI_Comm comm) {
  collective("Alltoallv",
             data == MPI_IN_PLACE ? total(out_counts, out_type, comm) : total(counts, type, comm), comm);
  return PMPI_Alltoallv(data, counts, places, type, out, out_counts, out_places, out_type, comm);
}
// Over a graph of neighbours every edge is a message.
int MPI_Neighbor_alltoallv(const void* data, const int* counts, const int* places, MPI_Datatype type,
                           void* out, const int* out_counts, const int* out_places, MPI_Datatype out_type,
                           MPI_Comm comm) {
  int in = 0, on = 0, weighted = 0;
  PMPI_Dist_graph_neighbors_count(comm, &in, &on, &weighted);
  {
    const std::lock_guard lock(counting);
    for (int k = 0; k < on; ++k) sent.add(bytes_of(counts[k], type));
  }
  return PMPI_Neighbor_alltoallv(data, counts, places, type, out, out_counts, out_places, out_type, comm);
}

int MPI_Fetch_and_op(const void* data, void* out, MPI_Datatype type, int rank, MPI_Aint place, MPI_Op op,
                     MPI_Win win) {
  other("Fetch_and_op", bytes_of(1, type));
  return PMPI_Fetch_and_op(data, out, type, rank, place, op, win);
}
int MPI_Put(const void* data, int count, MPI_Datatype type, int rank, MPI_Aint place, int out_count,
            MPI_Datatype out_type, MPI_Win win) {
  other("Put", bytes_of(count, type));
  return PMPI_Put(data, count, type, rank, place, out_count, out_type, win);
}
int MPI_Get(void* data, int count, MPI_Datatype type, int rank, MPI_Aint place, int out_count,
            MPI_Datatype out_type, MPI_Win win) {
  other("Get", bytes_of(count, type));
  return PMPI_Get(data, count, type, rank, place, out_count, out_type, win);
}

#define WRITES_AT(name)                                                                        \
  int MPI_##name(MPI_File file, MPI_Offset at, const void* data, int count, MPI_Datatype type, \
                 MPI_Status* status) {                                                         \
    other(#name, bytes_of(count, type));                                                       \
    return PMPI_##name(file, at, data, count, type, status);                                   \
  }
WRITES_AT(File_write_at)
WRITES_AT(File_write_at_all)
#define WRITES(name)                                                                                  \
  int MPI_##name(MPI_File file, const void* data, int count, MPI_Datatype type, MPI_Status* status) { \
    other(#name, bytes_of(count, type));                                                              \
    return PMPI_##name(file, data, count, type, status);                                              \
  }
WRITES(File_write)
WRITES(File_write_all)

// Fortran's, as MUMPS calls them.
#define FORTRAN_SENDS(name)                                                                     \
  void pmpi_##name##_(void*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*); \
  void mpi_##name##_(void* data, MPI_Fint* count, MPI_Fint* type, MPI_Fint* to, MPI_Fint* tag,  \
                     MPI_Fint* comm, MPI_Fint* code) {                                          \
    send(bytes_of(*count, PMPI_Type_f2c(*type)), *to, PMPI_Comm_f2c(*comm));                    \
    pmpi_##name##_(data, count, type, to, tag, comm, code);                                     \
  }
FORTRAN_SENDS(send)
FORTRAN_SENDS(ssend)
void pmpi_isend_(void*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*);
void mpi_isend_(void* data, MPI_Fint* count, MPI_Fint* type, MPI_Fint* to, MPI_Fint* tag, MPI_Fint* comm,
                MPI_Fint* request, MPI_Fint* code) {
  send(bytes_of(*count, PMPI_Type_f2c(*type)), *to, PMPI_Comm_f2c(*comm));
  pmpi_isend_(data, count, type, to, tag, comm, request, code);
}
void pmpi_bcast_(void*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*);
void mpi_bcast_(void* data, MPI_Fint* count, MPI_Fint* type, MPI_Fint* root, MPI_Fint* comm, MPI_Fint* code) {
  collective("Bcast", bytes_of(*count, PMPI_Type_f2c(*type)), PMPI_Comm_f2c(*comm));
  pmpi_bcast_(data, count, type, root, comm, code);
}
void pmpi_barrier_(MPI_Fint*, MPI_Fint*);
void mpi_barrier_(MPI_Fint* comm, MPI_Fint* code) {
  collective("Barrier", 0, PMPI_Comm_f2c(*comm));
  pmpi_barrier_(comm, code);
}
void pmpi_allreduce_(void*, void*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*);
void mpi_allreduce_(void* data, void* out, MPI_Fint* count, MPI_Fint* type, MPI_Fint* op, MPI_Fint* comm,
                    MPI_Fint* code) {
  collective("Allreduce", bytes_of(*count, PMPI_Type_f2c(*type)), PMPI_Comm_f2c(*comm));
  pmpi_allreduce_(data, out, count, type, op, comm, code);
}
void pmpi_reduce_(void*, void*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*);
void mpi_reduce_(void* data, void* out, MPI_Fint* count, MPI_Fint* type, MPI_Fint* op, MPI_Fint* root,
                 MPI_Fint* comm, MPI_Fint* code) {
  collective("Reduce", bytes_of(*count, PMPI_Type_f2c(*type)), PMPI_Comm_f2c(*comm));
  pmpi_reduce_(data, out, count, type, op, root, comm, code);
}

}  // extern "C"
// NOLINTEND
