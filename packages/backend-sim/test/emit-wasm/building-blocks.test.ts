import { World } from '@nccl-ts/communicator';
import { scalarInfo } from '@nccl-ts/core';
import { devComm, symPtr, type DevCommArg, type SymPtrArg } from '@nccl-ts/devcomm';
import { bf16, e4m3, f16, f32, f64, i32, kernel, u32, u8, type Kernel, type ScalarParam } from '@nccl-ts/kernel';
import { reduceCopy } from '@nccl-ts/reduce-copy';
import * as fc from 'fast-check';
import { describe, expect, inject, it } from 'vitest';

import { simWith } from '../../src/world/sim-backend.ts';
import { resolveSimOptions } from '../../src/world/sim-options.ts';

/** The quick tests have one of 4. */
const isNow = (_: unknown, i: number): boolean => (i % 4 === 1) !== inject('slow');

type Element = 'f32' | 'f64' | 'bf16' | 'f16' | 'e4m3' | 'i32' | 'u8';
const types: Readonly<Record<Element, ScalarParam<Element, unknown>>> = { f32, f64, bf16, f16, e4m3, i32, u8 };

type Block = 'reduce' | 'reduceCopy' | 'copy' | 'strided' | 'largest';

type BlockKernel = Kernel<{
  readonly comm: DevCommArg;
  readonly src: SymPtrArg;
  readonly dst: SymPtrArg;
  readonly count: number;
}>;

function kernelOf(block: Block, type: ScalarParam<Element, unknown>): BlockKernel {
  const params = { comm: devComm, src: symPtr(type), dst: symPtr(type), count: u32 };
  const use = { reduceCopy };
  switch (block) {
    case 'reduce':
      return kernel({ name: block, use, params }, ({ reduceCopy, coopCta }, { comm, src, dst, count }) => {
        reduceCopy.lsaReduceSum(coopCta(), src, dst.localPtr(), count, comm);
      });
    case 'reduceCopy':
      return kernel({ name: block, use, params }, ({ reduceCopy, coopCta }, { comm, src, dst, count }) => {
        const from = (i: number) => src.lsaPtr(i);
        const to = (i: number) => dst.lsaPtr(i);
        reduceCopy.lsaReduceSumLsaCopy(coopCta(), src.T, from, comm.lsaSize, to, comm.lsaSize, count);
      });
    case 'copy':
      return kernel({ name: block, use, params }, ({ reduceCopy, coopCta }, { comm, src, dst, count }) => {
        reduceCopy.lsaCopy(coopCta(), src.localPtr(), dst, count, comm);
      });
    case 'strided':
      return kernel({ name: block, use, params }, ({ reduceCopy, coopCta, u64 }, { src, dst, count }) => {
        reduceCopy.localReduceSumCopy(coopCta(), 2, src.localPtr(), count, 2, dst.localPtr(), count, u64(count));
      });
    case 'largest':
      return kernel({ name: block, use, params }, ({ reduceCopy, coopCta, max }, { comm, src, dst, count }) => {
        const from = (i: number) => src.lsaPtr(i);
        const to = (i: number) => dst.lsaPtr(i);
        reduceCopy.lsaReduceLsaCopy(coopCta(), src.T, from, comm.lsaSize, to, 1, (a, b) => max(a, b), count);
      });
  }
}

const kernels = new Map<string, BlockKernel>();

function cached(block: Block, element: Element): BlockKernel {
  const key = `${block} ${element}`;
  const known = kernels.get(key) ?? kernelOf(block, types[element]);
  kernels.set(key, known);
  return known;
}

interface Call {
  readonly block: Block;
  readonly element: Element;
  /** The offset of elements in the two windows. */
  readonly from: number;
  readonly to: number;
  readonly count: number;
  readonly threads: number;
  readonly inPlace: boolean;
  readonly caller: number;
  readonly seed: number;
}

/** More than one call of WebAssembly handles of a row, and more than 4096 times 16 bytes. */
const bytes = 150_000;

/**
 * Returns random bytes, but only numbers for f32 and f64, because the sum of two NaNs may be
 * either.
 */
