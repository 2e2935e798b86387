import {
  collective,
  collectiveShapes,
  group,
  redOpCreatePreMulSum,
  type BufferPointer,
  type ReduceOp,
} from '@nccl-ts/collectives';
import type { Communicator, Window, World } from '@nccl-ts/communicator';
import { at, RedOp, scalarInfo } from '@nccl-ts/core';
import type { Element } from '../cases/fixture/reduce-reference.ts';
import type { CollectiveCase, CollectiveElement } from './collective-case.ts';
import { expected, inputs, scaleOf, type Wanted } from './collective-reference.ts';
import type { ReductionText } from './reduction-text.ts';

/** The number of elements after the last one that a case uses. They must not change. */
const GUARD = 5;
/** The contents of elements that were not written. */
const UNTOUCHED = 3;
/** Each run has different data, so that a later run reveals leftovers of an earlier one. */
const RUNS = 2;

/** The number of calls of a case that form a group. */
const GROUPED = 3;

/** Runs a case on a world with its number of ranks. Returns the problem, or `undefined`. */
export async function runCollectiveCase(world: World, of: CollectiveCase): Promise<string | undefined> {
  return runCalls(world, [callOf(of, 0)], async (_comm, calls) => calls());
}

/**
 * The same for several calls in a group. Each has its own buffers, data and root, and one element
 * less than the previous call.
 */
export async function runGroupedCollectiveCase(world: World, of: CollectiveCase): Promise<string | undefined> {
  const calls = Array.from({ length: GROUPED }, (_, nth) => callOf({ ...of, count: Math.max(of.count - nth, 0) }, nth));
  return runCalls(world, calls, async (comm, all) => group(comm, all));
}

/** A call, on all ranks. */
interface CaseCall {
  readonly of: CollectiveCase;
  readonly root: number;
  /** The input of each rank. */
  readonly sent: readonly (readonly Element[])[];
  /** The expected contents of `recv` of each rank. `undefined` if it does not change. */
  readonly wanted: readonly (readonly Wanted[] | undefined)[];
}

function callOf(of: CollectiveCase, nth: number): CaseCall {
  const { collective, element, op, ranks } = of;
  const root = collectiveShapes[collective].rooted ? (ranks - 1 + nth) % ranks : 0;
  const sent = Array.from({ length: ranks }, (_, rank) => inputs(element, op, rank + nth * ranks, sendCount(of)));
  return { of, root, sent, wanted: expected(of, sent, root) };
}

/** The result of a call on a rank. */
interface CallOutcome {
  /** The problem in the results of the last run. */
  readonly problem: string | undefined;
  /** The bytes after each run. */
  readonly left: readonly Uint8Array[];
}

/** Makes `calls` through `enqueue` repeatedly. */
async function runCalls(
  world: World,
  calls: readonly CaseCall[],
  enqueue: (comm: Communicator, all: () => Promise<void>) => Promise<void>,
): Promise<string | undefined> {
  const ranks = await world.run(async (comm) => {
    const placedCalls: PlacedCall[] = [];
    for (const { of, root, sent, wanted } of calls) {
      const mine = { sent: at(sent, comm.rank), wanted: wanted[comm.rank] };
      placedCalls.push({ ...(await placed(comm, of, root)), ...mine, of, root, left: [] });
    }
    try {
      for (let run = 0; run < RUNS; run++) {
        for (const { fill, sent } of placedCalls) await fill(sent);
        await enqueue(comm, async () => {
          for (const one of placedCalls) await call(comm, one);
        });
        for (const { recv, left } of placedCalls) left.push(await recv.window.read(new Uint8Array(recv.window.bytes)));
      }
      const outcomes: CallOutcome[] = [];
      for (const one of placedCalls) {
        outcomes.push({ problem: compare([...(await one.recv.window.read())], one), left: one.left });
      }
      return outcomes;
    } finally {
      for (const { windows } of placedCalls) for (const window of windows) await window.close();
    }
  });
  for (const [nth, { of }] of calls.entries()) {
    const problem = problemOf(
      of,
      ranks.flatMap((outcomes) => outcomes[nth] ?? []),
    );
    if (problem !== undefined) return calls.length === 1 ? problem : `call ${nth}: ${problem}`;
  }
  return undefined;
}

function problemOf({ collective }: CollectiveCase, ranks: readonly CallOutcome[]): string | undefined {
  const wrong = ranks.findIndex(({ problem }) => problem !== undefined);
  if (wrong >= 0) return `rank ${wrong}: ${ranks[wrong]?.problem}`;
  const unsteady = ranks.findIndex(({ left: [first, second] }) => !same(first, second));
  if (unsteady >= 0) return `rank ${unsteady} got different bits in the second run`;
  if (collective !== 'allReduce') return undefined;
  const other = ranks.findIndex(({ left }) => !same(left[0], ranks[0]?.left[0]));
  return other >= 0 ? `rank ${other} got other bits than rank 0` : undefined;
}

