// NVSHMEM as nccl-ts knows it, for kernels that are to be checked and never linked. Nothing here is NVIDIA's; the names and the meanings are
// those of NVSHMEM's documented API. The host's functions are declared alone, since nothing of the host is run.
#ifndef NCCL_TS_NVSHMEM_H
#define NCCL_TS_NVSHMEM_H

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
#define NVSHMEMX_SUCCESS 0

#ifdef __cplusplus
extern "C" {
#endif
void nvshmem_init(void);
void nvshmem_finalize(void);
void *nvshmem_malloc(size_t bytes);
void *nvshmem_calloc(size_t count, size_t bytes);
void *nvshmem_align(size_t alignment, size_t bytes);
void nvshmem_free(void *pointer);
int nvshmem_team_my_pe(nvshmem_team_t team);
int nvshmem_team_n_pes(nvshmem_team_t team);
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
#endif

#endif
