import { reportToSarif, type CheckReport } from '@nccl-ts/findings';
import { visibleValue } from './output/visible-text.ts';
import { writeFile } from './output/write-file.ts';
import { packageVersion } from './package-version.ts';

/**
 * Writes the report as SARIF, with files named from the current folder. Nothing in its texts is
 * obeyed by a terminal that shows them.
 */
export async function writeSarif(file: string, report: CheckReport): Promise<void> {
  const log = reportToSarif(report, { root: process.cwd(), toolVersion: packageVersion() });
  await writeFile('--sarif', file, `${JSON.stringify(visibleValue(log), undefined, 2)}\n`);
}
