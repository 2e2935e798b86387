import { at as itemAt, NcclError } from '@nccl-ts/core';
import { writeScalar, elementScalar, valueBytes, type ScalarValue, type ValueType } from '@nccl-ts/ir';
import type { KernelArg } from '@nccl-ts/transport';
import { devCommHeadWords, devCommLayout, header, headerWords, windowHead } from '../emit-wgsl/launch-record.ts';
import { foreign } from '../errors.ts';
import type { WebgpuAddressSpace } from '../memory/address-space.ts';
import { WebgpuDevComm } from '../memory/webgpu-dev-comm.ts';
import { WebgpuWindow, type WindowValue } from '../memory/webgpu-window.ts';
import type { RecordParam } from '../wgsl-source.ts';
import type { WebgpuLaunch } from './launch.ts';

/** The positions of a launch's own words in the device's buffers, as indices. */
export interface LaunchWordOffsets {
  readonly counters: number;
  readonly threads: number;
  readonly arrays: number;
  readonly status: number;
  /** The addresses at which the caller's buffers begin. */
  readonly segments: readonly number[];
}

/** The launch record, which the invocations of a launch read. */
export function launchWords(
  launch: WebgpuLaunch,
  params: readonly RecordParam[],
  recordWords: number,
  offsets: LaunchWordOffsets,
  space: WebgpuAddressSpace,
): Uint32Array<ArrayBuffer> {
  const words = new Uint32Array(recordWords);
  const { grid, ctas, rank } = launch;
  words[header.ctas] = ctas;
  words[header.gridX] = grid.x;
  words[header.gridY] = grid.y;
  words[header.gridZ] = grid.z;
  words[header.counters] = offsets.counters;
  words[header.threads] = offsets.threads;
  words[header.arrays] = offsets.arrays;
  words[header.status] = offsets.status;
  words[header.rank] = rank;
  words.set(offsets.segments, headerWords);
  const view = new DataView(words.buffer);
  params.forEach((param, i) => {
    const arg = launch.args[i];
    if (arg === undefined) throw new NcclError('NCCL_INTERNAL_ERROR', `A launch lacks argument ${i}.`);
    writeArgument(arg, param, rank, words, view, space);
  });
  return words;
}

function writeArgument(
  arg: KernelArg,
  { type, at }: RecordParam,
  rank: number,
  words: Uint32Array,
  view: DataView,
  space: WebgpuAddressSpace,
): void {
  switch (arg.kind) {
    case 'scalar':
      writeValue(view, at, valueType(type), [arg.value]);
      return;
    case 'vector':
      writeValue(view, at, valueType(type), arg.values);
      return;
    case 'pointer': {
      const { address, region } = space.pointerOf(rank, arg.address);
      words[at] = address;
      words[at + 1] = itemAt(space.regions.low, region);
      words[at + 2] = itemAt(space.regions.high, region);
      return;
    }
    case 'window':
      if (!(arg.window instanceof WebgpuWindow)) throw foreign('window');
      writeWindow(arg.window.valueAt(rank), words, at);
      return;
    case 'devComm': {
      if (!(arg.devComm instanceof WebgpuDevComm)) throw foreign('device communicator');
      const { fields, windows } = arg.devComm.valueAt(rank);
      const values: Readonly<Record<string, number>> = fields;
      for (const [name, { at: offset, kind }] of devCommLayout) {
        const value = values[name];
        if (value === undefined)
          throw new NcclError('NCCL_INTERNAL_ERROR', `A device communicator has no field ${name}.`);
        words[at + offset] = value;
        if (kind === 'addr') words[at + offset + 1] = Math.floor(value / 2 ** 32);
      }
      writeWindow(windows.resourceWindow, words, at + devCommHeadWords);
    }
  }
}

function valueType(type: RecordParam['type']): ValueType {
  if (type.kind === 'scalar' || type.kind === 'vector') return type;
  throw new NcclError('NCCL_INTERNAL_ERROR', 'A parameter that takes no value got one.');
}

/** Every value begins at a word; scalars below four bytes have their bits in its low end. */
function writeValue(view: DataView, at: number, type: ValueType, values: readonly ScalarValue[]): void {
  const kind = elementScalar(type);
  const size = valueBytes(type) / values.length;
  values.forEach((value, i) => writeScalar(view, at * 4 + i * size, kind, value));
}

function writeWindow(window: WindowValue, words: Uint32Array, at: number): void {
  const { fields, bases } = window;
  words[at + windowHead.lsaRank] = fields.lsaRank;
  words[at + windowHead.worldRank] = fields.worldRank;
  bases.forEach((base, peer) => {
    words[at + windowHead.bounds + 2 * peer] = base;
    words[at + windowHead.bounds + 2 * peer + 1] = base + fields.bytes;
  });
}
