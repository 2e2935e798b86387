/**
 * The result of an NCCL call, or of a timed wait in a kernel. The integers are NCCL's.
 *
 * @see ncclResult_t
 */
export const ResultCode: {
  readonly Success: 0;
  readonly UnhandledCudaError: 1;
  readonly SystemError: 2;
  readonly InternalError: 3;
  readonly InvalidArgument: 4;
  readonly InvalidUsage: 5;
  readonly RemoteError: 6;
  readonly InProgress: 7;
  readonly Timeout: 8;
} = Object.freeze({
  Success: 0,
  UnhandledCudaError: 1,
  SystemError: 2,
  InternalError: 3,
  InvalidArgument: 4,
  InvalidUsage: 5,
  RemoteError: 6,
  InProgress: 7,
  Timeout: 8,
});

export type ResultName = keyof typeof ResultCode;
export type ResultCode = (typeof ResultCode)[ResultName];

export interface ResultInfo {
  /** NCCL's name without its prefix. */
  readonly name: ResultName;
  /** A description in one sentence. */
  readonly description: string;
}

/** The name and description of every result code. */
export const resultInfo: Readonly<Record<ResultCode, ResultInfo>> = Object.freeze({
  0: { name: 'Success', description: 'The call succeeded.' },
  1: { name: 'UnhandledCudaError', description: 'A call to CUDA failed.' },
  2: { name: 'SystemError', description: 'A call to the operating system failed.' },
  3: { name: 'InternalError', description: 'The library broke one of its own rules, which is a defect in it.' },
  4: { name: 'InvalidArgument', description: 'An argument has a value that is not allowed.' },
  5: { name: 'InvalidUsage', description: 'The call is not allowed in this state or on this machine.' },
  6: { name: 'RemoteError', description: 'Another rank failed or cannot be reached.' },
  7: { name: 'InProgress', description: 'The work was accepted and is not complete yet.' },
  8: { name: 'Timeout', description: 'A wait reached its time limit before its condition held.' },
});

/** True if `value` is one of NCCL's integers. */
export function isResultCode(value: unknown): value is ResultCode {
  return typeof value === 'number' && Object.hasOwn(resultInfo, value);
}

/** The name of a result code, such as `InvalidArgument`. */
export function resultName(code: ResultCode): ResultName {
  return resultInfo[code].name;
}

/**
 * Describes a result code in one sentence. The text is ours and may change.
 *
 * @see ncclGetErrorString
 */
export function resultDescription(code: ResultCode): string {
  return resultInfo[code].description;
}
