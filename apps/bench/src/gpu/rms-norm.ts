import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cuda, probe } from '@nccl-ts/backend-cuda';
import { allReduce, allReduceRMSNorm, rowExchangeRequirement } from '@nccl-ts/collectives';
import { World, type Communicator, type DevComm, type Graph, type Window } from '@nccl-ts/communicator';
import { decodeArray, medianOf, RedOp } from '@nccl-ts/core';
import { EPSILON, fusedRMSNorm, residualRMSNorm } from '../kernels/rms-norm-kernels.ts';
import { option } from '../option.ts';
import { provenance } from '../provenance.ts';
import { PeerContenders } from './peer-contenders.ts';
import { finish, phase, report } from './phases.ts';
import { expectedNorm, numbers, sharedSeeds, wrongInNorm, type RowsSize } from './rms-norm-reference.ts';
import { takeTurns } from './take-turns.ts';

/*
 * Measures AllReduce with residual addition and RMSNorm, bf16, in CUDA graphs of 20 calls on all
 * ranks: in one launch, and beside it by AllReduce and a kernel that normalises.
 *
 *     bash .gpu/run.sh rms-norm [--gpus 2] [--rounds 9] [--variants]
 *
 * `--variants` adds kernels of other shapes than the fused call chooses. Each element of one call
 * is compared with a reference. Lines of JSON; all in $OUT/rms-norm.json.
 * `--peer NAME[,NAME...]=COMMAND` adds contenders as `table` does. `peerRatios` are the times of
 * `fused` divided by theirs.
 */

const gpus = Number(option('--gpus', '2'));
const rounds = Number(option('--rounds', '9'));
const launching = { milliseconds: 20, launches: 200 } as const;
const CALLS = 20;
const SLOTS = 4;
const MOST_ROWS = 512;
const MOST_HIDDEN = 8192;
/** The number of elements in 16 bytes. */
const WIDTH = 8;
const rowCounts = [8, 16, 32, 64, 128, 256, 512];
const hiddens = [4096, 8192];

interface RmsNormBuffers {
  readonly send: Window<'bf16'>;
  readonly residual: Window<'bf16'>;
  readonly weight: Window<'bf16'>;
  readonly sum: Window<'bf16'>;
  readonly out: Window<'bf16'>;
  readonly residualOut: Window<'bf16'>;
  /** For own kernels, by `exchangeName`. */
  readonly exchanges: ReadonlyMap<string, DevComm>;
}

/** Starts call number `nth` on one rank. */
type Start = (comm: Communicator, buffers: RmsNormBuffers, size: RowsSize, nth: number) => Promise<void>;

interface NormContender {
  readonly name: string;
  readonly start: Start;
  /** True if the results are those of the whole operation. */
  readonly whole: boolean;
  /** False for rows that it cannot handle. @default all */
  readonly able?: (size: RowsSize) => boolean;
}

const ROOM_CTAS = 264;
const MOST_ROWS_AT_ONCE = 4;
/** The numbers of CTAs of a row. */
const partCounts = [1, 2, 4, 8];
const hasVariants = process.argv.includes('--variants');
const turnWords = (hidden: number, parts: number): number => (MOST_ROWS_AT_ONCE * hidden) / WIDTH / parts;
const exchangeName = (hidden: number, parts: number): string => `${hidden} ${parts}`;

const normal = new Map([1, 2, 4].map((words) => [words, residualRMSNorm(words)]));
const own = new Map<string, ReturnType<typeof fusedRMSNorm>>();

/** The slot of call `nth` in the buffers. Calls use the slots in turn. */
const slotOf = ({ rows, hidden }: RowsSize, nth: number): number => (nth % SLOTS) * rows * hidden;

/** The arguments that all of these kernels have. */
function rowsOf({ residual, weight, out, residualOut }: RmsNormBuffers, size: RowsSize, nth: number) {
  const at = slotOf(size, nth);
  return {
    residual: residual.symPtr().add(at),
    weight: weight.symPtr(),
    out: out.symPtr().add(at),
    residualOut: residualOut.symPtr().add(at),
    ...size,
  };
}

const fused: Start = async (comm, buffers, size, nth) => {
  const { send, weight } = buffers;
  await allReduceRMSNorm(comm, {
    ...rowsOf(buffers, size, nth),
    send: send.symPtr().add(slotOf(size, nth)),
    weight,
    epsilon: EPSILON,
  });
};

