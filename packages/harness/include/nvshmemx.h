// NVSHMEM's extensions stand in nvshmem.h.
#ifndef NCCL_TS_NVSHMEMX_H
#define NCCL_TS_NVSHMEMX_H

#include "nvshmem.h"

#endif
