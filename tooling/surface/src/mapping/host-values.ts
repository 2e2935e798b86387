import { leftOut, mapped, of, type SurfaceEntry } from '../entry.ts';

/** nccl.h: its constants, results, types of data and reductions. */
export const hostValues: readonly SurfaceEntry[] = [
  ...mapped({
    NCCL_MAJOR: 'core:NCCL_VERSION.major',
    NCCL_MINOR: 'core:NCCL_VERSION.minor',
    NCCL_PATCH: 'core:NCCL_VERSION.patch',
    NCCL_VERSION_CODE: 'core:NCCL_VERSION.code',
    NCCL_VERSION: 'core:ncclVersionCode',
    NCCL_WIN_DEFAULT: 'window:WindowFlags.Default',
    NCCL_WIN_COLL_SYMMETRIC: 'window:WindowFlags.CollSymmetric',
    NCCL_WIN_STRICT_ORDERING: 'window:WindowFlags.StrictOrdering',
    NCCL_WIN_GIN_ONLY: 'window:WindowFlags.GinOnly',
    NCCL_WIN_CFT_COUNTED: 'window:WindowFlags.CftCounted',
    NCCL_WIN_REQUIRED_ALIGNMENT: 'window:WIN_ALIGNMENT',
  }),
  ...mapped({
    ncclResult_t: 'core:ResultCode',
    ncclSuccess: 'core:ResultCode.Success',
    ncclUnhandledCudaError: 'core:ResultCode.UnhandledCudaError',
    ncclSystemError: 'core:ResultCode.SystemError',
    ncclInternalError: 'core:ResultCode.InternalError',
    ncclInvalidArgument: 'core:ResultCode.InvalidArgument',
    ncclInvalidUsage: 'core:ResultCode.InvalidUsage',
    ncclRemoteError: 'core:ResultCode.RemoteError',
    ncclInProgress: 'core:ResultCode.InProgress',
    ncclTimeout: 'core:ResultCode.Timeout',
  }),
  ...mapped({
    ncclDataType_t: 'core:DataType',
    ncclInt8: 'core:DataType.Int8',
    ncclChar: 'core:DataType.Int8',
    ncclUint8: 'core:DataType.Uint8',
    ncclInt32: 'core:DataType.Int32',
    ncclInt: 'core:DataType.Int32',
    ncclUint32: 'core:DataType.Uint32',
    ncclInt64: 'core:DataType.Int64',
    ncclUint64: 'core:DataType.Uint64',
    ncclFloat16: 'core:DataType.Float16',
    ncclHalf: 'core:DataType.Float16',
    ncclFloat32: 'core:DataType.Float32',
    ncclFloat: 'core:DataType.Float32',
    ncclFloat64: 'core:DataType.Float64',
    ncclDouble: 'core:DataType.Float64',
    ncclBfloat16: 'core:DataType.Bfloat16',
    ncclFloat8e4m3: 'core:DataType.Float8e4m3',
    ncclFloat8e5m2: 'core:DataType.Float8e5m2',
  }),
  ...mapped({
    ncclRedOp_t: 'core:RedOp',
    ncclSum: 'core:RedOp.Sum',
    ncclProd: 'core:RedOp.Prod',
    ncclMax: 'core:RedOp.Max',
    ncclMin: 'core:RedOp.Min',
    ncclAvg: 'core:RedOp.Avg',
  }),
  ...leftOut('hostLibrary', 'ncclScalarResidence_t ncclScalarDevice ncclScalarHostImmediate'),
  ...leftOut(
    'cLanguage',
    `NCCL_COMM_NULL NCCL_CONFIG_UNDEF_INT NCCL_CONFIG_UNDEF_PTR NCCL_UNDEF_FLOAT NCCL_API_MAGIC
     NCCL_CONFIG_INITIALIZER NCCL_SIM_INFO_INITIALIZER NCCL_COLLCONFIG_INITIALIZER
     NCCL_ENCRYPTION_CONFIG_INITIALIZER ${of('ncclCollConfig_v23200', 'size magic version')}
     ${of('ncclEncryptionConfig_v23200', 'size magic version')}
     ncclNumResults ncclNumTypes ncclNumOps ncclMaxRedOp ncclRedOp_dummy_t ncclNumOps_dummy
     ${of('ncclConfig_v23100', 'size magic version')} ${of('ncclSimInfo_v22200', 'size magic version')}`,
  ),
  ...leftOut('inside', 'NCCL_SUFFIX'),
];