const sumOnly: Start = async (comm, { send, sum }, size, nth) => {
  const at = slotOf(size, nth);
  await allReduce(comm, send.symPtr().add(at), sum.symPtr().add(at), size.rows * size.hidden, RedOp.Sum);
};

const normOnly: Start = async (comm, buffers, size, nth) => {
  const { rows, hidden } = size;
  const words = hidden / WIDTH > 512 ? 2 : 1;
  const kernel = normal.get(words);
  if (kernel === undefined) throw new RangeError(`There is no kernel of ${words} words.`);
  const send = buffers.sum.symPtr().add(slotOf(size, nth));
  const shape = { grid: rows, block: hidden / WIDTH / words };
  await comm.launch(kernel, shape, { ...rowsOf(buffers, size, nth), send });
};

function ownKernel(words: number, parts: number, ctas: number): NormContender {
  const threadsOf = (hidden: number): number => hidden / WIDTH / words / parts;
  return {
    name: `own kernel, ${words} words a thread, ${parts} CTAs a row, ${ctas} CTAs`,
    whole: true,
    // There are enough registers for 512 threads with one word, and for 256 threads with several.
    able: ({ hidden }) => threadsOf(hidden) >= 32 && threadsOf(hidden) <= (words === 1 ? 512 : 256),
    start: async (comm, buffers, size, nth) => {
      const { send, exchanges } = buffers;
      const { rows, hidden } = size;
      const groups = Math.min(rows, ctas / parts);
      const rowsAtOnce = Math.min(MOST_ROWS_AT_ONCE, Math.ceil(rows / groups));
      const name = `${words} ${parts} ${rowsAtOnce}`;
      const kernel = own.get(name) ?? fusedRMSNorm({ words, ranks: gpus, shuffles: true, parts, rowsAtOnce });
      own.set(name, kernel);
      const devComm = exchanges.get(exchangeName(hidden, parts));
      const resource = devComm?.plan.resources[0];
      if (devComm === undefined || resource === undefined) throw new RangeError('No memory.');
      await comm.launch(
        kernel,
        { grid: groups * parts, block: threadsOf(hidden) },
        {
          comm: devComm,
          exchange: { words: resource.bufHandle, turnWords: turnWords(hidden, parts) },
          ...rowsOf(buffers, size, nth),
          send: send.symPtr().add(slotOf(size, nth)),
        },
      );
    },
  };
}

const contenders: readonly NormContender[] = [
  { name: 'fused', start: fused, whole: true },
  {
    name: 'unfused',
    start: async (...call) => {
      await sumOnly(...call);
      await normOnly(...call);
    },
    whole: true,
  },
  { name: 'allReduce alone', start: sumOnly, whole: false },
  { name: 'kernel alone', start: normOnly, whole: false },
  ...(hasVariants ? variants() : []),
];

function variants(): readonly NormContender[] {
  return [
    ownKernel(1, 1, 132),
    ownKernel(2, 1, 264),
    ownKernel(4, 1, 132),
    ...[2, 4, 8].map((parts) => ownKernel(1, parts, 264)),
    ownKernel(2, 2, 264),
    ownKernel(2, 4, 264),
  ];
}

const round = (us: number): number => Math.round(us * 100) / 100;

