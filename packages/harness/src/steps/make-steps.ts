import { expectInteger, showValue } from '@nccl-ts/core';
import { callLocation, definitionSite } from '@nccl-ts/kernel';
import { isArrayLike } from '../compound-types.ts';
import { MOST_STREAMS } from '../harness.ts';
import { expectSimulated } from '../harness-kernel.ts';
import { isAllocation } from '../memory/allocation.ts';
import { invalid } from '../memory/memory-type.ts';
import type { Pointer } from '../memory/pointer.ts';
import type { RankSetup } from '../rank-setup.ts';
import { isPointer } from '../scalar-types.ts';
import type { EventStep, MemcpyStep, MemsetStep, WaitWordStep, WordCondition, WriteWordStep } from '../step.ts';

/**
 * The functions of a setup that make steps. `kernels` are the names that `launch` knows;
 * `undefined` for a harness of one kernel, which launches by `args`.
 */
export function stepMakers(
  rank: number,
  kernels: readonly string[] | undefined,
): Pick<
  RankSetup<string>,
  'launch' | 'memcpy' | 'memset' | 'synchronize' | 'writeWord' | 'waitWord' | 'record' | 'waitEvent' | 'hostBarrier'
> {
  const what = `setup of rank ${rank}`;
  return {
    launch(kernel, args, options = {}) {
      if (kernels === undefined) {
        throw invalid(
          `${what}: cannot launch ${showValue(kernel)} because the harness describes one kernel, which is launched with args; write kernels: { ... } for steps.`,
        );
      }
      if (!kernels.includes(kernel)) {
        throw invalid(
          `${what}: cannot launch ${showValue(kernel)} because the harness has no kernel of that name; it has ${kernels.join(', ')}.`,
        );
      }
      const at = `${what}: launch of ${kernel}`;
      if (!isArrayLike(args)) {
        throw invalid(
          `${at}: args must be an array, with one argument for each parameter of the entry; given ${showValue(args)}.`,
        );
      }
      if (options.grid !== undefined) expectSimulated(options.grid, at);
      return { kind: 'launch', kernel, args, ...options, stream: streamOf(options.stream, at) };
    },
    memcpy: function memcpy(to, from, bytes, { stream } = {}): MemcpyStep {
      const at = `${what}: memcpy`;
      const source = placeOf(from, `${at}: from`);
      const target = placeOf(to, `${at}: to`);
      const length = lengthOf(bytes, source, at);
      expectInside(source, length, `${at}: from`);
      expectInside(target, length, `${at}: to`);
      return {
        kind: 'memcpy',
        to: target,
        from: source,
        bytes: length,
        stream: streamOf(stream, at),
        ...locationOf(memcpy),
      };
    },
    memset: function memset(to, value, bytes, { stream } = {}): MemsetStep {
      const at = `${what}: memset`;
      const target = placeOf(to, `${at}: to`);
      expectInteger(`${at}: value`, value, 0, 255);
      const length = lengthOf(bytes, target, at);
      expectInside(target, length, `${at}: to`);
      return {
        kind: 'memset',
        to: target,
        value,
        bytes: length,
        stream: streamOf(stream, at),
        ...locationOf(memset),
      };
    },
    synchronize: (stream) => ({
      kind: 'synchronize',
      ...(stream === undefined ? {} : { stream: streamOf(stream, `${what}: synchronize`) }),
    }),
    writeWord: function writeWord(to, value, { stream, bytes = 4 } = {}): WriteWordStep {
      const at = `${what}: writeWord`;
      const target = wordPlaceOf(to, bytes, `${at}: to`);
      const word = wordOf(value, bytes, at);
      const common = { bytes, stream: streamOf(stream, at), ...locationOf(writeWord) };
      return { kind: 'writeWord', to: target, value: word, ...common };
    },
    waitWord: function waitWord(from, value, { stream, bytes = 4, condition = 'geq' } = {}): WaitWordStep {
      const at = `${what}: waitWord`;
      const source = wordPlaceOf(from, bytes, `${at}: from`);
      const word = wordOf(value, bytes, at);
      if (!conditions.includes(condition)) {
        throw invalid(`${at}: the condition must be one of ${conditions.join(', ')}; given ${showValue(condition)}.`);
      }
      const common = { bytes, stream: streamOf(stream, at), ...locationOf(waitWord) };
      return { kind: 'waitWord', from: source, value: word, condition, ...common };
    },
    record: (event, { stream } = {}) => eventStep('record', event, stream, what),
    waitEvent: (event, { stream } = {}) => eventStep('waitEvent', event, stream, what),
    hostBarrier: () => ({ kind: 'barrier' }),
  };
}

const conditions: readonly string[] = ['geq', 'eq', 'and', 'nor'] satisfies readonly WordCondition[];

/** Each event is a word of memory. */
const MOST_EVENTS = 1024;

function eventStep(kind: EventStep['kind'], event: number, stream: number | undefined, what: string): EventStep {
  const at = `${what}: ${kind}`;
  return { kind, event: expectInteger(`${at}: event`, event, 0, MOST_EVENTS - 1), stream: streamOf(stream, at) };
}

function wordPlaceOf(address: unknown, bytes: number, what: string): Pointer {
  if (bytes !== 4 && bytes !== 8) throw invalid(`${what}: a word has 4 or 8 bytes; given ${showValue(bytes)}.`);
  const place = placeOf(address, what);
  expectInside(place, bytes, what);
  if (place.offset % bytes === 0) return place;
  throw invalid(
    `${what} must be a multiple of ${bytes} bytes; given byte ${place.offset} of ${place.allocation.name}.`,
  );
}

function wordOf(value: unknown, bytes: 4 | 8, what: string): bigint {
  const isWhole = typeof value === 'bigint' || (typeof value === 'number' && Number.isSafeInteger(value));
  const word = isWhole ? BigInt(value) : undefined;
  const bits = 8n * BigInt(bytes);
  if (word !== undefined && word >= -(2n ** (bits - 1n)) && word < 2n ** bits) return word;
  throw invalid(`${what}: the value must be a whole number of ${bytes} bytes; given ${showValue(value)}.`);
}

function streamOf(stream: number | undefined, what: string): number {
  return stream === undefined ? 0 : expectInteger(`${what}: stream`, stream, 0, MOST_STREAMS - 1);
}

function placeOf(address: unknown, what: string): Pointer {
  const place = isAllocation(address) ? address.own : address;
  if (!isPointer(place)) {
    throw invalid(
      `${what} must be an allocation, or an address from peer(allocation, rank); given ${showValue(address)}.`,
    );
  }
  if (place.rank === 'multicast') {
    throw invalid(`${what} cannot be a multicast address because copies have one target; write a copy for each peer.`);
  }
  return place;
}

function lengthOf(bytes: number | undefined, { allocation, offset }: Pointer, what: string): number {
  return bytes === undefined ? allocation.bytes - offset : expectInteger(`${what}: bytes`, bytes, 1);
}

function expectInside({ allocation, offset }: Pointer, bytes: number, what: string): void {
  if (offset + bytes <= allocation.bytes) return;
  throw invalid(
    `${what}: cannot use ${bytes} bytes from byte ${offset} of ${allocation.name} because it has ${allocation.bytes}; pass a smaller number of bytes.`,
  );
}

function locationOf(caller: { readonly name: string }): { readonly location?: string } {
  const location = callLocation(definitionSite(caller))?.replace(/^file:\/\//, '');
  return location === undefined ? {} : { location };
}
