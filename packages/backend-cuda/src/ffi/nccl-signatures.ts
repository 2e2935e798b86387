import type { NativeType } from './koffi.ts';

const comm = 'uint64_t';
const address = 'uint64_t';
const stream = 'uint64_t';
const window = 'uint64_t';
const out = 'void *';
const size = 'size_t';
const int = 'int';

/** `ncclUniqueId`, which goes by value. */
export const uniqueIdType = 'ncclUniqueId' as const;

/** What is declared with the struct `ncclUniqueId`, apart from types that have a name everywhere. */
export type NcclType = NativeType | typeof uniqueIdType;

/** What is called of the library. */
export type NcclFunction =
  | 'ncclGetVersion'
  | 'ncclGetUniqueId'
  | 'ncclCommInitRank'
  | 'ncclCommInitRankConfig'
  | 'ncclCommInitAll'
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
  | 'ncclAllReduce';

/** The functions of NCCL that are called, with their parameters; each gives an `ncclResult_t`. */
export const ncclSignatures: Readonly<Record<NcclFunction, readonly NcclType[]>> = {
  ncclGetVersion: [out],
  ncclGetUniqueId: [out],
  ncclCommInitRank: [out, int, uniqueIdType, int],
  ncclCommInitRankConfig: [out, int, uniqueIdType, int, out],
  ncclCommInitAll: [out, int, out],
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
};

/** Integers of `nccl.h` that are passed. */
export const NCCL_FLOAT32: number = 7;
export const NCCL_SUM: number = 0;
