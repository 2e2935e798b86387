import { setPointer } from './native-memory.ts';

/** The layout of `CUlaunchConfig` on 64-bit systems. */
export const launchConfigLayout: Readonly<
  Record<
    | 'bytes'
    | 'gridDimX'
    | 'gridDimY'
    | 'gridDimZ'
    | 'blockDimX'
    | 'blockDimY'
    | 'blockDimZ'
    | 'sharedMemBytes'
    | 'hStream'
    | 'attrs'
    | 'numAttrs',
    number
  >
> = {
  bytes: 56,
  gridDimX: 0,
  gridDimY: 4,
  gridDimZ: 8,
  blockDimX: 12,
  blockDimY: 16,
  blockDimZ: 20,
  sharedMemBytes: 24,
  hStream: 32,
  attrs: 40,
  numAttrs: 48,
};

/** `CUlaunchAttribute`: an id, and a 64-byte value. */
export const launchAttributeLayout: Readonly<Record<'bytes' | 'id' | 'value' | 'valueBytes', number>> = {
  bytes: 72,
  id: 0,
  value: 8,
  valueBytes: 64,
};

/** A launch attribute: its id, and the 32-bit words with which its value begins. */
export interface LaunchAttribute {
  readonly id: number;
  readonly words: readonly number[];
}

/** Writes attribute number `index` of an array that starts at `offset`. */
export function writeLaunchAttribute(view: DataView, offset: number, index: number, attribute: LaunchAttribute): void {
  const at = offset + index * launchAttributeLayout.bytes;
  for (let byte = 0; byte < launchAttributeLayout.bytes; byte += 4) view.setUint32(at + byte, 0, true);
  view.setUint32(at + launchAttributeLayout.id, attribute.id, true);
  attribute.words.forEach((word, i) => view.setUint32(at + launchAttributeLayout.value + 4 * i, word, true));
}

/**
 * Returns a single value in the form that `cuStreamSetAttribute` expects. A map of domains is two
 * bytes: default and remote.
 */
export function domainMapWord(map: { readonly default: number; readonly remote: number }): number {
  return map.default | (map.remote << 8);
}

export interface LaunchConfigStruct {
  readonly grid: { readonly x: number; readonly y: number; readonly z: number };
  readonly block: { readonly x: number; readonly y: number; readonly z: number };
  readonly sharedBytes: number;
  readonly stream: number;
  /** The address of the attributes; 0 for none. */
  readonly attrs: number;
  readonly numAttrs: number;
}

/** Writes a `CUlaunchConfig` at `offset`. */
export function writeLaunchConfig(view: DataView, offset: number, shape: LaunchConfigStruct): void {
  const l = launchConfigLayout;
  view.setUint32(offset + l.gridDimX, shape.grid.x, true);
  view.setUint32(offset + l.gridDimY, shape.grid.y, true);
  view.setUint32(offset + l.gridDimZ, shape.grid.z, true);
  view.setUint32(offset + l.blockDimX, shape.block.x, true);
  view.setUint32(offset + l.blockDimY, shape.block.y, true);
  view.setUint32(offset + l.blockDimZ, shape.block.z, true);
  view.setUint32(offset + l.sharedMemBytes, shape.sharedBytes, true);
  setPointer(view, offset + l.hStream, shape.stream);
  setPointer(view, offset + l.attrs, shape.attrs);
  view.setUint32(offset + l.numAttrs, shape.numAttrs, true);
}
