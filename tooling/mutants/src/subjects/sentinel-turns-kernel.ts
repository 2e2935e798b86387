import { devComm, window, type DevComm, type Window } from '@nccl-ts/devcomm';
import { allReduceTurn, allToAllTurn } from '@nccl-ts/examples/programs';
import { deviceFn, kernel, u32, type DeviceFn } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';

/**
 * One turn of a CTA, with a rank's data for this round: `part` lines for each rank, of which the
 * CTA has some.
 */
type SentinelTurn = DeviceFn<
  (
    comm: DevComm,
    given: Window,
    round: number,
    send: Window,
    recv: Window,
    clear: Window,
    part: number,
    first: number,
    end: number,
  ) => void
>;

/**
 * Copies the CTA's lines, from line `part` to line `fromLine`, of one buffer whose parts have
 * `toLine` lines each. It starts with the last lines, so that threads copy lines that other threads
 * have polled and will clear.
 */
const copyLines = deviceFn(
  { name: 'copyLines', use: { lsa } },
  (
    { lsa, threadIdx, blockDim, vec, u32 },
    comm: DevComm,
    from: Window,
    fromLine: number,
    to: Window,
    toLine: number,
    part: number,
    first: number,
    end: number,
  ) => {
    const line = vec(u32, 4);
    const mine = end - first;
    const total = u32(comm.lsaSize) * mine;
    const source = lsa.localPointer(from, line, 0).offset(fromLine);
    const target = lsa.localPointer(to, line, 0).offset(toLine);
    for (let i = threadIdx.x; i < total; i += blockDim.x) {
      const last = total - 1 - i;
      const at = (last / mine) * part + first + (last % mine);
      target[at] = source[at]!;
    }
  },
);

/** The pushed data is computed between the rounds. */
const allToAll: SentinelTurn = deviceFn(
  { name: 'allToAll', use: { allToAllTurn, copyLines } },
  ({ allToAllTurn, copyLines, u32 }, comm, given, round, send, recv, clear, part, first, end) => {
    copyLines(comm, given, round * part * u32(comm.lsaSize), send, u32(0), part, first, end);
    allToAllTurn(comm, send, recv, clear, part, first, end);
  },
);

const allReduce: SentinelTurn = deviceFn(
  { name: 'allReduce', use: { allReduceTurn } },
  ({ allReduceTurn, u32 }, comm, given, round, _send, recv, clear, part, first, end) => {
    allReduceTurn(comm, given, round * part * u32(comm.lsaSize), recv, clear, part, first, end);
  },
);

/**
 * Three turns for every three rounds. The received data is stored after each turn, so only the
 * turns synchronize the ranks.
 */
function turnsOf(name: string, turn: SentinelTurn) {
  const turnAndKeep = deviceFn(
    { name: 'turnAndKeep', use: { turn, copyLines } },
    (
      { turn, copyLines, u32 },
      comm: DevComm,
      given: Window,
      round: number,
      send: Window,
      recv: Window,
      clear: Window,
      kept: Window,
      part: number,
      first: number,
      end: number,
    ) => {
      turn(comm, given, round, send, recv, clear, part, first, end);
      copyLines(comm, recv, u32(0), kept, round * part * u32(comm.lsaSize), part, first, end);
    },
  );
  return kernel(
    {
      name,
      use: { lsa, turnAndKeep },
      params: {
        given: window,
        send: window,
        a: window,
        b: window,
        c: window,
        kept: window,
        part: u32,
        rounds: u32,
        comm: devComm,
      },
    },
    (
      { lsa, turnAndKeep, coopCta, blockIdx, gridDim, u32, min },
      { given, send, a, b, c, kept, part, rounds, comm },
    ) => {
      const each = (part + gridDim.x - 1) / gridDim.x;
      const first = blockIdx.x * each;
      if (first >= part) return;
      const end = min(first + each, part);
      const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
      bar.sync(coopCta(), 'acq_rel');
      for (let round = u32(0); round < rounds; round += 3) {
        turnAndKeep(comm, given, round, send, a, c, kept, part, first, end);
        turnAndKeep(comm, given, round + 1, send, b, a, kept, part, first, end);
        turnAndKeep(comm, given, round + 2, send, c, b, kept, part, first, end);
      }
    },
  );
}

export const sentinelTurnsKernels = {
  'all-to-all': turnsOf('allToAllTurns', allToAll),
  'all-reduce': turnsOf('allReduceTurns', allReduce),
} as const;