const peers = new PeerContenders(process.argv.slice(2), gpus);
const machine = await probe();
const cells: unknown[] = [];
await phase('rms-norm', async () => {
  await using world = await World.open({ backend: cuda({ devices: Array.from({ length: gpus }, (_, i) => i) }) });
  const most = MOST_ROWS * MOST_HIDDEN;
  const held = await world.run(async (comm): Promise<RmsNormBuffers> => {
    const of = async (slots: number): Promise<Window<'bf16'>> => comm.allocWindow('bf16', most * slots);
    const exchanges = new Map<string, DevComm>();
    for (const hidden of hiddens) {
      for (const parts of hasVariants ? partCounts : []) {
        const room = { ctas: ROOM_CTAS, turnWords: turnWords(hidden, parts) };
        const resourceRequirementsList = [rowExchangeRequirement(room, comm.lsaSize)];
        exchanges.set(exchangeName(hidden, parts), await comm.createDevComm({ resourceRequirementsList }));
      }
    }
    return {
      send: await of(SLOTS),
      residual: await of(SLOTS),
      weight: await comm.allocWindow('bf16', MOST_HIDDEN),
      sum: await of(SLOTS),
      out: await of(SLOTS),
      residualOut: await of(SLOTS),
      exchanges,
    };
  });
  const buffersOf = (rank: number): RmsNormBuffers => {
    const buffers = held[rank];
    if (buffers === undefined) throw new RangeError(`There is no rank ${rank}.`);
    return buffers;
  };
  await world.run(async (comm) => {
    const { send, residual, weight } = buffersOf(comm.rank);
    await send.write(numbers(comm.rank, most));
    await residual.write(numbers(sharedSeeds.residual, most));
    await weight.write(numbers(sharedSeeds.weight, MOST_HIDDEN));
  });
  const synchronize = async (): Promise<void> => {
    await Promise.all(world.localRanks.map(async (rank) => world.comm(rank).synchronize()));
  };
  for (const hidden of hiddens) {
    for (const rows of rowCounts) {
      const size = { rows, hidden };
      const [roundedOnce, roundedTwice] = [expectedNorm(size, gpus, true), expectedNorm(size, gpus, false)];
      const able = contenders.filter((contender) => contender.able?.(size) !== false);
      const wrong: Record<string, number> = {};
      const graphs = new Map<string, { readonly graph: Graph; launches: number }>();
      for (const { name, start, whole } of able) {
        const found = await world.run(async (comm) => {
          const buffers = buffersOf(comm.rank);
          await start(comm, buffers, size, 0);
          await comm.synchronize();
          if (!whole || comm.rank !== gpus - 1) return 0;
          const of = async (window: Window<'bf16'>): Promise<Float32Array> =>
            decodeArray('bf16', await window.read(new Uint8Array(2 * rows * hidden)));
          const [sums, out] = [await of(buffers.residualOut), await of(buffers.out)];
          return wrongInNorm(name === 'unfused' ? roundedTwice : roundedOnce, { sums, out });
        });
        if (whole) wrong[name] = found.reduce((total, each) => total + each, 0);
        const graph = await world.capture(async (comm) => {
          for (let nth = 0; nth < CALLS; nth++) await start(comm, buffersOf(comm.rank), size, nth);
        });
        graphs.set(name, { graph, launches: 1 });
      }
      const timed = async (graph: Graph, launches: number): Promise<number> => {
        await synchronize();
        const began = performance.now();
        for (let launch = 0; launch < launches; launch++) await graph.launch();
        await synchronize();
        return performance.now() - began;
      };
      for (const each of graphs.values()) {
        await timed(each.graph, 2);
        const once = (await timed(each.graph, 4)) / 4;
        each.launches = Math.max(1, Math.min(launching.launches, Math.ceil(launching.milliseconds / once)));
      }
      const bytes = 2 * rows * hidden;
      const requested = { program: 'rms_norm', type: 'bfloat16', bytes, ...size, room: SLOTS * bytes, calls: CALLS };
      const { times, errors } = await takeTurns([...graphs.keys(), ...peers.names], rounds, async (name, nth) => {
        const found = graphs.get(name);
        if (found === undefined) {
          const check = nth === 0 || nth === rounds - 1;
          const answer = await peers.request({ contender: name, ...requested, ...launching, check });
          if (answer.wrong !== undefined) wrong[name] = answer.wrong + (wrong[name] ?? 0);
          return answer;
        }
        // The first launch after another process had its turn does not count, for peers neither.
        await timed(found.graph, 1);
        return { us: (1000 * (await timed(found.graph, found.launches))) / found.launches / CALLS };
      });
      for (const { graph } of graphs.values()) await graph.close();
      const us = Object.fromEntries(Object.entries(times).map(([name, all]) => [name, round(medianOf(all))]));
      const spread = Object.fromEntries(
        Object.entries(times).map(([name, all]) => [name, [round(Math.min(...all)), round(Math.max(...all))]]),
      );
      const fusedTo = (name: string): number => round((us['fused'] ?? Number.NaN) / (us[name] ?? Number.NaN));
      const ratio = fusedTo('unfused');
      const measuredPeers = peers.names.filter((name) => us[name] !== undefined);
      const peerRatios = Object.fromEntries(measuredPeers.map((name) => [name, fusedTo(name)]));
      report({ rows, hidden, us, ratio, peerRatios, wrong, errors });
      cells.push({ rows, hidden, us, spread, ratio, peerRatios, wrong, errors });
    }
  }
  peers.end();
});
writeFileSync(
  join(process.env['OUT'] ?? '.', 'rms-norm.json'),
  JSON.stringify({ ...provenance(), gpus, rounds, calls: CALLS, machine, cells }, undefined, 1),
);
finish();
