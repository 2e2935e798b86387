import { isNcclError } from '@nccl-ts/core';
import { fixOf, type CheckReport, type Fix } from '@nccl-ts/findings';
import type { AuthorFile } from '@nccl-ts/relax';
import type { Machine } from '../protocol.ts';
import { fixEdits } from './fix-edits.ts';
import { FILE, loadProgram } from './load-program.ts';
import { simOptions } from './run-program.ts';

/** Repairs are looked for if a check is this fast, in ms. */
const FAST = 2500;

/** The seconds for the search of a first repair. */
const PATIENCE = 2;

/**
 * For each finding, the changes after which the check finds no error. One repair mends all errors
 * of a program. A finding of a program that cannot be checked again in time, that opens its own
 * world, or that has warnings alone, gets the word that it asks for, which is not checked.
 */
export async function programFixes(
  { findings, scope }: CheckReport,
  text: string,
  machine: Machine,
  { took, signal }: { readonly took: number; readonly signal: AbortSignal },
): Promise<readonly (readonly Fix[])[]> {
  const words = findings.map((finding) => [fixOf(finding)].flatMap((fix) => fix ?? []));
  if (!findings.some(({ severity }) => severity === 'error')) return words;
  const host = took > FAST ? undefined : (await loadProgram(text)).host;
  if (host === undefined) return words;
  const { repairProgram } = await import('@nccl-ts/relax');
  const { ranks, lsaSize } = simOptions(machine);
  const author = {
    host,
    textOf: (path: string) => (path === FILE ? text : undefined),
    load: async (changed: AuthorFile) => {
      const loaded = await loadProgram(changed.text);
      if (loaded.host === undefined) throw new TypeError('The changed program has no host.');
      return loaded.host;
    },
  };
  try {
    const { repairs } = await repairProgram(author, {
      ranks: [ranks],
      ...(lsaSize === undefined ? {} : { lsaSize }),
      // A program of threads alone is not asked to communicate when it is repaired.
      local: !scope.communicates,
      patience: PATIENCE,
      seconds: PATIENCE,
      most: 1,
      signal,
    });
    const first = repairs.find(({ silences }) => !silences);
    return findings.map(() =>
      first === undefined ? [] : [{ title: first.title, file: FILE, edits: fixEdits(first.edits ?? [], text) }],
    );
  } catch (error) {
    // The report of the check must not be lost.
    if (isNcclError(error)) return findings.map(() => []);
    throw error;
  }
}
