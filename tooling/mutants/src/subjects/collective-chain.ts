import { collectiveShapes, group, redOpCreatePreMulSum, type CollectiveName } from '@nccl-ts/collectives';
import { World, type Window } from '@nccl-ts/communicator';
import { RedOp } from '@nccl-ts/core';
import type { Subject } from '../subject.ts';
import { modelCollective } from './collective-model.ts';
import { makeCall, type CollectiveMethod } from './make-call.ts';
import { resized, type LaunchSize } from './resized.ts';
import { stir, stirred } from './stir.ts';

/** Consecutive calls of one collective, or groups of such calls, without host code between them. */
export interface Chain extends LaunchSize {
  readonly collective: CollectiveName;
  readonly algorithm: CollectiveMethod;
  readonly count: number;
  readonly calls: number;
  /**
   * Each call is a group of this many collectives, with separate roots and scalars, next to each
   * other in the same windows. By default it is one call.
   */
  readonly together?: number;
  /** Every rank's elements are multiplied by a scalar that differs between ranks and calls. */
  readonly scaled?: boolean;
}

/** A call. */
interface ChainCall {
  readonly root: number;
  readonly inPlace: boolean;
  /** The number of the call in its group. */
  readonly nth: number;
  /** The number of the call in its chain. */
  readonly number: number;
}

/** A call of a chain, or the calls of a group. */
interface Link {
  readonly inPlace: boolean;
  readonly members: readonly ChainCall[];
}

function linksOf({ collective, algorithm, calls, together = 1 }: Chain, ranks: number): readonly Link[] {
  const isApart = algorithm === 'oneShot' || collective === 'allToAll';
  const { rooted } = collectiveShapes[collective];
  return Array.from({ length: calls }, (_, i) => {
    // Each call is made twice in a row. The second overwrites data that the first has read, with
    // only the first call's end in between.
    const inPlace = !isApart && i % 4 >= 2;
    const members = Array.from({ length: together }, (_member, nth): ChainCall => {
      const number = i * together + nth;
      return { root: rooted ? number % ranks : 0, inPlace, nth, number };
    });
    return { inPlace, members };
  });
}

/**
 * The start of a call's buffers, in the window with the last call's results or in the one derived
 * from it.
 */
interface BufferOffsets {
  readonly send: { readonly in: 'left' | 'made'; readonly at: number };
  readonly recv: { readonly in: 'left' | 'made'; readonly at: number };
}

/** In place, a rank that is not the root has its part in the other window. */
function placementOf({ collective, count }: Chain, { root, inPlace }: ChainCall, rank: number): BufferOffsets {
  const shape = collectiveShapes[collective];
  const left = { in: 'left', at: 0 } as const;
  if (!inPlace) return { send: { in: 'made', at: 0 }, recv: left };
  const hasBoth = !shape.rooted || rank === root;
  const part = hasBoth ? ({ in: 'left', at: rank * count } as const) : ({ in: 'made', at: 0 } as const);
  return { send: shape.recv === 'each' ? part : left, recv: shape.send === 'each' ? part : left };
}

/** The number of elements of a window for each call of a group, in whole 16-byte lines. */
function sizeOf({ collective, count }: Chain, ranks: number): number {
  const { send, recv } = collectiveShapes[collective];
  const used = send === 'each' || recv === 'each' ? ranks * count : count;
  return Math.ceil(used / 4) * 4;
}

function scaleOf(rank: number, { number }: ChainCall): number {
  return ((rank + number) % 3) + 1;
}

/**
 * Before each call, and after the last one, a kernel computes new elements from the last results.
 * In place, it overwrites them.
 */
export function runChain(chain: Chain): Subject['run'] {
  return async (backend, pause) => {
    await using world = await World.open({ backend: resized(backend, chain) });
    const links = linksOf(chain, world.nRanks);
    const each = sizeOf(chain, world.nRanks);
    const size = each * (chain.together ?? 1);
    const got = await world.run(async (comm) => {
      const windows = { left: await comm.allocWindow('f32', size), made: await comm.allocWindow('f32', size) };
      await windows.left.write(firstOf(comm.rank, size));
      const make = async (to: Window): Promise<void> =>
        comm.launch(stir, { grid: 1, block: 32 }, { to, from: windows.left, quads: size / 4, rank: comm.rank });
      const call = async (member: ChainCall): Promise<void> => {
        const { send, recv } = placementOf(chain, member, comm.rank);
        const begin = each * member.nth;
        await makeCall(comm, {
          ...chain,
          send: windows[send.in].symPtr(4 * (begin + send.at)),
          recv: windows[recv.in].symPtr(4 * (begin + recv.at)),
          op: chain.scaled === true ? redOpCreatePreMulSum(scaleOf(comm.rank, member)) : RedOp.Sum,
          root: member.root,
        });
      };
      for (const { inPlace, members } of links) {
        await pause();
        await make(inPlace ? windows.left : windows.made);
        const callAll = async (): Promise<void> => {
          for (const member of members) await call(member);
        };
        await (members.length === 1 ? callAll() : group(comm, callAll));
      }
      await make(windows.made);
      return [...(await windows.left.read()), ...(await windows.made.read())];
    });
    const expected = modelled(chain, links, world.nRanks, each);
    return got.every((elements, rank) => elements.every((value, i) => value === expected[rank]?.[i]));
  };
}

function firstOf(rank: number, size: number): Float32Array {
  return Float32Array.from({ length: size }, (_, i) => (rank * 50 + i) % 251);
}

/** The final contents on all ranks. */
function modelled(chain: Chain, links: readonly Link[], ranks: number, each: number): readonly (readonly number[])[] {
  const size = each * (chain.together ?? 1);
  const left = Array.from({ length: ranks }, (_, rank) => firstOf(rank, size));
  const made = Array.from({ length: ranks }, () => new Float32Array(size));
  const all = { left, made };
  const make = (to: readonly Float32Array[]): void =>
    left.forEach((from, rank) => to[rank]?.set(from.map((value, i) => stirred(value, rank, i))));
  const call = (member: ChainCall): void => {
    const places = left.map((_, rank) => placementOf(chain, member, rank));
    const begin = each * member.nth;
    const of = (side: 'send' | 'recv'): Float32Array[] =>
      places.map((place, rank) => all[place[side].in][rank]?.subarray(begin + place[side].at) ?? new Float32Array());
    const send = of('send').map((one) => one.slice());
    const scales = left.map((_, rank) => (chain.scaled === true ? scaleOf(rank, member) : 1));
    modelCollective(chain.collective, send, of('recv'), { count: chain.count, root: member.root, scales });
  };
  for (const { inPlace, members } of links) {
    make(inPlace ? left : made);
    members.forEach(call);
  }
  make(made);
  return left.map((elements, rank) => [...elements, ...(made[rank] ?? [])]);
}
