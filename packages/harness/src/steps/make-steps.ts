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
import type { MemcpyStep, MemsetStep } from '../step.ts';

/**
 * The functions of a setup that make steps. `kernels` are the names that `launch` knows;
 * `undefined` for a harness of one kernel, which launches by `args`.
 */
export function stepMakers(
  rank: number,
  kernels: readonly string[] | undefined,
): Pick<RankSetup<string>, 'launch' | 'memcpy' | 'memset' | 'synchronize'> {
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
  };
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
