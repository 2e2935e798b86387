import { explore } from '@nccl-ts/checker';
import { getLsaDevicePointer, World, type Window } from '@nccl-ts/communicator';
import { at } from '@nccl-ts/core';
import { importKernel, parsePtx } from '@nccl-ts/ptx';
import type { LitmusPtx } from './litmus-ptx.ts';
import { holds } from './parse-condition.ts';
import type { ConditionValue, LitmusTest } from './litmus-test.ts';

/** The findings of the graph engine for a test. */
export interface LitmusResult {
  /** True if every execution was seen. */
  readonly complete: boolean;
  readonly executions: number;
  /** True if some finished execution satisfies the condition, and if all of them do. */
  readonly isPossible: boolean;
  readonly isCertain: boolean;
  readonly finished: number;
  /** True if a race, a deadlock or anything else is an error. */
  readonly errors: ReadonlySet<string>;
}

/** The most executions, and the most milliseconds for them. */
const LIMITS = { runs: 20_000, milliseconds: 60_000 };

/** Explores all executions of a test. @throws the errors of the PTX front end */
export async function runLitmus(test: LitmusTest, ptx: LitmusPtx): Promise<LitmusResult> {
  const { text, ranks, grid, block, locations, kept, wordOf } = ptx;
  const { module, diagnostics } = parsePtx(text, 'litmus.ptx');
  if (module === undefined) throw new TypeError(diagnostics.map(({ message }) => message).join('\n'));
  const { kernel, params } = importKernel(module, { entry: 'litmus' });
  const answers: boolean[] = [];
  const { report, complete, runs } = await explore(
    { ranks, lsaSize: ranks, mode: 'check' },
    async (backend) => {
      const world = await World.open({ backend });
      try {
        const read = await world.run(async (comm) => {
          const words = await comm.allocWindow('u32', 4 * locations.length);
          await words.write(Uint32Array.from(locations.flatMap((value) => [value, 0, 0, 0])));
          const registers = await comm.allocWindow('u32', Math.max(1, kept));
          const given = [addressOf(words), addressOf(registers), comm.rank];
          const args = Object.fromEntries(params.map(({ name }, index) => [name, at(given, index)]));
          await comm.launch(kernel, { grid, block }, args);
          await comm.synchronize();
          // All hosts meet, so that the last stores of every rank count.
          await comm.createDevComm({});
          return { words: [...(await words.read())], registers: [...(await registers.read())] };
        });
        const { words, registers } = at(read, 0);
        const valueOf = (value: ConditionValue): number => {
          if (value.kind === 'constant') return value.value;
          const name = value.kind === 'register' ? `${value.thread}:${value.name}` : value.name;
          const word = wordOf(name);
          if (word === undefined) throw new TypeError(`The condition names ${name}, which the test does not have.`);
          return value.kind === 'register' ? at(registers, word) : at(words, 4 * word);
        };
        answers.push(holds(test.condition, valueOf));
      } finally {
        await world.close();
      }
    },
    LIMITS,
  );
  const findings = report?.findings ?? [];
  return {
    complete,
    executions: runs,
    isPossible: answers.includes(true),
    isCertain: !answers.includes(false),
    finished: answers.length,
    errors: new Set(findings.filter(({ severity }) => severity === 'error').map(({ kind }) => kind)),
  };
}

/** The address of rank 0's copy. */
function addressOf(window: Window<'u32'>): bigint {
  const pointer = getLsaDevicePointer(window, 0, 0);
  if (pointer === null) throw new TypeError('Rank 0 has no copy of a window.');
  return BigInt(pointer.address);
}
