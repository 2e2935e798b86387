// NCCL's device API as nccl-ts knows it, for kernels that are to be checked and never linked. Each operation is a function that is only
// declared: nccl-ts gives it its meaning. Nothing here is NVIDIA's; the names and the meanings are those of NCCL's documented API.
#ifndef NCCL_TS_NCCL_DEVICE_H
#define NCCL_TS_NCCL_DEVICE_H

#include "nccl.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __CUDACC__
#include "nccl_ts/calls.h"
#include "nccl_ts/coop.h"
#include "nccl_ts/teams.h"
#include "nccl_ts/pointers.h"
#include "nccl_ts/gin.h"
#include "nccl_ts/barriers.h"
#include "nccl_ts/ll_a2a.h"
#include "nccl_ts/reduce_copy.h"
#endif

#endif
