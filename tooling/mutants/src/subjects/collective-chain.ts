import { collectiveShapes, redOpCreatePreMulSum, type CollectiveName } from '@nccl-ts/collectives';
import { World, type Window } from '@nccl-ts/communicator';
import { RedOp } from '@nccl-ts/core';
import type { Subject } from '../subject.ts';
import { collectiveModels } from './collective-model.ts';
import { makeCall, type Way } from './make-call.ts';
import { resized, type LaunchSize } from './resized.ts';
import { stir, stirred } from './stir.ts';

/** Calls of one collective that follow each other without a host between them. */
export interface Chain extends LaunchSize {
  readonly collective: CollectiveName;
  readonly algorithm: Way;
  readonly count: number;
  readonly calls: number;
  /** Every rank's elements are multiplied by a scalar of its own, another one in each call. */
  readonly scaled?: boolean;
}

/** One call of a chain. */
interface Link {
  readonly root: number;
  readonly inPlace: boolean;
  readonly number: number;
}

function linksOf({ collective, algorithm, calls }: Chain, ranks: number): readonly Link[] {
  const isApart = algorithm === 'oneShot' || collective === 'allToAll';
  return Array.from({ length: calls }, (_, number) => ({
    root: collectiveShapes[collective].rooted ? number % ranks : 0,
    // Each twice in a row: what one call read is overwritten before the next one, with nothing but the first call's end between.
    inPlace: !isApart && number % 4 >= 2,
    number,
  }));
}

/** Where a call's buffers begin: in the window that has what the last call left, or in the one that was made of it. */
interface Placement {
  readonly send: { readonly in: 'left' | 'made'; readonly at: number };
  readonly recv: { readonly in: 'left' | 'made'; readonly at: number };
}

/** In place, a rank that is not the root has its part in the other window. */
function placementOf({ collective, count }: Chain, { root, inPlace }: Link, rank: number): Placement {
  const shape = collectiveShapes[collective];
  const left = { in: 'left', at: 0 } as const;
  if (!inPlace) return { send: { in: 'made', at: 0 }, recv: left };
  const hasBoth = !shape.rooted || rank === root;
  const part = hasBoth ? ({ in: 'left', at: rank * count } as const) : ({ in: 'made', at: 0 } as const);
  return { send: shape.recv === 'each' ? part : left, recv: shape.send === 'each' ? part : left };
}

/** Elements of a window: whole lines of 16 bytes. */
function sizeOf({ collective, count }: Chain, ranks: number): number {
  const { send, recv } = collectiveShapes[collective];
  const used = send === 'each' || recv === 'each' ? ranks * count : count;
  return Math.ceil(used / 4) * 4;
}

function scaleOf(rank: number, { number }: Link): number {
  return ((rank + number) % 3) + 1;
}

/** Before each call, and after the last one, a kernel makes new elements of what the last one left; in place, there. */
export function runChain(chain: Chain): Subject['run'] {
  return async (backend, pause) => {
    await using world = await World.open({ backend: resized(backend, chain) });
    const links = linksOf(chain, world.nRanks);
    const size = sizeOf(chain, world.nRanks);
    const got = await world.run(async (comm) => {
      const windows = { left: await comm.allocWindow('f32', size), made: await comm.allocWindow('f32', size) };
      await windows.left.write(firstOf(comm.rank, size));
      const make = async (to: Window): Promise<void> =>
        comm.launch(stir, { grid: 1, block: 32 }, { to, from: windows.left, quads: size / 4, rank: comm.rank });
      for (const link of links) {
        await pause();
        await make(link.inPlace ? windows.left : windows.made);
        const { send, recv } = placementOf(chain, link, comm.rank);
        await makeCall(comm, {
          ...chain,
          send: windows[send.in].symPtr(4 * send.at),
          recv: windows[recv.in].symPtr(4 * recv.at),
          op: chain.scaled === true ? redOpCreatePreMulSum(scaleOf(comm.rank, link)) : RedOp.Sum,
          root: link.root,
        });
      }
      await make(windows.made);
      return [...(await windows.left.read()), ...(await windows.made.read())];
    });
    const expected = modelled(chain, links, world.nRanks, size);
    return got.every((elements, rank) => elements.every((value, i) => value === expected[rank]?.[i]));
  };
}

function firstOf(rank: number, size: number): Float32Array {
  return Float32Array.from({ length: size }, (_, i) => (rank * 50 + i) % 251);
}

/** What all ranks have in the end. */
function modelled(chain: Chain, links: readonly Link[], ranks: number, size: number): readonly (readonly number[])[] {
  const left = Array.from({ length: ranks }, (_, rank) => firstOf(rank, size));
  const made = Array.from({ length: ranks }, () => new Float32Array(size));
  const all = { left, made };
  const make = (to: readonly Float32Array[]): void =>
    left.forEach((from, rank) => to[rank]?.set(from.map((value, i) => stirred(value, rank, i))));
  for (const link of links) {
    make(link.inPlace ? left : made);
    const places = left.map((_, rank) => placementOf(chain, link, rank));
    const of = (side: 'send' | 'recv'): Float32Array[] =>
      places.map((place, rank) => all[place[side].in][rank]?.subarray(place[side].at) ?? new Float32Array());
    const send = of('send').map((one) => one.slice());
    const scales = left.map((_, rank) => (chain.scaled === true ? scaleOf(rank, link) : 1));
    collectiveModels[chain.collective](send, of('recv'), { count: chain.count, root: link.root, scales });
  }
  make(made);
  return left.map((elements, rank) => [...elements, ...(made[rank] ?? [])]);
}
