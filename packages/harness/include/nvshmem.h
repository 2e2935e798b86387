// NVSHMEM as nccl-ts knows it, for kernels that are to be checked and never linked. Nothing here is NVIDIA's; the names and the meanings are
// those of NVSHMEM's documented API. The host's functions are declared alone, since nothing of the host is run.
#ifndef NCCL_TS_NVSHMEM_H
#define NCCL_TS_NVSHMEM_H

#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stddef.h>
#include <stdint.h>

#define NVSHMEM_SIGNAL_SET 9
#define NVSHMEM_SIGNAL_ADD 10
#define NVSHMEM_CMP_EQ 0
#define NVSHMEM_CMP_NE 1
#define NVSHMEM_CMP_GT 2
#define NVSHMEM_CMP_LE 3
#define NVSHMEM_CMP_LT 4
#define NVSHMEM_CMP_GE 5

typedef int32_t nvshmem_team_t;
#define NVSHMEM_TEAM_WORLD 0
#define NVSHMEM_TEAM_SHARED 1
#define NVSHMEMX_TEAM_NODE 2
#define NVSHMEMX_TEAM_SAME_MYNODE_INDEX 3
#define NVSHMEM_TEAM_INVALID (-1)
#define NVSHMEMX_SUCCESS 0
#define NVSHMEMX_ERROR_INTERNAL 7
#define NVSHMEM_THREAD_SINGLE 0
#define NVSHMEM_THREAD_FUNNELED 1
#define NVSHMEM_THREAD_SERIALIZED 2
#define NVSHMEM_THREAD_MULTIPLE 3
#define NVSHMEMX_INIT_THREAD_PES 1
#define NVSHMEMX_INIT_WITH_MPI_COMM 2
#define NVSHMEMX_INIT_WITH_SHMEM 4
#define NVSHMEMX_INIT_WITH_UNIQUEID 8

typedef struct {
  int version;
  char internal[124];
} nvshmemx_uniqueid_t;
#define NVSHMEMX_UNIQUEID_INITIALIZER {}
typedef struct {
  size_t heap_size;
  int num_threads, n_pes, my_pe;
  void *mpi_comm;
} nvshmemx_init_attr_t;
#define NVSHMEMX_INIT_ATTR_INITIALIZER {}
typedef struct {
  int num_contexts;
} nvshmem_team_config_t;

#ifdef __cplusplus
extern "C" {
#endif
void nvshmem_init(void);
void nvshmem_finalize(void);
void *nvshmem_malloc(size_t bytes);
void *nvshmem_calloc(size_t count, size_t bytes);
void *nvshmem_align(size_t alignment, size_t bytes);
void nvshmem_free(void *pointer);
int nvshmem_init_thread(int requested, int *provided);
void nvshmem_query_thread(int *provided);
void nvshmem_global_exit(int status);
void nvshmem_info_get_version(int *major, int *minor);
void nvshmem_info_get_name(char *name);
int nvshmemx_init_status(void);
int nvshmemx_init_attr(unsigned flags, nvshmemx_init_attr_t *attributes);
int nvshmemx_get_uniqueid(nvshmemx_uniqueid_t *id);
int nvshmemx_set_attr_uniqueid_args(int rank, int nRanks, const nvshmemx_uniqueid_t *id, nvshmemx_init_attr_t *attributes);
int nvshmemx_buffer_register(void *pointer, size_t bytes);
int nvshmemx_buffer_unregister(void *pointer);
void *nvshmemx_buffer_register_symmetric(void *pointer, size_t bytes, int flags);
int nvshmemx_buffer_unregister_symmetric(void *pointer, size_t bytes);
int nvshmemx_cumodule_init(CUmodule module);
int nvshmemx_culibrary_init(CUlibrary library);
int nvshmem_team_split_strided(nvshmem_team_t parent, int start, int stride, int size, const nvshmem_team_config_t *config,
                               long mask, nvshmem_team_t *team);
int nvshmem_team_split_2d(nvshmem_team_t parent, int xRange, const nvshmem_team_config_t *xConfig, long xMask,
                          nvshmem_team_t *xTeam, const nvshmem_team_config_t *yConfig, long yMask, nvshmem_team_t *yTeam);
void nvshmem_team_destroy(nvshmem_team_t team);
void nvshmemx_putmem_on_stream(void *to, const void *from, size_t bytes, int pe, cudaStream_t stream);
void nvshmemx_putmem_nbi_on_stream(void *to, const void *from, size_t bytes, int pe, cudaStream_t stream);
void nvshmemx_getmem_on_stream(void *to, const void *from, size_t bytes, int pe, cudaStream_t stream);
void nvshmemx_getmem_nbi_on_stream(void *to, const void *from, size_t bytes, int pe, cudaStream_t stream);
void nvshmemx_putmem_signal_on_stream(void *to, const void *from, size_t bytes, uint64_t *signal, uint64_t value, int op,
                                      int pe, cudaStream_t stream);
void nvshmemx_signal_op_on_stream(uint64_t *signal, uint64_t value, int op, int pe, cudaStream_t stream);
void nvshmemx_signal_wait_until_on_stream(uint64_t *signal, int compare, uint64_t value, cudaStream_t stream);
int nvshmemx_barrier_on_stream(nvshmem_team_t team, cudaStream_t stream);
int nvshmemx_team_sync_on_stream(nvshmem_team_t team, cudaStream_t stream);
void nvshmemx_quiet_on_stream(cudaStream_t stream);
void nvshmemx_barrier_all_on_stream(cudaStream_t stream);
void nvshmemx_sync_all_on_stream(cudaStream_t stream);
int nvshmemx_collective_launch(const void *kernel, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream);
int nvshmemx_collective_launch_query_gridsize(const void *kernel, dim3 block, void **args, size_t shared, int *gridsize);
#ifdef __cplusplus
}
#endif

#ifdef __CUDACC__
#include "nvshmem_ts/calls.h"
#include "nvshmem_ts/words.h"
#include "nvshmem_ts/transfers.h"
#include "nvshmem_ts/teams.h"
#include "nvshmem_ts/collectives.h"
#endif

#endif
