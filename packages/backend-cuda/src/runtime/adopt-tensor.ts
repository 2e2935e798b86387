import { at, NcclError } from '@nccl-ts/core';
import type { DeviceTensor } from '@nccl-ts/transport';
import { cuMemoryType, cuPointerAttribute, cuResult } from '../ffi/cu-constants.ts';
import type { CudaDevice } from './cuda-device.ts';

/** The alignment of a window's start in NCCL. */
const ALIGN = 4096;

/** A caller's memory: its start, and its number of bytes. */
export interface TensorBytes {
  readonly address: number;
  readonly bytes: number;
}

/**
 * Tests if kernels on `device` can use a caller's memory as it is. Only `registerWindow` shows if
 * NCCL can make it symmetric.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if it is not a contiguous tensor in memory that the
 *   driver knows, or is larger than that memory; `NCCL_INVALID_USAGE` if it is on another device,
 *   or begins at an address where windows cannot begin.
 */
export function adoptTensor(device: CudaDevice, foreign: object): TensorBytes {
  if (!isTensor(foreign)) {
    throw invalid('a DeviceTensor is needed: { data: bigint, device: { type: "cuda", id }, dtype, shape }', foreign);
  }
  const { shape, strides, dtype } = foreign;
  const bits = dtype.bits * (dtype.lanes ?? 1);
  if (![...shape, bits].every((n) => Number.isSafeInteger(n) && n >= 0) || bits % 8 !== 0 || bits === 0) {
    throw invalid(`shape [${shape.join(', ')}] of ${bits} bits each is not a whole number of bytes`, foreign);
  }
  if (strides !== undefined && !isContiguous(shape, strides)) {
    throw invalid(
      `strides [${strides.join(', ')}] leave gaps in shape [${shape.join(', ')}]; kernels need all of it`,
      foreign,
    );
  }
  const bytes = shape.reduce((product, n) => product * n, bits / 8);
  const address = Number(foreign.data) + (foreign.byteOffset ?? 0);
  checkDevice(device, foreign, address, bytes);
  return { address, bytes };
}

function checkDevice(device: CudaDevice, tensor: DeviceTensor, address: number, bytes: number): void {
  const where = `0x${address.toString(16)}`;
  if (!Number.isSafeInteger(address) || bytes < 1)
    throw invalid(`${bytes} bytes at ${where} are not a memory range`, tensor);
  const range = rangeOf(device, address);
  if (range === undefined) throw invalid(`the driver knows no device memory at ${where}`, tensor);
  if (range.ordinal !== device.ordinal || tensor.device.id !== range.ordinal) {
    const said = tensor.device.id === range.ordinal ? '' : `, but the tensor names device ${tensor.device.id}`;
    throw usage(
      `the memory at ${where} is of device ${range.ordinal}${said}; rank ${device.rank} has ${device.ordinal}`,
    );
  }
  if (address + bytes > range.end) {
    throw invalid(`${bytes} bytes at ${where} are more than the ${range.end - address} bytes allocated there`, tensor);
  }
  if (address % ALIGN !== 0) throw usage(`${where} is not a multiple of ${ALIGN}, where windows begin`);
}

/** Returns the driver's allocation at that address, and its device. */
function rangeOf(device: CudaDevice, address: number): { readonly ordinal: number; readonly end: number } | undefined {
  const { driver } = device;
  device.makeCurrent();
  const out = new BigUint64Array(1);
  const attribute = (name: keyof typeof cuPointerAttribute): number | undefined => {
    out[0] = 0n;
    const result = driver.call('cuPointerGetAttribute', out, cuPointerAttribute[name], address);
    if (result === cuResult.success) return Number(out[0]);
    if (result === cuResult.invalidValue) return undefined;
    throw driver.failure('cuPointerGetAttribute', result);
  };
  if (attribute('memoryType') !== cuMemoryType.device) return undefined;
  const [ordinal, start, size] = [attribute('deviceOrdinal'), attribute('rangeStart'), attribute('rangeSize')];
  return ordinal === undefined || start === undefined || size === undefined
    ? undefined
    : { ordinal, end: start + size };
}

function isTensor(value: object): value is DeviceTensor {
  const { data, device, dtype, shape, strides, byteOffset }: Partial<DeviceTensor> = value;
  return (
    typeof data === 'bigint' &&
    (byteOffset === undefined || Number.isSafeInteger(byteOffset)) &&
    device?.type === 'cuda' &&
    typeof dtype?.bits === 'number' &&
    Array.isArray(shape) &&
    (strides === undefined || (Array.isArray(strides) && strides.length === shape.length))
  );
}

/** True if the elements are contiguous, with the last dimension innermost. */
function isContiguous(shape: readonly number[], strides: readonly number[]): boolean {
  let expected = 1;
  for (let i = shape.length - 1; i >= 0; i--) {
    const n = at(shape, i);
    if (n !== 1 && strides[i] !== expected) return false;
    expected *= n;
  }
  return true;
}

function invalid(what: string, given: object): NcclError {
  return new NcclError('NCCL_INVALID_ARGUMENT', `adoptMemory: ${what}.`, { details: { given } });
}

function usage(what: string): NcclError {
  return new NcclError('NCCL_INVALID_USAGE', `adoptMemory: ${what}.`);
}