function bytesOf(element: Element, seed: number): Uint8Array<ArrayBuffer> {
  let state = seed | 1;
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return state >>> 16;
  };
  if (element === 'f32') return new Uint8Array(Float32Array.from({ length: bytes / 4 }, () => next() / 77).buffer);
  if (element === 'f64') return new Uint8Array(Float64Array.from({ length: bytes / 8 }, () => next() / 77).buffer);
  return new Uint8Array(bytes).map(next);
}

interface Outcome {
  readonly fault: string | undefined;
  readonly memory: readonly Uint8Array[];
}

/**
 * Runs calls in a world with one engine. One rank makes the call, and the result is the content of
 * all windows.
 */
async function callsIn(world: World): Promise<(call: Call) => Promise<Outcome>> {
  const held = await world.run(async (comm) => ({
    comm,
    a: await comm.allocWindow('u8', bytes),
    b: await comm.allocWindow('u8', bytes),
    device: await comm.createDevComm(),
  }));
  return async ({ block, element, from, to, count, threads, inPlace, caller, seed }) => {
    const size = scalarInfo[element].bytes;
    const type = types[element];
    const faults: string[] = [];
    await Promise.all(held.map(async ({ a }, rank) => a.write(bytesOf(element, seed + 17 * rank))));
    await Promise.all(held.map(async ({ b }, rank) => b.write(bytesOf(element, seed + 1000 + rank))));
    await world.run(async ({ rank }) => {
      const own = held[rank];
      if (rank !== caller || own === undefined) return;
      const { comm, a, b, device } = own;
      const [src, dst] = [a.symPtr(from * size, type), (inPlace ? a : b).symPtr(to * size, type)];
      await comm.launch(cached(block, element), { grid: 1, block: threads }, { comm: device, src, dst, count });
      await comm.synchronize().catch((error: unknown) => faults.push(String(error)));
    });
    const memory = await Promise.all(
      held.flatMap(({ a, b }) => [a, b].map(async (win) => win.read(new Uint8Array(bytes)))),
    );
    return { fault: faults[0], memory };
  };
}

const calls = (ranks: number): fc.Arbitrary<Call> =>
  fc.record({
    block: fc.constantFrom<Block>('reduce', 'reduceCopy', 'copy', 'strided', 'largest'),
    element: fc.constantFrom<Element>('f32', 'f64', 'bf16', 'f16', 'e4m3', 'i32', 'u8'),
    from: fc.nat(40),
    to: fc.oneof(fc.constant(0), fc.nat(40)),
    count: fc.oneof(fc.nat(300), fc.nat(9000), fc.nat(40_000)),
    threads: fc.constantFrom(1, 32, 96),
    inPlace: fc.boolean(),
    caller: fc.nat(ranks - 1),
    seed: fc.nat(1_000_000),
  });

/** Starts both windows at the same offset in half of the cases. */
const aligned = (call: Call): Call => (call.seed % 2 === 0 ? { ...call, to: call.from } : call);

/** With NCCLTS_EVERY_CASE set, all of these calls; otherwise a sixth of them. */
const parts = inject('everyCase') ? 1 : 6;

describe('building blocks in WebAssembly leave the same bytes as in JavaScript', () => {
  it.each(
    (
      [
        [1, 'all', 20],
        [2, 'worthwhile', 40],
        [3, 'all', 60],
        [8, 'worthwhile', 25],
      ] as const
    ).filter(isNow),
  )('among %d ranks, compiled: %s', { timeout: 240_000 }, async (ranks, compiles, numRuns) => {
    const open = async (engine: 'js' | 'wasm'): Promise<World> =>
      World.open({ backend: simWith(resolveSimOptions({ ranks, engine }), undefined, { compiles, native: false }) });
    await using js = await open('js');
    await using wasm = await open('wasm');
    const [inJs, inWasm] = [await callsIn(js), await callsIn(wasm)];
    const property = fc.asyncProperty(calls(ranks).map(aligned), async (call) => {
      const [expected, found] = [await inJs(call), await inWasm(call)];
      expect(found.fault).toEqual(expected.fault);
      const differs = found.memory.map((own, i) => Buffer.compare(own, expected.memory[i] ?? own));
      expect(differs).toEqual(differs.map(() => 0));
    });
    await fc.assert(property, { seed: 20261122, numRuns: Math.ceil(numRuns / parts) });
  });
});
