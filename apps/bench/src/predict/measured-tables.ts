import { medianOf } from '@nccl-ts/core';
import type { JsonValue } from '../figures/json-value.ts';
import { choiceOf, rulesOf } from './choice-of.ts';
import type { PredictedProgram } from './predicted-program.ts';

/** A measurement to compare with a prediction. */
export interface Beside {
  readonly measuredUs?: number;
  /** True if the measured kernels differ from the predicted ones. */
  readonly hasChanged?: boolean;
}

/**
 * The tables of `gpu/table.ts` to compare with predictions. The first one that has a cell counts.
 */
export class MeasuredTables {
  readonly #tables: readonly JsonValue[];
  readonly #ranks: number;

  constructor(tables: readonly JsonValue[], ranks: number) {
    this.#tables = tables;
    this.#ranks = ranks;
  }

  /** The sizes of a program in any table, up to `most` bytes. */
  sizes(program: PredictedProgram, most: number): readonly number[] {
    const sizes = this.#rows(program).map((row) => row.at('bytes').number);
    return [...new Set(sizes)].filter((bytes) => bytes <= most).toSorted((a, b) => a - b);
  }

  /** The contenders of a program that can be predicted. */
  contenders(program: PredictedProgram): readonly string[] {
    const names = this.#rows(program).flatMap((row) => row.at('times').names);
    return [...new Set(['own', ...names])].filter((name) => rulesOf(program, name) !== undefined);
  }

  beside(program: PredictedProgram, contender: string, bytes: number): Beside {
    const row = this.#rows(program).find((one) => one.at('bytes').number === bytes);
    if (row === undefined) return {};
    const { names } = row.at('times');
    const choice = choiceOf(program, contender, bytes, this.#ranks);
    // A table's `own` is the selection of its commit. Another contender may be today's choice.
    const isSameAs = (name: string): boolean =>
      name !== 'own' && rulesOf(program, name) !== undefined && choiceOf(program, name, bytes, this.#ranks) === choice;
    const recorded = row.at('choice');
    const equal =
      names.includes(contender) && (contender !== 'own' || (recorded.present && recorded.text === choice))
        ? contender
        : names.find(isSameAs);
    const name = equal ?? (names.includes(contender) ? contender : undefined);
    const times =
      name === undefined
        ? []
        : row
            .at('times')
            .at(name)
            .list.map((one) => one.number);
    if (times.length === 0) return {};
    const hasChanged =
      equal === undefined &&
      (recorded.present ? recorded.text !== choice : choiceBefore(program, bytes, this.#ranks) !== choice);
    return { measuredUs: Number(medianOf(times).toFixed(2)), hasChanged };
  }

  #rows(program: PredictedProgram): readonly JsonValue[] {
    return this.#tables.flatMap((table) =>
      table.at('rows').list.filter((row) => row.at('program').text === program && this.#isOf(row)),
    );
  }

  #isOf(row: JsonValue): boolean {
    const gpus = row.at('gpus').number;
    if (gpus !== this.#ranks) throw new RangeError(`A table was measured on ${gpus} GPUs, not on ${this.#ranks}.`);
    return true;
  }
}

/**
 * The selection's choice for old tables that do not record it: no sentinels, and flags with 64 CTAs
 * on two ranks for parts of up to 256 KiB.
 */
function choiceBefore(program: PredictedProgram, bytes: number, ranks: number): string {
  const now = choiceOf(program, 'own', bytes, ranks);
  const part = program === 'all_reduce' ? bytes : bytes / ranks;
  if (now.startsWith('sentinel:')) return 'll or twoShot';
  return ranks === 2 && part > 1 << 18 && part <= 1 << 19 ? 'direct' : now;
}
