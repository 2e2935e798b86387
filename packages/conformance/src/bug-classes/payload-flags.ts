import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { BugClass } from './bug-class.ts';
import { bugProgram, params, type BugKernel } from './bug-program.ts';

/** A word and the number that signals its arrival, in one store or in two. */
const payloadAndFlag = (TORN: boolean): BugKernel =>
  kernel(
    { name: `payloadAndFlag_${TORN}`, use: { lsa, TORN }, params },
    ({ lsa, TORN, assert, waitUntil, u32, u64 }, { comm, inbox, out }) => {
      if (comm.lsaRank === 0) {
        const far = lsa.pointer(inbox, u32, 0, 1);
        if (TORN) {
          far.store(0, 42, 'relaxed');
          far.store(1, 1, 'relaxed');
        } else far.cast(u64).store(0, (u64(1) << 32) | 42, 'relaxed');
      } else {
        const near = lsa.localPointer(inbox, u32, 0);
        let seen = u32(0);
        if (TORN) {
          waitUntil(() => near.load(1, 'relaxed') === 1);
          seen = near.load(0, 'relaxed');
        } else {
          const whole = near.cast(u64);
          waitUntil(() => whole.load(0, 'relaxed') >> 32 === 1);
          seen = u32(whole.load(0, 'relaxed'));
        }
        assert(seen === 42, 'the received data equals the sent data');
        lsa.localPointer(out, u32, 0).store(0, seen);
      }
    },
  );

/** Waits until the word is not 0. */
const untilNotZero = (PAYLOAD: number): BugKernel =>
  kernel(
    { name: `untilNotZero_${PAYLOAD}`, use: { lsa, PAYLOAD }, params },
    ({ lsa, PAYLOAD, waitUntil, u32 }, { comm, inbox, out }) => {
      if (comm.lsaRank === 0) {
        const far = lsa.pointer(inbox, u32, 0, 1);
        far.store(0, PAYLOAD, 'relaxed');
      } else {
        const near = lsa.localPointer(inbox, u32, 0);
        waitUntil(() => near.load(0, 'relaxed') !== 0);
        lsa.localPointer(out, u32, 0).store(0, near.load(0, 'relaxed'));
      }
    },
  );

/** Two rounds through one word. The receiver resets it to 0, or forgets to. */
const twoRounds = (REARM: boolean): BugKernel =>
  kernel(
    { name: `twoRounds_${REARM}`, use: { lsa, REARM }, params },
    ({ lsa, REARM, assert, waitUntil, u32 }, { comm, inbox, out }) => {
      const near = lsa.localPointer(inbox, u32, 0);
      const far = lsa.pointer(inbox, u32, 0, (comm.lsaRank + 1) % comm.lsaSize);
      if (comm.lsaRank === 0) {
        far.store(0, 11, 'relaxed');
        waitUntil(() => near.load(1, 'acquire') === 1);
        far.store(0, 22, 'relaxed');
      } else {
        waitUntil(() => near.load(0, 'relaxed') !== 0);
        if (REARM) near.store(0, 0, 'relaxed');
        far.store(1, 1, 'release');
        waitUntil(() => near.load(0, 'relaxed') !== 0);
        const second = near.load(0, 'relaxed');
        assert(second === 22, 'the second message is not a copy of the first');
        lsa.localPointer(out, u32, 0).store(0, second);
      }
    },
  );

export const payloadFlags: BugClass = {
  id: 'L21',
  title: 'data that should signal its own arrival cannot do so',
  programs: [
    bugProgram({
      name: 'L21/torn',
      launches: [{ kernel: payloadAndFlag(true) }],
      // There is no race, because all accesses are strong. But the word may be the old one.
      expects: { kind: 'fault', lines: ['assert(seen === 42'], ranks: [1], sometimes: true },
    }),
    bugProgram({
      name: 'L21/in-one-piece',
      launches: [{ kernel: payloadAndFlag(false) }],
      result: (rank) => [rank === 0 ? 0 : 42],
      expects: 'clean',
    }),
    bugProgram({
      name: 'L21/payload-is-sentinel',
      launches: [{ kernel: untilNotZero(0) }],
      expects: { kind: 'deadlock', lines: ['waitUntil('], ranks: [1] },
    }),
    bugProgram({
      name: 'L21/payload-is-none',
      launches: [{ kernel: untilNotZero(5) }],
      result: (rank) => [rank === 0 ? 0 : 5],
      expects: 'clean',
    }),
    bugProgram({
      name: 'L21/not-armed-again',
      launches: [{ kernel: twoRounds(false) }],
      expects: { kind: 'fault', lines: ['assert(second === 22'], ranks: [1], sometimes: true },
    }),
    bugProgram({
      name: 'L21/armed-again',
      launches: [{ kernel: twoRounds(true) }],
      result: (rank) => [rank === 0 ? 0 : 22],
      expects: 'clean',
    }),
  ],
};
