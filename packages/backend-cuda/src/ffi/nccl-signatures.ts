import type { NativeType } from './koffi.ts';

const comm = 'uint64_t';
const address = 'uint64_t';
const stream = 'uint64_t';
const window = 'uint64_t';
const out = 'void *';
const size = 'size_t';
const int = 'int';

/** `ncclUniqueId`, which is passed by value. */
export const uniqueIdType = 'ncclUniqueId' as const;

/**
 * The types that are declared together with the struct `ncclUniqueId`, in addition to the common
 * ones.
 */
export type NcclType = NativeType | typeof uniqueIdType;

/** The functions that are called. */
export type NcclFunction =
  | 'ncclGetVersion'
  | 'ncclGetUniqueId'
  | 'ncclCommInitRank'
  | 'ncclCommInitRankConfig'
  | 'ncclCommInitAll'
  | 'ncclCommSplit'
  | 'ncclCommFinalize'
  | 'ncclCommDestroy'
  | 'ncclCommAbort'
  | 'ncclCommCount'
  | 'ncclCommCuDevice'
  | 'ncclCommUserRank'
  | 'ncclCommGetAsyncError'
  | 'ncclCommQueryProperties'
  | 'ncclMemAlloc'
  | 'ncclMemFree'
  | 'ncclCommWindowRegister'
  | 'ncclCommWindowDeregister'
  | 'ncclDevCommCreate'
  | 'ncclDevCommDestroy'
  | 'ncclGroupStart'
  | 'ncclGroupEnd'
  | 'ncclAllReduce'
  | 'ncclBroadcast'
  | 'ncclReduce'
  | 'ncclAllGather'
  | 'ncclReduceScatter'
  | 'ncclAlltoAll'
  | 'ncclGather'
  | 'ncclScatter';

/** NCCL's functions that are called, with their parameters. Each returns an `ncclResult_t`. */
export const ncclSignatures: Readonly<Record<NcclFunction, readonly NcclType[]>> = {
  ncclGetVersion: [out],
  ncclGetUniqueId: [out],
  ncclCommInitRank: [out, int, uniqueIdType, int],
  ncclCommInitRankConfig: [out, int, uniqueIdType, int, out],
  ncclCommInitAll: [out, int, out],
  ncclCommSplit: [comm, int, int, out, address],
  ncclCommFinalize: [comm],
  ncclCommDestroy: [comm],
  ncclCommAbort: [comm],
  ncclCommCount: [comm, out],
  ncclCommCuDevice: [comm, out],
  ncclCommUserRank: [comm, out],
  ncclCommGetAsyncError: [comm, out],
  ncclCommQueryProperties: [comm, out],
  ncclMemAlloc: [out, size],
  ncclMemFree: [address],
  ncclCommWindowRegister: [comm, address, size, out, int],
  ncclCommWindowDeregister: [comm, window],
  ncclDevCommCreate: [comm, address, address],
  ncclDevCommDestroy: [comm, address],
  ncclGroupStart: [],
  ncclGroupEnd: [],
  ncclAllReduce: [address, address, size, int, int, comm, stream],
  ncclBroadcast: [address, address, size, int, int, comm, stream],
  ncclReduce: [address, address, size, int, int, int, comm, stream],
  ncclAllGather: [address, address, size, int, comm, stream],
  ncclReduceScatter: [address, address, size, int, int, comm, stream],
  ncclAlltoAll: [address, address, size, int, comm, stream],
  ncclGather: [address, address, size, int, int, comm, stream],
  ncclScatter: [address, address, size, int, int, comm, stream],
};
