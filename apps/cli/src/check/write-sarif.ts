import { reportToSarif, type CheckReport, type SourceFix } from '@nccl-ts/findings';
import { visibleValue } from '../output/visible-text.ts';
import { writeFile } from '../output/write-file.ts';
import { packageVersion } from '../package-version.ts';

/**
 * Writes the report as SARIF. Files are named relative to the current folder. A terminal that shows
 * its texts interprets none of their characters.
 */
export async function writeSarif(file: string, report: CheckReport, fix?: SourceFix): Promise<void> {
  const log = reportToSarif(report, { root: process.cwd(), toolVersion: packageVersion(), fix });
  await writeFile('--sarif', file, `${JSON.stringify(visibleValue(log), undefined, 2)}\n`);
}
