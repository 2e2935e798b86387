import { messageOf } from '@nccl-ts/backend-webgpu/devices';
import { errorCodes, isNcclError, NcclError, type ErrorCode } from '@nccl-ts/core';

/** The part of an error that is sent. */
export interface SerializedError {
  /** Absent if it is not an error of nccl-ts. */
  readonly code: ErrorCode | undefined;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
  /** The lines that kernels had printed. */
  readonly printed: readonly string[];
  readonly cause: string | undefined;
}

/** An error that another worker or tab has sent. */
class RemoteError extends NcclError {
  /**
   * The lines that kernels had printed and no `synchronize` has reported. No later call reports
   * them.
   */
  readonly printed: readonly string[];

  constructor(code: ErrorCode, { message, details, printed, cause }: SerializedError) {
    super(code, message, { details, ...(cause === undefined ? {} : { cause: new Error(cause) }) });
    this.printed = printed;
  }
}

export function serializeError(error: unknown): SerializedError {
  if (!isNcclError(error)) {
    return { code: undefined, message: messageOf(error), details: {}, printed: [], cause: undefined };
  }
  const printed: unknown = Reflect.get(error, 'printed');
  return {
    code: error.code,
    message: error.message,
    details: sendable(error.details),
    printed: Array.isArray(printed) ? printed.map(String) : [],
    cause: error.cause === undefined ? undefined : messageOf(error.cause),
  };
}

export function deserializeError(error: SerializedError): NcclError {
  const code = error.code !== undefined && Object.hasOwn(errorCodes, error.code) ? error.code : 'NCCL_INTERNAL_ERROR';
  return new RemoteError(code, error);
}

/** Details may hold any values of a program. */
function sendable(details: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  try {
    return structuredClone(details);
  } catch {
    return {};
  }
}
