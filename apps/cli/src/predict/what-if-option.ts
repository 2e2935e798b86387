import { InvalidArgumentError } from 'commander';
import { siteChanges } from '@nccl-ts/mutation';
import type { WhatIf } from '@nccl-ts/prediction';

/** One `--what-if`: changes that are made together, or every one alone. */
export interface WhatIfChoice {
  /** As on the command line. */
  readonly text: string;
  readonly changes: readonly WhatIf[] | 'each';
}

const forms = 'Write [FILE:]LINE=CHANGE, ctas=2x, stores=16 or each';

/** Parses `--what-if 42=relaxed,ctas=2x`, which may be repeated. */
export function whatIfChoice(text: string, before: readonly WhatIfChoice[] = []): readonly WhatIfChoice[] {
  const changes = text === 'each' ? text : text.split(',').map((word) => whatIfOf(word.trim()));
  return [...before, { text, changes }];
}

function whatIfOf(text: string): WhatIf {
  if (text === 'stores=16') return { kind: 'stores' };
  const [, factor] = /^ctas=(\d+(?:\.\d+)?)x$/u.exec(text) ?? [];
  if (factor !== undefined) {
    if (!(Number(factor) > 0)) throw new InvalidArgumentError('There must be CTAs: write ctas=2x, or ctas=0.5x.');
    return { kind: 'ctas', factor: Number(factor) };
  }
  const [, file, line, word] = /^(?:(.+):)?(\d+)=(\S+)$/u.exec(text) ?? [];
  if (line === undefined) throw new InvalidArgumentError(`${forms}.`);
  const to = siteChanges.find((change) => change === word);
  if (to === undefined) throw new InvalidArgumentError(`${forms}; CHANGE is one of ${siteChanges.join(', ')}.`);
  const at = file === undefined ? { line: Number(line) } : { file, line: Number(line) };
  return { kind: 'sync', at, to };
}
