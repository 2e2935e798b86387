import { readFileSync } from 'node:fs';
import { medianOf } from '@nccl-ts/core';
import { JsonValue } from '../figures/json-value.ts';

/** A results file. */
export function readResults(path: string): JsonValue {
  const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
  return new JsonValue(value, path);
}

/** Names a row: a kernel with an input of so many bytes. */
export function rowName(kernel: string, bytes: number): string {
  return `${kernel} ${bytes}`;
}

/** The medians of rounds in microseconds, by `rowName`. */
export function measuredTimes(files: readonly string[]): ReadonlyMap<string, number> {
  return new Map(
    files
      .flatMap((path) => readResults(path).at('rows').list)
      .flatMap((one) => {
        const rounds = one.at('times');
        return rounds.names.map((kernel): readonly [string, number] => [
          rowName(kernel, one.at('bytes').number),
          medianOf(rounds.at(kernel).list.map((time) => time.number)),
        ]);
      }),
  );
}
