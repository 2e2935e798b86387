import type { CheckReport, SourceFix } from '@nccl-ts/findings';
import type { CheckCommandOptions } from './check-options.ts';
import { printOut } from '../output/print.ts';
import { writeSarif } from './write-sarif.ts';

/**
 * Writes the report's file and then prints the report, because a reader of stdout may stop early.
 * If the file cannot be written, the findings are still printed.
 *
 * @throws the errors of `writeFile`, after the report is printed.
 */
export async function printAndWrite(
  text: string,
  { sarif }: Pick<CheckCommandOptions, 'sarif'>,
  report: CheckReport,
  fix?: SourceFix,
): Promise<void> {
  try {
    if (sarif !== undefined) await writeSarif(sarif, report, fix);
  } finally {
    printOut(text);
  }
}