function sendCount({ collective, count, ranks }: CollectiveCase): number {
  return collectiveShapes[collective].send === 'each' ? count * ranks : count;
}

function recvCount({ collective, count, ranks }: CollectiveCase): number {
  return collectiveShapes[collective].recv === 'each' ? count * ranks : count;
}

interface CaseBuffers {
  readonly send: BufferPointer;
  readonly recv: BufferPointer;
  readonly windows: readonly Window[];
  /** True if all other bytes still have their initial values. */
  readonly isSeparate: boolean;
  readonly fill: (values: readonly Element[]) => Promise<void>;
}

/** The operation of a rank for a call. */
interface PlacedCall extends CaseBuffers, Pick<CaseCall, 'of' | 'root'> {
  readonly sent: readonly Element[];
  readonly wanted: readonly Wanted[] | undefined;
  readonly left: Uint8Array[];
}

async function placed(comm: Communicator, of: CollectiveCase, root: number): Promise<CaseBuffers> {
  return of.inPlace ? placedTogether(comm, of, root) : separateBuffers(comm, of);
}

async function separateBuffers(comm: Communicator, of: CollectiveCase): Promise<CaseBuffers> {
  const { element, offset } = of;
  const size = scalarInfo[element].bytes;
  // The two are aligned differently.
  const before = offset === 0 ? 0 : offset + 3;
  const received = before + recvCount(of) + GUARD;
  const from = await comm.allocWindow(element, offset + sendCount(of) + GUARD);
  const to = await comm.allocWindow(element, received);
  return {
    send: from.symPtr(offset * size),
    recv: to.symPtr(before * size),
    windows: [to, from],
    isSeparate: true,
    fill: async (values) => {
      await from.write(hostData(values), offset * size);
      await to.write(hostData(Array.from({ length: received }, () => untouched(element))));
    },
  };
}

/**
 * One window for both. If a rank other than the root has only one of them, it passes another memory
 * for the other.
 */
async function placedTogether(comm: Communicator, of: CollectiveCase, root: number): Promise<CaseBuffers> {
  const { element, offset, collective, count } = of;
  const size = scalarInfo[element].bytes;
  const window = await comm.allocWindow(element, offset + Math.max(sendCount(of), recvCount(of)) + GUARD);
  const aside = await comm.allocWindow(element, count + GUARD);
  const whole = window.symPtr(offset * size);
  const { rooted, ...parts } = collectiveShapes[collective];
  const isRoot = !rooted || comm.rank === root;
  const part = (): BufferPointer => (isRoot ? window.symPtr((offset + comm.rank * count) * size) : aside.symPtr());
  const send = parts.recv === 'each' ? part() : whole;
  return {
    send,
    recv: parts.send === 'each' ? part() : whole,
    windows: [aside, window],
    isSeparate: false,
    fill: async (values) => send.window.write(hostData(values), send.offset),
  };
}

async function call(comm: Communicator, { of, root, send, recv }: PlacedCall): Promise<void> {
  const { collective: name, count, op, algorithm } = of;
  const operator = op === 'preMulSum' ? redOpCreatePreMulSum(scaleOf(comm.rank)) : operators[op];
  await collective(comm, name, { send, recv, count, op: operator, root, options: { algorithm } });
}

const operators: Readonly<Record<Exclude<ReductionText, 'preMulSum'>, ReduceOp>> = Object.freeze({
  none: RedOp.Sum,
  sum: RedOp.Sum,
  prod: RedOp.Prod,
  min: RedOp.Min,
  max: RedOp.Max,
  avg: RedOp.Avg,
});

function hostData(values: readonly Element[]): number[] | bigint[] {
  return typeof values[0] === 'bigint' ? values.map(BigInt) : values.map(Number);
}

function untouched(element: CollectiveElement): Element {
  return element === 'i64' || element === 'u64' ? BigInt(UNTOUCHED) : UNTOUCHED;
}

function compare(
  values: readonly Element[],
  { recv, isSeparate: apart, wanted, of: { element } }: PlacedCall,
): string | undefined {
  const first = recv.offset / scalarInfo[element].bytes;
  const end = first + (wanted?.length ?? 0);
  for (const [i, value] of values.entries()) {
    const inside = i >= first && i < end;
    if (!inside && !apart) continue;
    const { value: want, within } = (inside ? wanted?.[i - first] : undefined) ?? {
      value: untouched(element),
      within: 0,
    };
    const away = typeof value === 'bigint' ? Number(value - BigInt(want)) : value - Number(want);
    if (Math.abs(away) <= within) continue;
    const where = inside ? `element ${i - first}` : `${i - first} elements from the first one, which is not received,`;
    return `${where} is ${value}, not ${want}${within === 0 ? '' : ` give or take ${within}`}`;
  }
  return undefined;
}

function same(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  return a !== undefined && b !== undefined && a.length === b.length && a.every((byte, i) => byte === b[i]);
}
