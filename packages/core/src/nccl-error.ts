import { errorCodes } from './error-code.ts';
import type { ErrorCode } from './error-code.ts';
import type { ResultCode } from './result-code.ts';

// A registered symbol, so that several copies of this package in one process recognise each other's
// errors.
const brand: unique symbol = Symbol.for('@nccl-ts/core/NcclError');

export interface NcclErrorOptions {
  /**
   * Details for programs: the request, the given value, the allowed values. They are copied and
   * frozen.
   */
  readonly details?: Readonly<Record<string, unknown>>;
  /** The error that caused this one. */
  readonly cause?: unknown;
}

/**
 * The error that every host call throws.
 *
 * `code` and `result` are stable; `message` is for people and may change. Catch it with
 * `isNcclError`, which also recognises errors of another copy of this package. `instanceof` does
 * not.
 */
export class NcclError extends Error {
  override readonly name: string = 'NcclError';
  readonly code: ErrorCode;
  /** NCCL's result code. `undefined` for codes that begin with `NCCLTS_`. */
  readonly result: ResultCode | undefined;
  readonly details: Readonly<Record<string, unknown>>;

  /** @param message names the request, the given value and the allowed values. */
  constructor(code: ErrorCode, message: string, options: NcclErrorOptions = {}) {
    super(message, Object.hasOwn(options, 'cause') ? { cause: options.cause } : undefined);
    this.code = code;
    this.result = errorCodes[code].result;
    this.details = Object.freeze({ ...options.details });
    // Without a prototype, so that properties that other code adds to all objects are not part of
    // it.
    const descriptor: PropertyDescriptor = { value: true };
    Object.setPrototypeOf(descriptor, null);
    Object.defineProperty(this, brand, descriptor);
  }
}

/**
 * True if `value` is an `NcclError` of this or another copy of the package. With `code`, it must
 * also have that code.
 */
export function isNcclError(value: unknown, code?: ErrorCode): value is NcclError {
  if (typeof value !== 'object' || value === null || !(brand in value) || value[brand] !== true) return false;
  return code === undefined || ('code' in value && value.code === code);
}
